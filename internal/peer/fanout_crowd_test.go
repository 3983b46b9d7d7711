package peer_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/wire"
)

// crowd does what runCrowd asks of it: editors come, the first writers of them
// write n times in all, every so often each, whoever has seen what.
func crowd(job string) error {
	var addr, doc string
	var observers, writers int
	var every time.Duration
	if _, err := fmt.Sscan(job, &addr, &observers, &writers, (*int64)(&every), &doc); err != nil {
		return err
	}
	seen := newSightings(observers + writers - 1)
	var editors []*extra
	for i := range observers + writers {
		e, err := enter(addr, doc, i, i < writers)
		if err != nil {
			return err
		}
		editors = append(editors, e)
		go e.read(seen)
	}
	<-editors[0].write(seen)
	var n int
	fmt.Println("here")
	if _, err := fmt.Scan(&n); err != nil {
		return err
	}
	seen.reset()
	var writing sync.WaitGroup
	for i, e := range editors[:writers] {
		writing.Go(func() {
			<-time.After(every * time.Duration(i) / time.Duration(writers)) // not in step
			tick := time.NewTicker(every)
			defer tick.Stop()
			var done []<-chan struct{}
			for k := i; k < n; k += writers {
				done = append(done, e.write(seen))
				<-tick.C
			}
			for _, d := range done {
				<-d
			}
		})
	}
	writing.Wait()
	fmt.Println(seen.report())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return nil
}

// extra is one of a crowd: a bare socket, and of the protocol what it takes.
type extra struct {
	nc      net.Conn
	in      *bufio.Reader
	id, doc string

	mu    sync.Mutex
	graph *changegraph.Graph // of a writer; nil: it observes
	state *changegraph.SyncState
	actor kaijutsu.ActorID
	heads kaijutsu.Heads // of an observer
}

// enter connects, joins and opens the document; the first announces it.
func enter(addr, doc string, i int, writes bool) (*extra, error) {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	e := &extra{nc: nc, in: bufio.NewReaderSize(nc, 1<<10), id: fmt.Sprintf("extra-%04d", i), doc: doc}
	fmt.Fprintf(nc, "GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", addr)
	for line := ""; line != "\r\n"; {
		if line, err = e.in.ReadString('\n'); err != nil {
			return nil, err
		}
	}
	if err := e.send(wire.Join{SenderID: e.id, Versions: []string{"1"}}); err != nil {
		return nil, err
	}
	if !writes {
		return e, e.send(wire.Request{SenderID: e.id, TargetID: serverID, DocumentID: doc, Data: (&amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}}).Encode()})
	}
	e.graph, e.state, e.actor = changegraph.New(), changegraph.NewSyncState(), kaijutsu.ActorID(fmt.Sprintf("actor-%010d", i))
	return e, e.push()
}

func (e *extra) send(m wire.Message) error {
	_, err := e.nc.Write(masked(wire.Encode(m)))
	return err
}

// write makes a change and sends it. What it returns is closed when everybody
// has seen it.
func (e *extra) write(seen *sightings) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := &amfile.Change{
		Deps: slices.Clone(e.graph.Heads()), Actors: []kaijutsu.ActorID{e.actor}, Seq: e.graph.NextSeq(e.actor), StartOp: e.graph.MaxOp() + 1,
		Ops: []amfile.Op{{Action: amfile.Put, Key: e.id, Value: amfile.IntValue(int64(e.graph.Len()))}},
	}
	err := amfile.EncodeChange(c)
	if err == nil {
		_, err = e.graph.Add(c)
	}
	done := seen.made(c.Hash)
	if err == nil {
		err = e.push()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return done
}

// push says what a writer has to say; its mu is held.
func (e *extra) push() error {
	data, ok := e.graph.Generate(e.state)
	if !ok {
		return nil
	}
	return e.send(wire.Sync{SenderID: e.id, TargetID: serverID, DocumentID: e.doc, Data: data})
}

