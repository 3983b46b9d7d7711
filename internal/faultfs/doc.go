// Package faultfs serves a directory through FUSE and breaks it: it fails,
// delays and counts what a process asks of its disk, fills the disk up, flips
// bits, and takes away what was not synced, as a loss of power does. The
// torture runs servers on it.
//
// # What it is
//
// A mount point whose files are those of a backing directory. What is written is
// in the backing directory at once, and so survives the process that wrote it,
// however that ended. What of it would survive the machine is kept account of:
// for each page of 4 KiB that was written since the last fsync of its file what
// it held before, and for each change of a name or a size how to undo it.
//
// Files can be mapped for sharing: the kernel keeps the pages and writes them
// here when it is asked to (msync, fsync), when it likes, and when the last
// descriptor is closed, which happens also to a process that is killed.
//
// # Power loss
//
// PowerLoss makes the backing directory what a disk might hold. Certain is:
//
//   - the content and the length of a file as of its last fsync;
//   - the names that a file had then, and everything else about names and
//     lengths that happened before the newest of these, as a journal holds it;
//   - the names in a directory as of its last fsync, and likewise what happened
//     before.
//
// What happened to names and lengths afterwards is kept up to some moment, and
// what is later is undone: a journal is written in order. Of each page that was
// written afterwards there is the new content, one that it had since the last
// fsync, or that of then; or sectors of 512 bytes of several of these. A file
// that grew by being written to ends anywhere between its old and its new
// length, and pages in it that did not reach the disk are zeros.
//
// With Options.Strict only what POSIX promises is certain: a file's fsync
// says nothing about its name, and the changes in one directory nothing about
// those in another. No file system in common use is that bad; what holds there
// holds everywhere.
//
// It deliberately does not model: barriers that lie, sectors that change
// although nobody wrote to them (see Flip), and several file systems.
//
// # Goroutines and locks
//
// The library's, one per request. What changes files runs one at a time under
// FS.mu; hooks run before and after that, without it, and may block. Unmount
// and PowerLoss wait for all of them.
//
// A process must not open files on a mount point that it serves itself: its
// garbage collector may wait for the kernel, which waits for it.
//
// Linux only, and only for who may mount: root with /dev/fuse.
package faultfs
