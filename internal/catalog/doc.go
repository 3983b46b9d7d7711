// Package catalog is every operation of the system, one file for each: what
// goes in, what comes out, what it is called and what it does. Adding an
// operation adds a file and a line in catalog.go; every door has it then.
//
// An operation here checks what the schema of its parameters cannot say, finds
// the context and the block through the kernel, which also says whether the
// caller may, and leaves the work to the package that knows: blocks, search,
// interchange, textdiff, access, courier, provenance, policy, link, mounts. It
// holds no state, starts no goroutine and stores nothing.
//
// What is the same everywhere: a context may be left out, and is then the one
// of the call; a block is found by its id alone. Positions and lengths are
// Unicode code points; lines count from 0 and ranges end before their end, but
// for citations and files, whose lines count from 1 and end with their end. An
// operation that writes makes one change, or none and an error. Every parameter
// is read: one that could not count is refused.
package catalog
