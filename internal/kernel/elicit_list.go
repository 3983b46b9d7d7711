package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// Pending is a question that waits for its answer.
type Pending struct {
	Context kaijutsu.DocumentID
	Block   blocks.ID
	By      string // who asked, as it says
	Message string
	Schema  json.RawMessage
	Asked   time.Time
	Expires time.Time // by this node's clock
	// Answerable says that the caller may answer it.
	Answerable bool
}

// Questions returns the questions that wait in contexts that the caller may
// read, at most limit of them, the one whose time is over first in front. It
// reads each context that has any.
func (k *Kernel) Questions(ctx context.Context, c op.Call, limit int) ([]Pending, error) {
	type at struct {
		doc   kaijutsu.DocumentID
		id    blocks.ID
		until time.Time
	}
	var all []at
	k.questions.mu.Lock()
	for doc, ids := range k.questions.pending {
		for id, until := range ids {
			all = append(all, at{doc, id, until})
		}
	}
	k.questions.mu.Unlock()
	now := k.cfg.Now()
	all = slices.DeleteFunc(all, func(a at) bool { return !a.until.After(now) || !k.MayRead(c, a.doc) })
	slices.SortFunc(all, func(a, b at) int {
		if d := a.until.Compare(b.until); d != 0 {
			return d
		}
		return strings.Compare(string(a.id), string(b.id))
	})
	out := make([]Pending, 0, min(len(all), limit))
	for _, a := range all {
		if len(out) == limit {
			break
		}
		err := k.View(ctx, c, a.doc, func(v repo.View) error {
			b, ok := v.Block(a.id)
			if !ok || b.Deleted || b.Status.Terminal() {
				return nil
			}
			if m, ok := elicitOf(b.Block); ok {
				out = append(out, Pending{
					Context: a.doc, Block: a.id, By: m.By, Message: b.Content, Schema: slices.Clone(m.Schema),
					Asked: m.Expires.Add(-time.Duration(m.Seconds) * time.Second), Expires: a.until.UTC(),
					Answerable: k.Right(c, a.doc) >= kaijutsu.RightEdit,
				})
			}
			return nil
		})
		if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
			return nil, err
		}
	}
	return out, nil
}
