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

	mu      sync.Mutex
	sent    map[kaijutsu.ChangeHash]time.Time // edits on their way to the other
	edits   int
	acks    []time.Duration // edit → the server's acknowledgement, which is on disk
	visible []time.Duration // edit → in the other editor's document
}

func newWriter(ctx context.Context, name, url string, id kaijutsu.DocumentID, block blocks.ID) (*writer, error) {
	client, err := editor.Dial(ctx, editor.Config{URL: url})
	if err != nil {
		return nil, err
	}
	w := &writer{name: name, client: client, block: block, sent: make(map[kaijutsu.ChangeHash]time.Time)}
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
		other.mu.Lock()
		defer other.mu.Unlock()
		for _, c := range changes {
			if at, ok := other.sent[c.Hash]; ok {
				other.visible = append(other.visible, now.Sub(at))
				delete(other.sent, c.Hash)
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
	w.mu.Lock() // the edit may arrive before Edit returns
	err := w.doc.Edit(ctx, func(tx *blocks.Tx) error { return tx.AppendText(w.block, word) })
	if err != nil {
		w.mu.Unlock()
		return // the context ended in the middle
	}
	w.edits++
	if heads := w.doc.Heads(); len(heads) == 1 {
		w.sent[heads[0]] = at
	}
	w.mu.Unlock()
	acked, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if w.doc.WaitAcked(acked) == nil {
		w.mu.Lock()
		w.acks = append(w.acks, time.Since(at))
		w.mu.Unlock()
	}
}
