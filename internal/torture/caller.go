package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

// callPause is the mean pause of a caller between two operations.
const callPause = 50 * time.Millisecond

// maxOwn is how many blocks a caller keeps before it deletes the oldest.
const maxOwn = 12

// caller is an agent that calls operations over HTTP: it writes into the texts
// that the typists write in, and makes, changes, moves, deletes and restores
// blocks of its own.
type caller struct {
	name   string
	node   *node
	target *target
	ledger *ledger
	h      *history // nil: what it does is not recorded
	random *rand.Rand
	dial   func(*node) operations // nil: over HTTP, without a token

	count   int
	own     []string // blocks that show
	deleted []string
	refused map[string]int // by kind of answer
}

// operations is a door through which operations are called.
type operations interface {
	// call runs an operation. An answer that is no success is a *refused;
	// after any other error the outcome is not known.
	call(ctx context.Context, op string, in, out any) error
	close()
}

// run calls until stop is closed; ctx ends it at once.
func (w *caller) run(ctx context.Context, stop <-chan struct{}) {
	var a operations = newAPI(w.node.url())
	if w.dial != nil {
		a = w.dial(w.node)
	}
	defer a.close()
	for {
		select {
		case <-stop:
			return
		case <-ctx.Done():
			return
		case <-time.After(time.Duration((0.5 + w.random.Float64()) * float64(callPause))):
		}
		began := time.Now()
		err := w.step(ctx, a)
		var r *refused
		switch {
		case err == nil:
			w.ledger.waited(w.node.name, time.Since(began))
		case errors.As(err, &r):
			w.refused[r.Error()]++
		}
	}
}

// step calls one operation.
func (w *caller) step(ctx context.Context, a operations) error {
	w.count++
	switch n := w.random.IntN(20); {
	case n < 8:
		return w.splice(ctx, a)
	case n < 12 || len(w.own) == 0:
		return w.create(ctx, a)
	case n < 14:
		return w.on(ctx, a, "block_status", map[string]any{"status": pick(w.random, "pending", "running", "done", "error")})
	case n < 16:
		return w.on(ctx, a, "block_set", w.flags())
	case n < 18:
		return w.move(ctx, a)
	case n < 19 && len(w.deleted) > 0:
		return w.restore(ctx, a)
	}
	return w.remove(ctx, a)
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (w *caller) newMark() string {
	mark := fmt.Sprintf("⟦%s.%d⟧", w.name, w.count)
	w.ledger.mark(w.target.doc, mark, false)
	w.h.note(Entry{Says: saysTry, Who: w.name, Doc: w.target.id, Mark: mark})
	return mark
}

// splice puts a mark at the front of a text, where it splits no other.
func (w *caller) splice(ctx context.Context, a operations) error {
	mark := w.newMark()
	text := w.target.texts[w.random.IntN(len(w.target.texts))]
	in := map[string]any{"block_id": text, "offset": 0, "delete_count": 0, "insert": mark}
	if _, err := w.call(ctx, a, "block_splice", in); err != nil {
		return err
	}
	w.ledger.mark(w.target.doc, mark, true)
	w.h.note(Entry{Says: saysAck, Who: w.name, Doc: w.target.id, Mark: mark})
	return nil
}

// create makes a block with an id of its own choice, so that a call whose
// outcome is unknown cannot have made one that nobody knows.
func (w *caller) create(ctx context.Context, a operations) error {
	id := string(blocks.NewID(time.Now()))
	in := map[string]any{
		"id": id, "content": "made by " + w.name, "kind": pick(w.random, "text", "tool_call", "comment", "task"),
		"form": pick(w.random, "text", "body"), "metadata": map[string]any{"n": w.count},
	}
	if len(w.own) > 0 && w.random.IntN(2) == 0 {
		in["parent_id"] = w.own[w.random.IntN(len(w.own))]
	}
	if _, err := w.call(ctx, a, "block_create", in); err != nil {
		return err
	}
	w.own = append(w.own, id)
	if len(w.own) > maxOwn {
		return w.remove(ctx, a)
	}
	return nil
}

// on calls an operation on one of the own blocks.
func (w *caller) on(ctx context.Context, a operations, op string, in map[string]any) error {
	in["block_id"] = w.own[w.random.IntN(len(w.own))]
	_, err := w.call(ctx, a, op, in)
	return err
}

func (w *caller) flags() map[string]any {
	switch w.random.IntN(3) {
	case 0:
		return map[string]any{"collapsed": w.random.IntN(2) == 0}
	case 1:
		return map[string]any{"excluded": w.random.IntN(2) == 0}
	}
	return map[string]any{"metadata": map[string]any{"n": w.count}}
}

// move takes a block to the root, in front or at the end, or below another.
func (w *caller) move(ctx context.Context, a operations) error {
	in := map[string]any{"position": pick(w.random, "first", "last"), "parent_id": ""}
	if w.random.IntN(3) == 0 {
		in["parent_id"] = w.own[w.random.IntN(len(w.own))]
	}
	return w.on(ctx, a, "block_move", in)
}

func (w *caller) remove(ctx context.Context, a operations) error {
	i := w.random.IntN(len(w.own))
	id := w.own[i]
	if _, err := w.call(ctx, a, "block_delete", map[string]any{"block_id": id}); err != nil {
		return err
	}
	w.own = append(w.own[:i], w.own[i+1:]...)
	w.deleted = append(w.deleted, id)
	return nil
}

func (w *caller) restore(ctx context.Context, a operations) error {
	i := w.random.IntN(len(w.deleted))
	id := w.deleted[i]
	if _, err := w.call(ctx, a, "block_restore", map[string]any{"block_id": id}); err != nil {
		return err
	}
	w.deleted = append(w.deleted[:i], w.deleted[i+1:]...)
	w.own = append(w.own, id)
	return nil
}

// call runs an operation and notes its change as acknowledged.
func (w *caller) call(ctx context.Context, a operations, op string, in map[string]any) (written, error) {
	in["context"] = w.target.id
	began := time.Now()
	var out written
	if err := a.call(ctx, op, in, &out); err != nil {
		return out, err
	}
	if out.Change == "" {
		return out, nil // there was nothing to write
	}
	h, err := kaijutsu.ParseChangeHash(out.Change)
	if err != nil {
		return out, fmt.Errorf("%s: %w", op, err)
	}
	w.ledger.ack(w.target.doc, h, "callers", w.name)
	w.h.note(Entry{Says: saysAck, Who: w.name, Doc: w.target.id, Hash: short(h), Ms: millis(time.Since(began))})
	return out, nil
}
