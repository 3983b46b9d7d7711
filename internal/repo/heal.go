package repo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// ErrDamaged says that a document on disk is not what was written. The text is
// for those who want to use it; the cause is in the log and in store.Damaged.
var ErrDamaged = store.ErrDamaged

// unsoundError is about a document that cannot be read as it was written: the
// one that was asked for, or one that it rests on.
type unsoundError struct {
	doc kaijutsu.DocumentID
	err error // names what is damaged
}

func (e *unsoundError) Error() string {
	return fmt.Sprintf("document %s is damaged on this server's disk; it is served again when another node or an editor that holds it has brought it back; hint: kj doctor --mend", e.doc)
}

func (e *unsoundError) Unwrap() []error { return []error{store.ErrDamaged, kaijutsu.ErrUnavailable} }

// unsound says which document an error of reading is about, when it says that
// what is on disk is not what was written. Others it returns as they are.
func unsound(id kaijutsu.DocumentID, err error) error {
	var known *unsoundError
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, store.ErrDamaged), errors.Is(err, kaijutsu.ErrInvalid):
		return &unsoundError{id, err}
	}
	return err
}

// cause returns what an error is about in the words for a log.
func cause(err error) error {
	var u *unsoundError
	if errors.As(err, &u) {
		return fmt.Errorf("document %s: %w", u.doc, u.err)
	}
	return err
}

// read fills in a document, from the bottom of what it rests on.
func (f *filling) read(s *store.Store, id kaijutsu.DocumentID) error {
	return unsound(id, f.readRows(s, id))
}

// damaged notes which document an error says is damaged, if it says so, and has
// it healed.
func (r *Repo) damaged(err error) bool {
	var u *unsoundError
	if !errors.As(err, &u) {
		return false
	}
	if r.cfg.Store.NoteDamage(u.doc, u.err) {
		r.log.Error("document is damaged", "document", u.doc, "err", u.err)
	}
	r.healing.poke()
	return true
}

// Verify reads a document from disk, with what it rests on, and compares its
// changes with their hashes, its counts and its heads. The error wraps
// ErrDamaged when they differ; the document is listed as damaged then, and
// healed if another node holds it. It wraps kaijutsu.ErrNotFound when there is
// no such document. It costs what opening it costs, and disturbs nobody.
func (r *Repo) Verify(ctx context.Context, id kaijutsu.DocumentID) error {
	err := r.verify(ctx, id)
	var u *unsoundError
	switch {
	case err == nil:
		r.cfg.Store.NoteSound(id)
	case errors.As(err, &u):
		r.damaged(err)
		return fmt.Errorf("verify document %s: %w: %w", id, cause(err), ErrDamaged)
	}
	return err
}

func (r *Repo) verify(ctx context.Context, id kaijutsu.DocumentID) error {
	release, err := r.takeApart(r.quit)
	if err != nil {
		return err
	}
	defer release()
	for tries := 0; ; tries++ {
		err := r.guarded(id, "verifying", func() error { return newFilling().read(r.cfg.Store, id) })
		if !errors.Is(err, errBaseGone) || tries > 0 { // it was made whole between two reads
			return errors.Join(err, ctx.Err())
		}
	}
}

// healing is what the healer goes by.
type healing struct {
	wake chan struct{} // a document was found damaged
	one  sync.Mutex    // held while a document is mended

	healed, unhealed atomic.Int64

	mu    sync.Mutex
	tried map[kaijutsu.DocumentID]attempt // guarded by mu
}

// attempt is when a document was last tried to be healed in vain, and how
// often.
type attempt struct {
	at    time.Time
	times int
}

func (h *healing) poke() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

const (
	healAgain    = 2 * time.Second // until the second attempt, and twice as long until the next
	healAgainMax = 10 * time.Minute
)

// due reports whether to try a document now.
func (h *healing) due(id kaijutsu.DocumentID, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.tried[id]
	return !ok || now.Sub(t.at) >= min(healAgain<<min(t.times, 10), healAgainMax)
}

func (h *healing) note(id kaijutsu.DocumentID, now time.Time, healed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if healed {
		delete(h.tried, id)
		return
	}
	if h.tried == nil {
		h.tried = make(map[kaijutsu.DocumentID]attempt)
	}
	h.tried[id] = attempt{now, h.tried[id].times + 1}
}

// heal mends, as long as the repo is open, the documents that are listed as
// damaged and that are in memory as they were or that another node holds.
func (r *Repo) heal() {
	tick := time.NewTicker(healAgain)
	defer tick.Stop()
	for {
		select {
		case <-r.healing.wake:
		case <-tick.C:
		case <-r.quit:
			return
		}
		for _, damage := range r.cfg.Store.Damaged() {
			if r.life.Err() != nil {
				return
			}
			if now := r.cfg.Now(); r.healing.due(damage.Doc, now) {
				r.healing.note(damage.Doc, now, r.healOne(damage.Doc))
			}
		}
	}
}

// healOne reports whether a document need not be tried again.
func (r *Repo) healOne(id kaijutsu.DocumentID) bool {
	if r.cfg.Store.Trouble() != nil {
		return false
	}
	if r.verify(r.life, id) == nil { // its table was repaired
		r.cfg.Store.NoteSound(id)
		return true
	}
	if !r.isOpen(id) && (r.cfg.Elsewhere == nil || !r.cfg.Elsewhere(r.life, id)) {
		return false
	}
	mended, err := r.mendWhole(r.life, id)
	if errors.Is(err, errNowhere) {
		return false
	}
	if err != nil {
		r.healing.unhealed.Add(1)
		if r.life.Err() == nil {
			r.log.Warn("damaged document not mended", "document", id, "err", err)
		}
		return errors.Is(err, kaijutsu.ErrNotFound)
	}
	if mended.Short {
		return !r.lost(id) // until somebody brings the rest
	}
	return true
}

func (r *Repo) lost(id kaijutsu.DocumentID) bool {
	_, err := r.cfg.Store.Info(r.life, id)
	return err != nil
}
