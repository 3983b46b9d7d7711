package access

import (
	"sync"
	"time"
)

// watch is somebody who wants to know when a token ends.
type watch struct {
	once  sync.Once
	f     func()
	timer *time.Timer // nil: the token does not expire
}

func (w *watch) end() { w.once.Do(w.f) }

// Watch calls f, once and in another goroutine's time, when the token is
// revoked or expires; at once when it is gone already. f must return at once.
// The caller calls stop when it does not care any more; f may be under way
// then.
func (t *Table) Watch(tokenID string, f func()) (stop func()) {
	w := &watch{f: f}
	t.mu.Lock()
	k := t.tokens[tokenID]
	if k == nil {
		t.mu.Unlock()
		w.end()
		return func() {}
	}
	if t.watches[tokenID] == nil {
		t.watches[tokenID] = make(map[*watch]struct{})
	}
	t.watches[tokenID][w] = struct{}{}
	if !k.Expires.IsZero() {
		w.timer = time.AfterFunc(k.Expires.Sub(t.now()), w.end)
	}
	t.mu.Unlock()
	return func() {
		if w.timer != nil {
			w.timer.Stop()
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watches[tokenID], w)
		if len(t.watches[tokenID]) == 0 {
			delete(t.watches, tokenID)
		}
	}
}
