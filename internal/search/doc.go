// Package search finds blocks by regular expression in every context, and the
// contexts that hold a block, without opening documents.
//
// # What holds
//
// A search finds what was committed before it began: documents that were
// touched since are read first. What it returns it has compared with the
// expression itself; the index only says which blocks are worth comparing, and
// never leaves out one that matches. Matches come by document id, then in
// document order, then by line. Deleted blocks, and what hangs below them, are
// not found.
//
// # How
//
// The index holds, for every run of three characters (case folded) that occurs
// in a block, the numbers of the blocks it occurs in. From an expression
// follow the runs that each of its matches must contain. A block gets a new
// number when its content changes; the old number is dead until the index is
// compacted.
//
// # Files
//
// Everything in Dir is a cache and may be deleted while the index is closed.
// text-N holds the contents of the blocks; index holds the rest: documents and
// their heads, blocks, runs. The index file is written anew every few minutes
// and by Close, whole and with a checksum, and replaces the one before it at
// once. When it is missing or damaged everything is read again in the
// background; documents whose heads in the store are not those in the file are
// read again in any case. Contents carry checksums of their own.
//
// # Goroutines
//
// One worker, started by Start and ended by Close: it alone changes the tables
// and writes the files. Note only marks what was touched. Searches read the
// tables under a lock and compare contents outside of it.
//
// # What it does not do
//
// It does not rank, stem or correct; it does not decide who may read what (the
// caller's May does); and it is never the truth: what it cannot read it names.
package search
