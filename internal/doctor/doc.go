// Package doctor looks a server over and says what is wrong with it, why that
// matters and how to mend it; what is safe it mends itself when asked to.
//
// Examine looks at the data directory of a server that does not run: files and
// their permissions, the disk, the lock, the store with every table, document
// and record, the quarantine, caches, worktrees, certificates, and when it was
// backed up. Ask does the same through the operations of a server that runs, and
// looks only at files itself.
//
// # What holds
//
// Without Options.Mend nothing is changed, but for what opening a store does.
// Mending destroys nothing that anybody wrote: a damaged document is set aside
// into a file, permissions are narrowed, caches are deleted because they are
// made anew.
//
// It has no goroutines of its own and stores nothing.
package doctor
