package faultfs

import (
	"slices"
)

// change is a change of a name or a length that a loss of power may undo.
type change struct {
	seq     uint64
	inodes  []uint64     // what it belongs to: the directories, or the file with the length
	subject uint64       // the file or directory that has the name or length
	undo    func() error // when all later ones that share an inode are undone
	forever func()       // when it is certain; may be nil
}

// note adds a change that was made.
func (f *FS) note(c *change) {
	f.seq++
	c.seq = f.seq
	f.log = append(f.log, c)
}

// certain is called when an inode was synced: what it was part of, and in a
// journal all that came before, cannot be undone any more.
func (f *FS) certain(inode uint64) {
	last := uint64(0)
	for _, c := range f.log {
		if slices.Contains(c.inodes, inode) || !f.strict && c.subject == inode {
			last = c.seq
		}
	}
	f.log = slices.DeleteFunc(f.log, func(c *change) bool {
		done := c.seq <= last && (!f.strict || slices.Contains(c.inodes, inode))
		if done && c.forever != nil {
			c.forever()
		}
		return done
	})
}

// barrier makes everything certain: a journal may have been written at any
// time.
func (f *FS) barrier() {
	for _, c := range f.log {
		if c.forever != nil {
			c.forever()
		}
	}
	f.log = nil
}

// unwind undoes what is not certain and did not reach the disk, newest first.
func (f *FS) unwind(m mood) error {
	journal := 0 // as far as it was written
	if !f.strict {
		journal = m.cut(len(f.log))
	}
	kept := make(map[uint64]struct{}) // inodes of which a later change is on the disk
	for i, c := range slices.Backward(f.log) {
		keep := i < journal
		if f.strict {
			keep = m.r.Float64() < m.kept
			for _, inode := range c.inodes {
				if _, ok := kept[inode]; ok {
					keep = true
				}
			}
		}
		if !keep {
			if err := c.undo(); err != nil {
				return err
			}
			continue
		}
		for _, inode := range c.inodes {
			kept[inode] = struct{}{}
		}
	}
	f.log = nil
	return nil
}

// cut chooses how many of n changes reached the disk.
func (m mood) cut(n int) int {
	if m.r.Float64() < m.kept {
		return n
	}
	return m.r.IntN(n + 1)
}
