package blocks

import (
	"fmt"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// CommitOptions says who makes a change, when, and on what.
type CommitOptions struct {
	// Actor authors the change. One that has made changes in another process,
	// or before a crash, must not be used again.
	Actor kaijutsu.ActorID
	// Seq is the change's sequence number among the actor's and StartOp the
	// counter of its first operation. Zero means the next one by what the
	// model holds.
	Seq, StartOp uint64
	// Deps are the heads of the document: the changes that the model holds and
	// that no other of them depends on.
	Deps []kaijutsu.ChangeHash
	// Time is the time of the change, kept in whole seconds.
	Time time.Time
	// Message is kept with the change; at most 64 KiB.
	Message string
}

// Commit runs f and makes one change of what it wrote, encoded and with its
// hash; nil when f wrote nothing. The change is not applied: the caller lets
// the document take it first and then calls Apply, before the next Commit. The
// model must hold exactly the changes behind opt.Deps.
//
// All or nothing: when f returns an error or panics, nothing has happened.
func (m *Model) Commit(opt CommitOptions, f func(*Tx) error) (*amfile.Change, error) {
	author := m.actor(opt.Actor)
	if opt.Seq == 0 {
		opt.Seq = m.applied[author] + 1
	}
	if opt.StartOp == 0 {
		opt.StartOp = m.maxOp + 1
	}
	if err := m.checkOptions(opt, author); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	tx := newTx(m, author, opt)
	defer tx.end()
	if err := f(tx); err != nil {
		return nil, err
	}
	if len(tx.ops) == 0 {
		return nil, nil
	}
	c := &amfile.Change{
		Deps:    append([]kaijutsu.ChangeHash(nil), opt.Deps...),
		Actors:  tx.actors,
		Seq:     opt.Seq,
		StartOp: opt.StartOp,
		Time:    opt.Time.Unix(),
		Message: opt.Message,
		Ops:     tx.ops,
	}
	if err := amfile.EncodeChange(c); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	return c, nil
}

func (m *Model) checkOptions(opt CommitOptions, author uint32) error {
	switch {
	case len(opt.Actor) == 0 || len(opt.Actor) > amfile.MaxActorBytes:
		return fmt.Errorf("actor id of %d bytes: want 1 to %d: %w", len(opt.Actor), amfile.MaxActorBytes, kaijutsu.ErrInvalid)
	case opt.Time.IsZero():
		return fmt.Errorf("no time: %w", kaijutsu.ErrInvalid)
	case len(opt.Message) > amfile.MaxMessageBytes:
		return fmt.Errorf("message of %d bytes: at most %d: %w", len(opt.Message), amfile.MaxMessageBytes, kaijutsu.ErrTooLarge)
	case !utf8.ValidString(opt.Message):
		return fmt.Errorf("message is not UTF-8: %w", kaijutsu.ErrInvalid)
	case opt.Seq != m.applied[author]+1:
		return fmt.Errorf("sequence number %d: the model holds %d changes of the actor: %w", opt.Seq, m.applied[author], kaijutsu.ErrInvalid)
	case opt.StartOp <= m.maxOp:
		return fmt.Errorf("first operation %d: the model holds operations up to %d: %w", opt.StartOp, m.maxOp, kaijutsu.ErrInvalid)
	case opt.StartOp > amfile.MaxCounter-maxFileTxOps:
		return fmt.Errorf("first operation %d: there is no room for more: %w", opt.StartOp, kaijutsu.ErrTooLarge)
	case len(opt.Deps) == 0 && m.changes > 0:
		return fmt.Errorf("no dependencies: want the heads of the document: %w", kaijutsu.ErrInvalid)
	}
	return nil
}
