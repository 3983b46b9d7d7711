package access

import (
	"crypto/sha256"
	"sync"
	"time"

	"kaijutsu/internal/planted"
)

// watch is somebody who wants to know when a token ends.
type watch struct {
	hash  [sha256.Size]byte // of the secret it came with
	once  sync.Once
	f     func()
	timer *time.Timer // nil: the token does not end by itself; guarded by Table.mu
}

func (w *watch) end() { w.once.Do(w.f) }

// Watch calls f, once and in another goroutine's time, when the token that
// identified somebody is revoked or expires, or the secret of it that was shown
// does after a rotation; at once when it is gone already. f must return at once.
// The caller calls stop when it does not care any more; f may be under way
// then.
func (t *Table) Watch(id Identity, f func()) (stop func()) {
	w := &watch{hash: id.hash, f: f}
	t.mu.Lock()
	k := t.tokens[id.TokenID]
	if k == nil || !t.timeLocked(w, k) {
		t.mu.Unlock()
		w.end()
		return func() {}
	}
	if t.watches[k.ID] == nil {
		t.watches[k.ID] = make(map[*watch]struct{})
	}
	t.watches[k.ID][w] = struct{}{}
	t.mu.Unlock()
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if w.timer != nil {
			w.timer.Stop()
		}
		delete(t.watches[id.TokenID], w)
		if len(t.watches[id.TokenID]) == 0 {
			delete(t.watches, id.TokenID)
		}
	}
}

// timeLocked has a watch end with its token and with its secret. It reports
// whether the secret is one of the token's.
func (t *Table) timeLocked(w *watch, k *token) bool {
	ends := k.Expires
	switch w.hash {
	case k.hash:
	case k.former:
		if k.Former.IsZero() {
			return false
		}
		if ends.IsZero() || k.Former.Before(ends) {
			ends = k.Former
		}
	default:
		return false
	}
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	if !ends.IsZero() {
		w.timer = time.AfterFunc(ends.Sub(t.now()), w.end)
	}
	return true
}

// endLocked returns what those want done who watch a token that is another now,
// or gone when next is nil; who may go on is not told.
func (t *Table) endLocked(was, next *token) []func() {
	same := next != nil && next.Principal.Name == was.Principal.Name && next.Scope.equal(was.Scope)
	var ended []func()
	for w := range t.watches[was.ID] {
		if planted.On("stale-right") {
			break
		}
		if !same || !t.timeLocked(w, next) {
			ended = append(ended, w.end)
		}
	}
	return ended
}
