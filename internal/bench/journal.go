package bench

import (
	"slices"
	"sync"
	"time"

	"kaijutsu"
)

// journal knows when each edit was made, and counts until each has arrived
// everywhere. Edits before record count for nothing: they warm up the server.
// It is safe for concurrent use.
type journal struct {
	watchers int // replicas at which an edit arrives

	mu        sync.Mutex
	recording bool
	made      map[kaijutsu.ActorID]*edits
	sealed    bool          // the time to arrive is over
	edits     int           // recorded
	missing   int           // arrivals of recorded edits that are still to come
	closed    bool          // no more edits come
	complete  chan struct{} // closed when closed and nothing is missing

	visible []time.Duration // guarded by mu: what each arrival took
	acked   []time.Duration // guarded by mu: what it took until an edit was stored
}

// edits are the recorded edits of one actor, which is whatever its speech tells
// writers apart by, numbered in order from a first one on.
type edits struct {
	first uint64
	at    []time.Time
	here  []int // arrivals of each
}

func newJournal(watchers int) *journal {
	return &journal{watchers: watchers, made: make(map[kaijutsu.ActorID]*edits), complete: make(chan struct{})}
}

// record counts edits from now on.
func (j *journal) record() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.recording = true
}

// edited notes an edit.
func (j *journal) edited(actor kaijutsu.ActorID, seq uint64, at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.recording {
		return
	}
	e := j.made[actor]
	if e == nil {
		e = &edits{first: seq}
		j.made[actor] = e
	}
	e.at, e.here = append(e.at, at), append(e.here, 0)
	j.edits++
	j.missing += j.watchers
}

// arrived notes that an edit reached a watcher and returns how long that took;
// false for one that is not recorded.
func (j *journal) arrived(actor kaijutsu.ActorID, seq uint64, at time.Time) (time.Duration, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	took, ok := j.sinceLocked(actor, seq, at)
	if ok {
		e := j.made[actor]
		e.here[seq-e.first]++
		j.visible = append(j.visible, took)
		j.missing--
		j.checkLocked()
	}
	return took, ok
}

// stored notes that the writer of an edit was told that the server has it, and
// returns how long that took; false for an edit that is not recorded.
func (j *journal) stored(actor kaijutsu.ActorID, seq uint64, at time.Time) (time.Duration, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	took, ok := j.sinceLocked(actor, seq, at)
	if ok {
		j.acked = append(j.acked, took)
	}
	return took, ok
}

func (j *journal) sinceLocked(actor kaijutsu.ActorID, seq uint64, at time.Time) (time.Duration, bool) {
	e := j.made[actor]
	if e == nil || j.sealed || seq < e.first || seq-e.first >= uint64(len(e.at)) {
		return 0, false
	}
	return at.Sub(e.at[seq-e.first]), true
}

// close says that no more edits come.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	j.checkLocked()
}

func (j *journal) checkLocked() {
	if j.closed && j.missing == 0 {
		select {
		case <-j.complete:
		default:
			close(j.complete)
		}
	}
}

// seal ends the time to arrive: nothing counts from now on. It returns the
// number of edits and, for each arrival that did not happen, how long the edit
// has been waiting for it.
func (j *journal) seal(now time.Time) (edits int, missing []time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sealed = true
	for _, e := range j.made {
		for i, at := range e.at {
			for range j.watchers - e.here[i] {
				missing = append(missing, now.Sub(at))
			}
		}
	}
	return j.edits, missing
}

// samples returns what each arrival of a recorded edit took, and what it took
// until its writer was told that the server has it.
func (j *journal) samples() (visible, stored []time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.visible), slices.Clone(j.acked)
}
