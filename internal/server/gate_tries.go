package server

import (
	"cmp"
	"sync"
	"time"
)

const (
	// maxTries is how many wrong tokens one address may give within triesWindow
	// on the page, and maxGuesses anywhere.
	maxTries    = 10
	maxGuesses  = 100
	triesWindow = time.Minute
	// maxTriers bounds for how many addresses that is remembered; above it,
	// those who are not remembered share one count.
	maxTriers = 10_000
)

// tries counts wrong tokens, by where they came from. The zero value is ready.
// It is safe for concurrent use. A token is not to be guessed; this keeps who
// tries from filling logs and disks.
type tries struct {
	most int // 0: maxTries

	mu   sync.Mutex
	from map[string]*tried
}

type tried struct {
	count int
	since time.Time // when the first of these was
}

// allow reports whether an address may try another token.
func (t *tries) allow(from string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.from[t.keyLocked(from)]
	return at == nil || now.Sub(at.since) >= triesWindow || at.count < cmp.Or(t.most, maxTries)
}

// failed counts a wrong token.
func (t *tries) failed(from string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.from == nil {
		t.from = make(map[string]*tried)
	}
	if len(t.from) >= maxTriers {
		for name, at := range t.from {
			if now.Sub(at.since) >= triesWindow {
				delete(t.from, name)
			}
		}
	}
	key := t.keyLocked(from)
	at := t.from[key]
	if at == nil || now.Sub(at.since) >= triesWindow {
		at = &tried{since: now}
		t.from[key] = at
	}
	at.count++
}

// keyLocked is under what name an address is counted.
func (t *tries) keyLocked(from string) string {
	if t.from[from] == nil && len(t.from) >= maxTriers {
		return ""
	}
	return from
}
