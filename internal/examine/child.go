package examine

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/guard"
)

// What a child exits with.
const (
	exitDone   = 0
	exitJob    = 2 // the job makes no sense, or the runtime gave up
	exitMemory = 4
	exitCPU    = 5
)

// The phases of an examination.
const (
	phaseLoad     = "load"     // reading it into a change graph
	phaseModel    = "model"    // making the read model
	phaseRead     = "read"     // reading the blocks
	phaseSnapshot = "snapshot" // encoding the document
	phaseSync     = "sync"     // composing a sync message
	phaseNew      = "new"      // a change that is not on disk
)

// Limits are what a child may take.
type Limits struct {
	CPU    time.Duration // in whole seconds; default 60 s
	Memory int64         // bytes of heap; default 1 GiB
}

func (l Limits) withDefaults() Limits {
	if l.CPU < time.Second {
		l.CPU = time.Minute
	}
	if l.Memory <= 0 {
		l.Memory = 1 << 30
	}
	return l
}

// finding is the last line that a child writes.
type finding struct {
	Phase  string `json:"phase,omitempty"` // where it failed; empty: it is sound
	Change string `json:"change,omitempty"`
	Panic  bool   `json:"panic,omitempty"`
	Why    string `json:"why,omitempty"`
}

// Child is the process that examines: it reads a job from in and writes to out
// what it is at and what it found. It returns what to exit with.
func Child(l Limits, in io.Reader, out io.Writer) int {
	l = l.withDefaults()
	limitProcess(l)
	debug.SetMemoryLimit(l.Memory)
	debug.SetMaxStack(256 << 20)
	go watchMemory(l.Memory) // ends with the process
	j, err := readJob(in)
	if err != nil || len(j.Layers) == 0 {
		fmt.Fprintln(os.Stderr, "examine: no job on the standard input:", err)
		return exitJob
	}
	e := examination{out: out, graph: changegraph.New(), model: blocks.NewModel()}
	err = guard.Do("examination", func() error { return e.run(j) })
	f := finding{}
	if err != nil {
		failed, panicked := err.(*guard.Failure)
		f = finding{Phase: e.phase, Change: e.change.String(), Panic: panicked, Why: err.Error()}
		if panicked {
			f.Why = failed.Value
			fmt.Fprintln(os.Stderr, failed.Stack)
		}
	}
	line, err := json.Marshal(f)
	if err != nil {
		return exitJob
	}
	fmt.Fprintf(out, "found %s\n", line)
	return exitDone
}

// examination is an examination under way.
type examination struct {
	out    io.Writer
	phase  string
	change kaijutsu.ChangeHash
	graph  *changegraph.Graph
	model  *blocks.Model
	line   []byte
}

// at tells what is done next, so that the death of the process names it.
func (e *examination) at(phase string, change kaijutsu.ChangeHash) {
	e.phase, e.change = phase, change
	e.line = fmt.Appendf(e.line[:0], "at %s %v\n", phase, change)
	_, _ = e.out.Write(e.line) // when nobody reads there is nobody to tell
}

var none kaijutsu.ChangeHash

func (e *examination) run(j Job) error {
	for i := range j.Layers {
		if err := e.load(j.Layers, i); err != nil {
			return err
		}
	}
	changes := make([]*amfile.Change, e.graph.Len())
	for i := range changes {
		e.at(phaseModel, e.graph.Hash(i))
		c, err := amfile.DecodeChange(e.graph.Raw(i))
		if err != nil {
			return err
		}
		e.model.Trace(c)
		changes[i] = c
	}
	e.at(phaseRead, none)
	e.readAll()
	e.at(phaseSnapshot, none)
	if err := e.snapshot(changes); err != nil {
		return err
	}
	e.at(phaseSync, none)
	s := changegraph.NewSyncState()
	e.graph.Receive(s, &amfile.SyncMessage{}, nil, changegraph.ReceiveOptions{})
	e.graph.Generate(s)
	for _, raw := range j.New {
		h, err := amfile.DecodeHeader(raw)
		if err != nil {
			continue // it is refused before anybody works on it
		}
		e.at(phaseNew, h.Hash)
		e.try(raw)
	}
	return nil
}

// load adds layer i to what is below it.
func (e *examination) load(layers []Layer, i int) error {
	e.at(phaseLoad, none)
	l := &layers[i]
	if i > 0 { // only what the layer rests on
		under := e.graph
		e.graph = changegraph.New()
		outside := under.Since(layers[i-1].Upto)
		for k := range under.Len() {
			if _, is := slices.BinarySearch(outside, k); is {
				continue
			}
			if err := e.graph.Restore(under.Raw(k)); err != nil {
				return err
			}
		}
	}
	if len(l.Snapshot) > 0 {
		changes, err := amfile.DecodeDocument(l.Snapshot)
		if err != nil {
			return err
		}
		e.graph = changegraph.New()
		for _, c := range changes {
			if err := e.graph.RestoreChange(c); err != nil {
				return err
			}
		}
	}
	for _, raw := range l.Changes {
		if err := e.graph.Restore(raw); err != nil {
			return err
		}
	}
	return nil
}

func (e *examination) readAll() {
	e.model.Title()
	e.model.Context()
	e.model.Blocks()
}

func (e *examination) snapshot(changes []*amfile.Change) error {
	if len(changes) == 0 {
		return nil
	}
	chunk, err := amfile.EncodeDocument(changes)
	if err != nil {
		return err
	}
	_, err = amfile.DecodeDocument(chunk)
	return err
}

// try does with a change what the server does with one that a peer brings. One
// that the rules refuse does no harm.
func (e *examination) try(raw []byte) {
	c, err := amfile.DecodeChange(raw)
	if err != nil {
		return
	}
	added, err := e.graph.Add(c)
	if err != nil {
		return
	}
	for _, c := range added {
		e.model.Trace(c)
	}
	e.readAll()
}

// watchMemory ends the process when the heap grows beyond the limit.
func watchMemory(limit int64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(5 * time.Millisecond) {
		if metrics.Read(sample); int64(sample[0].Value.Uint64()) > limit {
			os.Exit(exitMemory)
		}
	}
}
