package repo

import (
	"fmt"
	"log/slog"
	"os"
	"sync"

	"kaijutsu"
)

// marks say, in a file, which documents are being worked on, and with which
// changes that are not on disk. They are written without an fsync: they are for
// the death of this process, which the pages of the file survive. What they name
// is examined before it is worked on again.
//
// The file has slots of a fixed size. One holds a byte that says whether it is
// used, the length of the document's id and the id, the number of hashes, and
// the hashes.
type marks struct {
	file *os.File // nil: there are none
	log  *slog.Logger

	found []marked // what the last process left

	mu   sync.Mutex
	free []int // slots; guarded by mu
	next int   // the first that was never used; guarded by mu
}

// marked is a document that was being worked on.
type marked struct {
	doc     kaijutsu.DocumentID
	changes []kaijutsu.ChangeHash
}

const (
	slotBytes  = 4096
	slotHead   = 36
	slotHashes = (slotBytes - slotHead) / len(kaijutsu.ChangeHash{})
	maxSlots   = 1024 // more documents at work at a time are not marked
)

// openMarks reads what the last process left, and begins anew. Without a path,
// or when the file cannot be had, there are no marks.
func openMarks(log *slog.Logger, path string) *marks {
	m := &marks{log: log}
	if path == "" {
		return m
	}
	if old, err := os.ReadFile(path); err == nil {
		m.found = readMarks(old[:min(len(old), maxSlots*slotBytes)])
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		log.Warn("documents are worked on without marks", "err", err)
		return m
	}
	m.file = f
	return m
}

func readMarks(b []byte) []marked {
	var all []marked
	for ; len(b) >= slotHead; b = b[min(len(b), slotBytes):] {
		idLen, n := int(b[1]), int(b[2])
		if b[0] != 1 || idLen > 32 || n > slotHashes || slotHead+n*32 > len(b) {
			continue
		}
		id, err := kaijutsu.DocumentIDFromBytes(b[3 : 3+idLen])
		if err != nil {
			continue
		}
		w := marked{doc: id}
		for k := range n {
			w.changes = append(w.changes, kaijutsu.ChangeHash(b[slotHead+32*k:]))
		}
		all = append(all, w)
	}
	return all
}

// set marks a document, and returns the slot, -1 for none.
func (m *marks) set(id kaijutsu.DocumentID, changes []kaijutsu.ChangeHash) int {
	if m.file == nil {
		return -1
	}
	m.mu.Lock()
	slot := m.next
	if n := len(m.free); n > 0 {
		slot, m.free = m.free[n-1], m.free[:n-1]
	} else if m.next < maxSlots {
		m.next++
	} else {
		m.mu.Unlock()
		return -1
	}
	m.mu.Unlock()
	changes = changes[:min(len(changes), slotHashes)]
	b := make([]byte, slotHead, slotHead+32*len(changes))
	b[0], b[1], b[2] = 1, byte(len(id.Bytes())), byte(len(changes))
	copy(b[3:], id.Bytes())
	for i := range changes {
		b = append(b, changes[i][:]...)
	}
	_, _ = m.file.WriteAt(b, int64(slot)*slotBytes) // without it the document is worked on all the same
	return slot
}

// clear takes the mark in a slot away.
func (m *marks) clear(slot int) {
	if slot < 0 {
		return
	}
	_, _ = m.file.WriteAt([]byte{0}, int64(slot)*slotBytes)
	m.mu.Lock()
	m.free = append(m.free, slot)
	m.mu.Unlock()
}

func (m *marks) close() {
	if m.file == nil {
		return
	}
	if err := m.file.Close(); err != nil {
		m.log.Warn("marks not closed", "err", fmt.Errorf("close %s: %w", m.file.Name(), err))
	}
}

// mark marks the document for a batch that works on data.
func (d *document) mark(batch []request) {
	if d.repo.marks.file == nil {
		return
	}
	var changes []kaijutsu.ChangeHash
	works := false
	note := func(hash kaijutsu.ChangeHash) {
		if works = true; len(changes) < slotHashes {
			changes = append(changes, hash)
		}
	}
	for _, r := range batch {
		switch r := r.(type) {
		case receive:
			for _, c := range r.changes {
				note(c.Hash)
			}
		case absorb:
			for _, c := range r.changes {
				note(c.Hash)
			}
		case edit, call:
			works = true
		}
	}
	if works {
		d.slot = d.repo.marks.set(d.id, changes)
	}
}

func (d *document) unmark() {
	d.repo.marks.clear(d.slot)
	d.slot = -1
}
