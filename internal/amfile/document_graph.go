package amfile

import (
	"cmp"
	"encoding/binary"
	"slices"

	"kaijutsu"
)

// graph returns the indexes of the dependencies of all changes, and of the heads.
func (e *documentEncoder) graph() (deps, heads []uint32, err error) {
	if len(e.changes) > MaxDocumentChanges {
		return nil, nil, tooLarge(5, "%d changes: want at most %d", len(e.changes), MaxDocumentChanges)
	}
	table := newHashTable(e.changes)
	if i, j, twice := table.repeated(); twice {
		return nil, nil, broken(6, "changes %d and %d are the same", i, j)
	}
	inner := make([]bool, len(e.changes))
	history := 0
	for i, c := range e.changes {
		for _, hash := range c.Deps {
			dep, ok := table.findBefore(uint32(i), hash)
			if !ok {
				return nil, nil, broken(10, "change %d depends on %s, which is not before it", i, hash)
			}
			inner[dep] = true
			deps = append(deps, dep)
		}
		history += len(c.Raw)
	}
	if len(deps) > MaxDocumentDeps || history > MaxDocumentHistoryBytes {
		return nil, nil, tooLarge(5, "%d dependencies, changes of %d bytes", len(deps), history)
	}
	for i, has := range inner {
		if !has {
			heads = append(heads, uint32(i))
		}
	}
	return deps, heads, nil
}

// hashTable finds changes by hash: their indexes, sorted by it.
type hashTable struct {
	changes []*Change
	entries []hashEntry
}

type hashEntry struct {
	front uint64 // the first bytes of the hash
	index uint32
}

func newHashTable(changes []*Change) *hashTable {
	t := &hashTable{changes, make([]hashEntry, len(changes))}
	for i, c := range changes {
		t.entries[i] = hashEntry{binary.BigEndian.Uint64(c.Hash[:]), uint32(i)}
	}
	slices.SortFunc(t.entries, func(a, b hashEntry) int {
		if c := cmp.Compare(a.front, b.front); c != 0 {
			return c
		}
		return t.changes[a.index].Hash.Compare(t.changes[b.index].Hash)
	})
	return t
}

// repeated returns two changes that have one hash, if there are any.
func (t *hashTable) repeated() (i, j uint32, twice bool) {
	for k := 1; k < len(t.entries); k++ {
		a, b := t.entries[k-1], t.entries[k]
		if a.front == b.front && t.changes[a.index].Hash == t.changes[b.index].Hash {
			return a.index, b.index, true
		}
	}
	return 0, 0, false
}

// findBefore returns the index of the change with this hash, if it is less
// than i.
func (t *hashTable) findBefore(i uint32, hash kaijutsu.ChangeHash) (uint32, bool) {
	if i > 0 && t.changes[i-1].Hash == hash { // as mostly
		return i - 1, true
	}
	front := binary.BigEndian.Uint64(hash[:])
	place, found := slices.BinarySearchFunc(t.entries, hash, func(entry hashEntry, hash kaijutsu.ChangeHash) int {
		if c := cmp.Compare(entry.front, front); c != 0 {
			return c
		}
		return t.changes[entry.index].Hash.Compare(hash)
	})
	if !found || t.entries[place].index >= i {
		return 0, false
	}
	return t.entries[place].index, true
}
