package blocks

import (
	"sort"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// memoryLog is a Log of decoded changes.
type memoryLog struct {
	changes []*amfile.Change
	index   map[kaijutsu.ChangeHash]int
	by      map[kaijutsu.ActorID][]int
}

func newMemoryLog(changes ...*amfile.Change) *memoryLog {
	l := &memoryLog{index: make(map[kaijutsu.ChangeHash]int), by: make(map[kaijutsu.ActorID][]int)}
	for _, c := range changes {
		l.add(c)
	}
	return l
}

func (l *memoryLog) add(c *amfile.Change) {
	l.index[c.Hash] = len(l.changes)
	l.by[c.Author()] = append(l.by[c.Author()], len(l.changes))
	l.changes = append(l.changes, c)
}

func (l *memoryLog) Len() int                             { return len(l.changes) }
func (l *memoryLog) Change(i int) (*amfile.Change, error) { return l.changes[i], nil }
func (l *memoryLog) Hash(i int) kaijutsu.ChangeHash       { return l.changes[i].Hash }

func (l *memoryLog) Index(h kaijutsu.ChangeHash) (int, bool) {
	i, ok := l.index[h]
	return i, ok
}

func (l *memoryLog) Find(actor kaijutsu.ActorID, counter uint64) (int, bool) {
	by := l.by[actor]
	k := sort.Search(len(by), func(k int) bool { return l.changes[by[k]].StartOp > counter })
	if k == 0 || counter > l.changes[by[k-1]].MaxOp() {
		return 0, false
	}
	return by[k-1], true
}
