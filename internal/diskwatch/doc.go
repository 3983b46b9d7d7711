// Package diskwatch tells which of the files that somebody watches may have
// changed on the disk: at once by what the operating system says (fsnotify, on
// the directories of the files), and at the latest at the next rescan by their
// stamps, which finds what the system did not say: its queue ran over, it has
// no watch left, the file system is not local, a directory above was replaced.
//
// # What holds
//
// After Add has returned, every change of the file is followed by its name in
// Events: within some 10 ms where the system says so, otherwise after the next
// rescan, or of more than 2,000 files one of the next. What neither the system says nor a stamp shows (size, times,
// inode and permissions as they were) is not noticed. Names are merged until
// they are taken: nothing is dropped, and a slow reader holds nobody up. A name
// may come though nothing changed. What a file holds is not looked at.
//
// Watches are put on directories, not on files, so that a file that is saved
// by renaming another over it stays watched. A directory that is missing is
// waited for at the nearest one above it that is there.
//
// # Goroutines
//
// Two, started by Open and ended by Close: one takes what the system says and
// only marks names; the other rescans, puts watches on directories and hands
// out names.
//
// # What it does not do
//
// It does not walk directories or find new files: it looks at the files it was
// given. It keeps nothing on the disk.
package diskwatch
