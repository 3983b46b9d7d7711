package blocks

import (
	"fmt"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Editor edits the blocks of one context. It holds the whole document in an
// engine outside of Go's memory until Close, and is disposable: what it needs
// to be opened again are the changes.
//
// It is not safe for concurrent use.
type Editor struct {
	engine  engine
	heads   map[kaijutsu.ChangeHash]struct{}
	applied map[kaijutsu.ActorID]uint64              // sequence number of each actor's last change
	own     map[kaijutsu.ActorID]kaijutsu.ChangeHash // that change
	changes int
	size    int64
	broken  error // why it has to be opened again
}

// OpenEditor returns an editor of the document that these changes make up, in
// an order in which each comes after those it depends on. Changes from
// strangers have to be validated first: the engine ends the process on some
// that are hostile.
func OpenEditor(changes [][]byte) (*Editor, error) {
	eng, err := newAutomerge()
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	e := &Editor{
		engine:  eng,
		heads:   make(map[kaijutsu.ChangeHash]struct{}),
		applied: make(map[kaijutsu.ActorID]uint64),
		own:     make(map[kaijutsu.ActorID]kaijutsu.ChangeHash),
	}
	if err := e.Apply(changes); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Close frees the engine and its memory. The editor cannot be used afterwards.
func (e *Editor) Close() {
	if e.engine == nil {
		return
	}
	e.engine.free()
	e.engine, e.broken = nil, errClosed
}

var errClosed = fmt.Errorf("the editor is closed: %w", kaijutsu.ErrUnavailable)

// Heads returns the heads of the document.
func (e *Editor) Heads() kaijutsu.Heads {
	hashes := make([]kaijutsu.ChangeHash, 0, len(e.heads))
	for h := range e.heads {
		hashes = append(hashes, h)
	}
	return kaijutsu.NewHeads(hashes...)
}

// Bytes returns an estimate of the memory the engine holds.
func (e *Editor) Bytes() int64 { return e.size }

// The estimates behind Bytes, as measured.
const (
	engineOpBytes     = 375
	engineChangeBytes = 1500
)

// Apply takes in changes made elsewhere, in an order in which each comes after
// those it depends on. Those it has are skipped. When it returns an error the
// editor may have taken in some of them, and has to be closed.
func (e *Editor) Apply(changes [][]byte) error {
	if e.broken != nil {
		return e.broken
	}
	var chunks []byte
	for i, raw := range changes {
		h, err := amfile.DecodeHeader(raw)
		if err != nil {
			return e.fail(fmt.Errorf("apply change %d of %d: %w", i+1, len(changes), err))
		}
		if h.Seq <= e.applied[h.Author] {
			continue
		}
		chunks = append(chunks, raw...)
		e.note(h.Hash, h.Deps, h.Author, h.Seq, h.NumOps, len(raw))
	}
	if len(chunks) == 0 {
		return nil
	}
	if err := e.engine.load(chunks); err != nil {
		return e.fail(fmt.Errorf("apply %d changes: %w", len(changes), err))
	}
	return e.checkHeads()
}

// note keeps count of a change.
func (e *Editor) note(hash kaijutsu.ChangeHash, deps []kaijutsu.ChangeHash, author kaijutsu.ActorID, seq, ops uint64, bytes int) {
	for _, d := range deps {
		delete(e.heads, d)
	}
	e.heads[hash] = struct{}{}
	e.applied[author], e.own[author] = seq, hash
	e.changes++
	e.size += int64(ops)*engineOpBytes + engineChangeBytes + 2*int64(bytes)
}

// checkHeads holds the engine's heads against ours: it says nothing of changes
// that it skips.
func (e *Editor) checkHeads() error {
	got, err := e.engine.heads()
	if err != nil {
		return e.fail(fmt.Errorf("read the engine's heads: %w", err))
	}
	if want := e.Heads(); !got.Equal(want) {
		return e.fail(fmt.Errorf("the engine's heads are %v, want %v: it skipped a change: %w", got, want, kaijutsu.ErrInvalid))
	}
	return nil
}

// fail makes the editor unusable.
func (e *Editor) fail(err error) error {
	e.broken = fmt.Errorf("the editor has to be opened again: %w", err)
	return err
}

// CommitOptions says who makes a change and when.
type CommitOptions struct {
	// Actor authors the change. One that has made changes in another process,
	// or before a crash, must not be used again.
	Actor kaijutsu.ActorID
	// Seq and StartOp are the change's sequence number and the counter of its
	// first operation; Deps are the heads it is made on.
	Seq, StartOp uint64
	Deps         []kaijutsu.ChangeHash
	// Time is the time of the change, kept in whole seconds.
	Time time.Time
	// Message is kept with the change; at most 64 KiB.
	Message string
	// Model is the read model, with exactly the changes that the editor has.
	Model *Model
}

// Commit runs f and makes one change of what it wrote. It returns the chunk of
// the change, which neither the editor nor anything else has told anybody of,
// or nil when f wrote nothing. The model does not hold the change yet: the
// caller applies it before the next Commit.
//
// All or nothing: when f returns an error or panics, or a write fails, the
// engine takes back what was written and the editor goes on as before. Should
// the change itself turn out wrong, Commit returns an error and the editor has
// to be closed.
func (e *Editor) Commit(opt CommitOptions, f func(*Tx) error) ([]byte, error) {
	if err := e.checkOptions(opt); err != nil {
		return nil, err
	}
	if err := e.engine.setActor(opt.Actor); err != nil {
		return nil, e.fail(fmt.Errorf("set actor %s: %w", opt.Actor, err))
	}
	kept := false
	defer func() {
		if !kept {
			e.engine.rollback()
		}
	}()
	tx := &Tx{engine: e.engine, model: opt.Model, actor: opt.Actor}
	defer func() { tx.over = true }()
	if err := f(tx); err != nil {
		return nil, err
	}
	if tx.failed != nil {
		return nil, tx.failed
	}
	switch n := e.engine.pending(); {
	case n == 0:
		return nil, nil
	case n > amfile.MaxOps:
		return nil, fmt.Errorf("commit %d operations: at most %d make one change: %w", n, amfile.MaxOps, kaijutsu.ErrTooLarge)
	}
	kept = true
	raw, err := e.engine.commit(opt.Message, opt.Time)
	if err != nil {
		return nil, e.fail(fmt.Errorf("commit: %w", err))
	}
	if err := e.checkCommitted(raw, opt); err != nil {
		return nil, e.fail(fmt.Errorf("commit: %w", err))
	}
	return raw, nil
}

func (e *Editor) checkOptions(opt CommitOptions) error {
	switch {
	case e.broken != nil:
		return e.broken
	case len(opt.Actor) == 0 || len(opt.Actor) > amfile.MaxActorBytes:
		return fmt.Errorf("commit: actor id of %d bytes: want 1 to %d: %w", len(opt.Actor), amfile.MaxActorBytes, kaijutsu.ErrInvalid)
	case opt.Time.IsZero():
		return fmt.Errorf("commit: no time: %w", kaijutsu.ErrInvalid)
	case len(opt.Message) > amfile.MaxMessageBytes:
		return fmt.Errorf("commit: message of %d bytes: at most %d: %w", len(opt.Message), amfile.MaxMessageBytes, kaijutsu.ErrTooLarge)
	case !utf8.ValidString(opt.Message):
		return fmt.Errorf("commit: message is not UTF-8: %w", kaijutsu.ErrInvalid)
	case opt.Model == nil:
		return fmt.Errorf("commit: no model: %w", kaijutsu.ErrInvalid)
	case opt.Model.Changes() != e.changes:
		return fmt.Errorf("commit: the model holds %d changes, the editor %d: %w", opt.Model.Changes(), e.changes, kaijutsu.ErrInvalid)
	}
	return nil
}

// checkCommitted holds the engine's change against what was asked for.
func (e *Editor) checkCommitted(raw []byte, opt CommitOptions) error {
	c, err := amfile.DecodeChange(raw)
	if err != nil {
		return fmt.Errorf("decode the engine's change: %w", err)
	}
	switch {
	case c.Author() != opt.Actor:
		return fmt.Errorf("the engine's change is by %s, want %s", c.Author(), opt.Actor)
	case c.Seq != e.applied[opt.Actor]+1:
		return fmt.Errorf("the engine's change has sequence number %d, want %d", c.Seq, e.applied[opt.Actor]+1)
	case c.Time != opt.Time.Unix():
		return fmt.Errorf("the engine's change has time %d, want %d", c.Time, opt.Time.Unix())
	}
	want := e.Heads()
	if own, ok := e.own[opt.Actor]; ok && !want.Contains(own) {
		want = kaijutsu.NewHeads(append(want, own)...) // the engine always names the actor's own last change
	}
	if got := kaijutsu.NewHeads(c.Deps...); !got.Equal(want) {
		return fmt.Errorf("the engine's change depends on %v, want %v", got, want)
	}
	e.note(c.Hash, c.Deps, c.Author(), c.Seq, uint64(len(c.Ops)), len(raw))
	return nil
}
