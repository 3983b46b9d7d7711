package changegraph

import (
	"encoding/binary"
	"math/rand/v2"

	"kaijutsu"
)

// table finds the log index of a hash: open addressing over a slice of
// indexes, the hashes themselves being in the log. Four bytes a slot instead of
// the fifty or so of a map entry. The seed keeps strangers, who may choose
// hashes by trial, from choosing slots.
type table struct {
	slots []int32 // index+1; 0 is free
	used  int
	seed  uint64
}

func newTable() table { return table{seed: rand.Uint64()} }

func (t *table) slot(h *kaijutsu.ChangeHash) int {
	x := (binary.LittleEndian.Uint64(h[:8]) ^ t.seed) * 0x9e3779b97f4a7c15
	x ^= binary.LittleEndian.Uint64(h[8:16])
	x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
	return int(x>>32) & (len(t.slots) - 1)
}

// find returns the index of h in the log.
func (t *table) find(log []node, h *kaijutsu.ChangeHash) (int32, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	for s := t.slot(h); ; s = (s + 1) & (len(t.slots) - 1) {
		i := t.slots[s] - 1
		if i < 0 {
			return 0, false
		}
		if log[i].hash == *h {
			return i, true
		}
	}
}

// add notes the last entry of the log, whose hash is not in the table.
func (t *table) add(log []node) {
	if t.used*4 >= len(t.slots)*3 {
		t.rebuild(log)
		return
	}
	t.place(log, len(log)-1)
}

// rebuild makes the table hold the whole log and nothing else.
func (t *table) rebuild(log []node) {
	size := 8
	for size*2 < len(log)*3 {
		size *= 2
	}
	t.slots, t.used = make([]int32, size), 0
	for i := range log {
		t.place(log, i)
	}
}

func (t *table) place(log []node, i int) {
	s := t.slot(&log[i].hash)
	for t.slots[s] != 0 {
		s = (s + 1) & (len(t.slots) - 1)
	}
	t.slots[s] = int32(i) + 1
	t.used++
}

func (t *table) bytes() int64 { return int64(cap(t.slots)) * 4 }
