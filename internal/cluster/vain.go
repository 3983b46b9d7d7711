package cluster

import (
	"time"

	"kaijutsu"
)

// fruitless is an attempt to get a document that brought nothing: it is not
// repeated soon while both sides hold what they held.
type fruitless struct {
	theirs, ours uint64
	until        time.Time
	wait         time.Duration
}

// attempt notes that a document is asked for. Unless something changes, the
// next time is later.
func (h *healer) attempt(doc kaijutsu.DocumentID, theirs, own uint64, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.fruitless) >= fruitlessMax {
		clear(h.fruitless)
	}
	f := h.fruitless[doc]
	if f.theirs != theirs || f.ours != own {
		f = fruitless{theirs: theirs, ours: own}
	}
	f.wait = min(max(2*f.wait, 2*time.Second), 10*time.Minute)
	f.until = now.Add(f.wait)
	h.fruitless[doc] = f
}

// vain reports whether asking for a document has just brought nothing.
func (h *healer) vain(doc kaijutsu.DocumentID, theirs, own uint64, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.fruitless[doc]
	return ok && f.theirs == theirs && f.ours == own && now.Before(f.until)
}
