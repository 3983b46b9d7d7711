package torture

import (
	"sync"
	"time"

	"kaijutsu"
)

// ledger is what was acknowledged, written down outside of every server. It is
// safe for concurrent use.
type ledger struct {
	mu    sync.Mutex
	acked map[kaijutsu.DocumentID]map[kaijutsu.ChangeHash]string // by whom
	marks map[kaijutsu.DocumentID]map[string]bool                // true: acknowledged; false: tried, outcome unknown
	edits map[string]int                                         // acknowledged, by sort of writer
	took  []acknowledgement
}

// acknowledgement is one wait of a writer.
type acknowledgement struct {
	node string
	at   time.Time // when it was there
	took time.Duration
}

func newLedger() *ledger {
	return &ledger{
		acked: make(map[kaijutsu.DocumentID]map[kaijutsu.ChangeHash]string),
		marks: make(map[kaijutsu.DocumentID]map[string]bool),
		edits: make(map[string]int),
	}
}

// ack notes an acknowledged change. A change counts once, whoever hears of it.
func (l *ledger) ack(doc kaijutsu.DocumentID, h kaijutsu.ChangeHash, sort, by string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.acked[doc]
	if m == nil {
		m = make(map[kaijutsu.ChangeHash]string)
		l.acked[doc] = m
	}
	if _, known := m[h]; !known {
		m[h] = by
		l.edits[sort]++
	}
}

// mark notes that a mark was written into a text, or that somebody tried to.
func (l *ledger) mark(doc kaijutsu.DocumentID, mark string, acked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.marks[doc]
	if m == nil {
		m = make(map[string]bool)
		l.marks[doc] = m
	}
	m[mark] = m[mark] || acked
}

// waited notes how long an acknowledgement took.
func (l *ledger) waited(node string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, acknowledgement{node, time.Now(), took})
}

// total returns how many changes were acknowledged so far.
func (l *ledger) total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, m := range l.acked {
		n += len(m)
	}
	return n
}

// between counts the acknowledgements of each node in a stretch of time, and
// returns the longest wait that ended in it.
func (l *ledger) between(from, to time.Time) (n map[string]int, longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = make(map[string]int)
	for _, a := range l.took {
		if !a.at.Before(from) && a.at.Before(to) {
			n[a.node]++
			longest = max(longest, a.took)
		}
	}
	return n, longest
}
