package catalog_test

import (
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
)

// replica is an editor's copy of a context: it edits by itself and syncs when
// the test says so.
type replica struct {
	h       *house
	doc     kaijutsu.DocumentID
	who     kaijutsu.Principal
	actor   kaijutsu.ActorID
	model   *blocks.Model
	changes []*amfile.Change
}

// replica returns a copy of a context as it is now.
func (h *house) replica(context string, who kaijutsu.Principal) *replica {
	h.t.Helper()
	id, err := kaijutsu.ParseContextID(context)
	if err != nil {
		h.t.Fatal(err)
	}
	var actor [16]byte
	rand.Read(actor[:])
	r := &replica{h: h, doc: id.Document(), who: who, actor: kaijutsu.ActorID(actor[:]), model: blocks.NewModel()}
	r.pull()
	return r
}

func (r *replica) has(hash kaijutsu.ChangeHash) bool {
	return slices.ContainsFunc(r.changes, func(c *amfile.Change) bool { return c.Hash == hash })
}

func (r *replica) take(c *amfile.Change) {
	r.changes = append(r.changes, c)
	r.model.Apply(c)
}

func (r *replica) heads() kaijutsu.Heads {
	var heads []kaijutsu.ChangeHash
	for _, c := range r.changes {
		heads = slices.DeleteFunc(heads, func(h kaijutsu.ChangeHash) bool { return slices.Contains(c.Deps, h) })
		heads = append(heads, c.Hash)
	}
	return kaijutsu.NewHeads(heads...)
}

// pull takes what the house has.
func (r *replica) pull() {
	r.h.t.Helper()
	err := r.h.kernel.View(r.h.t.Context(), owner(), r.doc, func(v repo.View) error {
		log := v.Log()
		for i := range log.Len() {
			c, err := log.Change(i)
			if err != nil {
				return err
			}
			if !r.has(c.Hash) {
				r.take(c)
			}
		}
		return nil
	})
	if err != nil {
		r.h.t.Fatal(err)
	}
}

// edit makes a change of its own.
func (r *replica) edit(f func(*blocks.Tx) error) {
	r.h.t.Helper()
	c, err := r.model.Commit(blocks.CommitOptions{Actor: r.actor, Deps: r.heads(), Time: time.Now()}, f)
	if err != nil || c == nil {
		r.h.t.Fatalf("a replica's edit made %v, %v", c, err)
	}
	r.take(c)
}

// push gives the house what it does not have, by a sync session.
func (r *replica) push() {
	r.h.t.Helper()
	ctx := r.h.t.Context()
	s, err := r.h.repo.Join(ctx, r.doc, repo.Joining{Principal: r.who, Notify: func() {}})
	if err != nil {
		r.h.t.Fatal(err)
	}
	defer s.Leave()
	m := &amfile.SyncMessage{Version: 1, Heads: r.heads()}
	if err := s.ReceiveWhole(ctx, m, r.changes, false); err != nil {
		r.h.t.Fatal(err)
	}
	out, err := s.Pull(ctx)
	if err != nil || len(out.Refused)+len(out.Denied) > 0 {
		r.h.t.Fatalf("the house took not everything: %v, %v, %v", err, out.Refused, out.Denied)
	}
}

// sync goes both ways.
func (r *replica) sync() {
	r.h.t.Helper()
	r.push()
	r.pull()
}

// shown are the contents of the blocks that show, in order.
func (r *replica) shown() (all []string) {
	for _, b := range r.model.Blocks() {
		all = append(all, b.Content)
	}
	return all
}

// shown are the contents of the blocks of a context that show, in order.
func (h *house) shown(context string) (all []string) {
	h.t.Helper()
	for _, b := range h.call(owner(), "context_get", quote(`{"context": %}`, context)).list("block_list") {
		all = append(all, b.str("content"))
	}
	return all
}

// same fails unless the house and the replicas show these contents.
func same(t *testing.T, h *house, context string, want []string, replicas ...*replica) {
	t.Helper()
	if got := h.shown(context); !slices.Equal(got, want) {
		t.Errorf("the server shows %q, want %q", got, want)
	}
	for i, r := range replicas {
		if got := r.shown(); !slices.Equal(got, want) {
			t.Errorf("replica %d shows %q, want %q", i, got, want)
		}
	}
}
