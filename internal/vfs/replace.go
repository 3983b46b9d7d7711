package vfs

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"

	"kaijutsu"
)

// Replace makes data the whole of a file if what the file holds is what the
// caller expects. It asks before, and again for what really came out when the
// new file took its place; an error of that, or of after, which is called when
// the new file is in place, puts back what was there and is returned. after may
// be nil. Neither may call the Folder's own writing methods.
//
// expect gets what the file holds, its stamp, and whether there is a file; it
// is called any number of times, and the last counts.
//
// Beside other programs this holds. What they rename into the place is never
// lost, at no moment: it stays, or comes out and is judged. What they write
// into the file while it is replaced is noticed on Linux, where a file that
// somebody has open for writing is put back (by a read lease, fcntl(2)
// F_SETLEASE); that is kaijutsu.ErrConflict: try again later. When they wrote
// into the new file before it could be taken back, it stays, and the error is
// a *Displaced with what was there before. It is not noticed when a program
// that had not yet opened the file at all, but had looked its name up, gets to
// it after it was replaced: no system can tell.
//
// A link, at the name or on the way, is refused with kaijutsu.ErrConflict, a
// directory with ErrIsDirectory. Directories that are missing are made.
// perm is for a new file, less the umask; 0 stands for 0666; a file that was
// there keeps its permissions. The stamp returned is the new file's. Where the
// file system cannot exchange files the file is looked at, then replaced; so it
// is on other systems than Linux.
func (f *Folder) Replace(name string, data []byte, perm fs.FileMode, expect func(old []byte, st Stamp, exists bool) error, after func() error) (Stamp, error) {
	name, err := swapName("replace", name)
	if err != nil {
		return Stamp{}, err
	}
	if perm == 0 {
		perm = 0o666
	}
	info, err := f.put(replacement{
		name: name, data: data, compare: true, makes: true,
		mode: func(old fs.FileMode, exists bool) fs.FileMode {
			if exists {
				return old
			}
			return perm.Perm()
		},
		expect: func(s seen) error { return expect(s.data, s.stamp, s.exists) },
		after:  after,
	})
	if err != nil {
		return Stamp{}, err
	}
	return StampOf(info), nil
}

// RemoveIf removes a file if what it holds is what the caller expects, as
// Replace replaces it. Where there is no file, expect is asked about that, and
// its answer returned. Directories stay, empty or not.
func (f *Folder) RemoveIf(name string, expect func(old []byte, st Stamp, exists bool) error) error {
	name, err := swapName("remove", name)
	if err != nil {
		return err
	}
	return f.take(name, func(s seen) error { return expect(s.data, s.stamp, s.exists) })
}

func swapName(doing, name string) (string, error) {
	name, err := Clean(name)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", doing, err)
	case name == ".":
		return "", fmt.Errorf("%s %q: %w", doing, name, ErrIsDirectory)
	}
	return name, nil
}

// replacement is one file to be written.
type replacement struct {
	name    string // clean
	data    []byte
	follow  bool // links on the way are followed, within the folder
	makes   bool // directories that are missing are made
	compare bool // expect wants to see the data
	// mode returns the permissions of the new file from those of the old.
	mode   func(old fs.FileMode, exists bool) fs.FileMode
	expect func(seen) error
	after  func() error // may be nil
}

// seen is what stands, or stood, at a name.
type seen struct {
	exists bool
	stamp  Stamp
	mode   fs.FileMode
	owner  owner  // where the system has it
	data   []byte // where it is compared
}

// owner is who a file belongs to.
type owner struct{ uid, gid int }

// errBusy is returned when somebody writes to the file.
func errBusy(name string) error {
	return fmt.Errorf("replace %q: another program is writing to it; try again: %w", name, kaijutsu.ErrConflict)
}

// errRestless is returned when every try met another change.
func errRestless(name string) error {
	return fmt.Errorf("replace %q: it changes all the time; try again: %w", name, kaijutsu.ErrConflict)
}

// tries is how often it is begun anew because a file came or went in between.
const tries = 16

// tempName returns a name that nobody has, hidden where directories are shown.
func tempName() string {
	var b [12]byte
	rand.Read(b[:])
	return ".kaijutsu-" + hex.EncodeToString(b[:]) + ".tmp"
}

// writeAll writes a file and returns the first error.
func writeAll(file *os.File, data []byte) error {
	_, err := file.Write(data)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
