package demo

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/editor"
)

// writer is a person at an editor.
type writer struct {
	name   string
	client *editor.Client
	doc    *editor.Document
	block  blocks.ID

	edits   int
	acks    []time.Duration // edit → the server's acknowledgement, which is on disk
	journey journey
}

// journey measures the way of edits from one editor to the other. Its lock is
// the innermost: nothing is called under it.
type journey struct {
	mu      sync.Mutex
	left    map[kaijutsu.ChangeHash]time.Time
	arrived map[kaijutsu.ChangeHash]time.Time // before it was known to have left
	took    []time.Duration
}

func (j *journey) leave(h kaijutsu.ChangeHash, at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if there, ok := j.arrived[h]; ok {
		delete(j.arrived, h)
		j.took = append(j.took, there.Sub(at))
		return
	}
	j.left[h] = at
}

func (j *journey) arrive(h kaijutsu.ChangeHash, at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if left, ok := j.left[h]; ok {
		delete(j.left, h)
		j.took = append(j.took, at.Sub(left))
		return
	}
	j.arrived[h] = at
}

func newWriter(ctx context.Context, name, url string, id kaijutsu.DocumentID, block blocks.ID) (*writer, error) {
	client, err := editor.Dial(ctx, editor.Config{URL: url})
	if err != nil {
		return nil, err
	}
	w := &writer{name: name, client: client, block: block}
	w.journey.left = make(map[kaijutsu.ChangeHash]time.Time)
	w.journey.arrived = make(map[kaijutsu.ChangeHash]time.Time)
	w.doc = client.Open(ctx, id)
	opening, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return w, w.doc.Wait(opening, func() bool { return text(w.doc, block) != "" || hasBlock(w.doc, block) })
}

func hasBlock(d *editor.Document, id blocks.ID) bool {
	list, err := d.Blocks()
	if err != nil {
		return false
	}
	for _, b := range list {
		if b.ID == id {
			return true
		}
	}
	return false
}

// watch measures when the other's edits arrive here.
func (w *writer) watch(other *writer) {
	w.doc.OnChanges(func(changes []*amfile.Change) {
		now := time.Now()
		for _, c := range changes {
			if c.Author() == other.doc.Actor() {
				other.journey.arrive(c.Hash, now)
			}
		}
	})
}

// run types a word at a time until ctx ends; offline too.
func (w *writer) run(ctx context.Context) {
	words := []string{"the ", "quick ", "brown ", "fox ", "jumps ", "over ", "the ", "lazy ", "dog. "}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(25+rand.IntN(30)) * time.Millisecond):
		}
		w.typeWord(ctx, w.name+":"+words[rand.IntN(len(words))])
	}
}

func (w *writer) typeWord(ctx context.Context, word string) {
	at := time.Now()
	hash, err := w.doc.Edit(ctx, func(tx *blocks.Tx) error { return tx.AppendText(w.block, word) })
	if err != nil {
		return // the context ended in the middle
	}
	w.edits++
	w.journey.leave(hash, at)
	acked, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if w.doc.WaitStored(acked, hash) == nil {
		w.acks = append(w.acks, time.Since(at))
	}
}
