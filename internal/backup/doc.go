// Package backup takes the documents and records of a store to files and back,
// while a server runs.
//
// # What holds
//
// A run of a backup is the whole store at one moment: every document, record
// and deletion, and with it every edit that was acknowledged before the run
// began. A run is there as a whole or not at all: its directory gets its name
// when everything in it is on disk. Every file of a run has its SHA-256 in the
// run's manifest, and the manifest its own; what does not match is not restored.
//
// A document is compared after it was restored: all change hashes are computed
// anew from the bytes, and the heads that come out, the count of changes, what
// the document rests on, its anchor and who its actors are must be those of the
// index. The heads are hashes over everything they depend on, so nothing can be
// missing below them.
//
// # Ways
//
// Send writes a moment of a store as a stream, of which the receiver says what
// it has; Take makes a run of a stream; Restore makes a data directory of a run;
// Compare holds a store against a run. Between Send and Take there is a pipe or
// an HTTP request.
//
// # Files
//
// A backup is a directory, or one tar file with the same files in it:
//
//	lock                        held while a run is taken
//	run-000007/manifest.json    of the run: what, whose, when, and all files that it needs, of its own and of runs before it
//	run-000007/index.zst        what the run holds of each document and record, and where
//	run-000007/part-0001.zst    entries: documents whole, ends of documents, records
//	run-000008.partial/         a run under way, or one that was killed
//
// A run says of each document in which entries its pieces are: the last time it
// was taken whole, and what came since. A document is taken whole again when a
// snapshot has replaced the end of its log, when it has too many pieces, or when
// most of a file that holds a piece of it is of no use any more.
//
// # What it does not hold
//
// The journal of commits, which is for nodes to tell each other; caches; the
// owner's token; files of worktrees and clones; the audit log.
//
// # Goroutines
//
// Restore and Compare have workers of their own, which end before they return.
package backup
