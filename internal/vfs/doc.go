// Package vfs is the file tree of a kernel: a table of mounts, and two of the
// things that can be mounted, memory and a folder of the disk.
//
// # What holds
//
// The mount that a path is below decides, compared by whole components; the
// deepest one wins. What is above mounts and in no mount is listed and
// described, and cannot be changed. A mount that is read only refuses every
// change. Nothing is renamed from one mount into another.
//
// Nothing outside of a folder is read, created, changed, removed or described,
// whatever the name and however the folder changes meanwhile. Names are
// checked by Clean before they get to the disk; every step below the folder is
// made from an open directory (os.Root, or openat without following). Links
// whose target is in the folder are followed by Read, Search's start and the
// directories of a path; what a link at the end of a path names is never
// written, and the link is never replaced by a file. Only regular files are
// opened: not directories, pipes, sockets or devices.
//
// A file is written whole, beside the tree or under a hidden name, and then
// takes its place in one step: readers see the old bytes or the new ones. It
// is not synced to the disk. Permissions are kept, and the owner where the
// system allows; hard links and extended attributes are not.
//
// Replace and RemoveIf compare and swap: what they took away they look at
// afterwards, and put it back when it is not what was expected. See
// Folder.Replace for what that means beside other programs.
//
// # Limits
//
// Names have at most 4,096 bytes and 255 a component; files that are read
// whole, what the caller says and 64 MiB when it says nothing; directories
// 100,000 entries; searches, 10 s.
//
// # Goroutines
//
// None. Everything is safe for concurrent use.
//
// # What it does not do
//
// It does not know who may do what (the principal of a change is passed on),
// does not watch the disk, knows nothing of git, and keeps no file locked.
package vfs
