package cluster

import (
	"hash/maphash"
	"sync"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

// recentMax is how many changes each half of recent remembers.
const recentMax = 1 << 16

// recent remembers changes that were put on disk lately, so that the second
// copy of a change, which almost every change has, is dropped without asking
// anybody. It may forget, and mistakes one in 2^64 for known, which comparing
// digests finds.
type recent struct {
	seed maphash.Seed

	mu       sync.Mutex
	new, old map[uint64]struct{}
}

func newRecent() *recent {
	return &recent{seed: maphash.MakeSeed(), new: make(map[uint64]struct{})}
}

type changeOf struct {
	doc  kaijutsu.DocumentID
	hash kaijutsu.ChangeHash
}

func (r *recent) add(doc kaijutsu.DocumentID, hashes []kaijutsu.ChangeHash) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range hashes {
		r.addLocked(doc, h)
	}
}

func (r *recent) addChanges(doc kaijutsu.DocumentID, changes []repo.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range changes {
		r.addLocked(doc, changes[i].Hash)
	}
}

func (r *recent) addLocked(doc kaijutsu.DocumentID, h kaijutsu.ChangeHash) {
	if len(r.new) >= recentMax {
		r.old, r.new = r.new, make(map[uint64]struct{}, recentMax)
	}
	r.new[maphash.Comparable(r.seed, changeOf{doc, h})] = struct{}{}
}

// unknown calls f with the index of each hash that is not remembered.
func (r *recent) unknown(doc kaijutsu.DocumentID, hashes []kaijutsu.ChangeHash, f func(i int)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, h := range hashes {
		key := maphash.Comparable(r.seed, changeOf{doc, h})
		if _, ok := r.new[key]; ok {
			continue
		}
		if _, ok := r.old[key]; !ok {
			f(i)
		}
	}
}

// holdsAll reports whether every hash is remembered.
func (r *recent) holdsAll(doc kaijutsu.DocumentID, hashes []kaijutsu.ChangeHash) bool {
	all := true
	r.unknown(doc, hashes, func(int) { all = false })
	return all
}