// read takes what the server sends and answers it.
func (e *extra) read(seen *sightings) {
	for {
		frame, err := e.frame()
		if err != nil {
			return
		}
		m, err := wire.Decode(frame)
		if s, ok := m.(wire.Sync); ok && err == nil {
			err = e.take(s, seen)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func (e *extra) frame() ([]byte, error) {
	head := make([]byte, 10)
	if _, err := io.ReadFull(e.in, head[:2]); err != nil {
		return nil, err
	}
	n, extra := uint64(head[1]), 0
	switch n {
	case 126:
		extra = 2
	case 127:
		extra = 8
	}
	if _, err := io.ReadFull(e.in, head[10-extra:]); err != nil {
		return nil, err
	}
	if extra > 0 {
		clear(head[:10-extra])
		n = binary.BigEndian.Uint64(head[2:])
	}
	frame := make([]byte, n)
	_, err := io.ReadFull(e.in, frame)
	return frame, err
}

// take answers a sync message as a client does.
func (e *extra) take(s wire.Sync, seen *sightings) error {
	got, err := seen.decode(s.Data)
	if err != nil {
		return err
	}
	for _, c := range got.changes {
		seen.saw(c.Hash)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.graph != nil {
		e.graph.Receive(e.state, got.m, got.changes, changegraph.ReceiveOptions{})
		return e.push()
	}
	if e.heads.Equal(got.m.Heads) {
		return nil
	}
	e.heads = got.m.Heads
	return e.send(wire.Sync{SenderID: e.id, TargetID: serverID, DocumentID: e.doc, Data: got.ack})
}

// sightings are the edits of a crowd, who saw them, and how long it took.
type sightings struct {
	each int // how many are to see an edit

	mu    sync.Mutex
	edits map[kaijutsu.ChangeHash]*sighting
	took  []time.Duration
	last  []*decoded
}

type sighting struct {
	began time.Time
	seen  int
	all   chan struct{}
}

// decoded is a message that many got, and what an observer answers.
type decoded struct {
	data    []byte
	m       *amfile.SyncMessage
	changes []*amfile.Change
	ack     []byte
}

func newSightings(each int) *sightings {
	return &sightings{each: each, edits: make(map[kaijutsu.ChangeHash]*sighting)}
}

func (s *sightings) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took = nil
}

func (s *sightings) made(h kaijutsu.ChangeHash) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(chan struct{})
	s.edits[h] = &sighting{time.Now(), 0, all}
	return all
}

func (s *sightings) saw(h kaijutsu.ChangeHash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.edits[h]
	s.took = append(s.took, time.Since(e.began))
	if e.seen++; e.seen == s.each {
		close(e.all)
		delete(s.edits, h)
	}
}

// decode decodes a message once for all who get the same.
func (s *sightings) decode(data []byte) (*decoded, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.last {
		if bytes.Equal(d.data, data) {
			return d, nil
		}
	}
	m, err := amfile.DecodeSync(data)
	if err != nil {
		return nil, err
	}
	d := &decoded{data: data, m: m, ack: (&amfile.SyncMessage{Version: 1, Heads: m.Heads, Have: []amfile.Have{{LastSync: m.Heads}}}).Encode()}
	for _, raw := range m.Changes {
		chunks, err := amfile.SplitChunks(raw)
		if err != nil {
			return nil, err
		}
		for _, chunk := range chunks {
			changes, err := decodeChunk(chunk)
			if err != nil {
				return nil, err
			}
			d.changes = append(d.changes, changes...)
		}
	}
	s.last = append(s.last, d)
	s.last = s.last[max(0, len(s.last)-8):]
	return d, nil
}

func (s *sightings) report() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.took)
	n := len(s.took)
	if n == 0 {
		return ""
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	return fmt.Sprintf("p50-ms=%.2f p99-ms=%.2f", ms(s.took[n/2]), ms(s.took[n*99/100]))
}
