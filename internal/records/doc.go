// Package records keeps the small records that all nodes of a kernel share:
// who has access, what is known of contexts beyond their documents, and which
// were deleted. They are the keys of one Automerge document that only nodes
// change, so that they travel, merge and heal as contexts do.
//
// The document's id is the first 16 bytes of SHA-256("kaijutsu records " and
// the kernel's name). A kernel may have more such documents, each with a name of
// its own in place of "records". A record is a string at a key of ROOT; there is nothing
// else in it, and what is not such a put or delete is passed over and counted.
// Of several values that nodes put without knowing of each other, the one whose
// operation has the greater id counts (the higher counter, then the greater
// actor), as everywhere in Automerge; a put wins over a delete that did not
// know of it. Nodes that have the same changes therefore have the same records,
// in whatever order the changes came.
//
// Invariants: what Get answers is on disk; when Write returns, the records are
// on disk, Get answers with them, and every watcher has been told. Watchers
// hear of each record in the order in which it changed here, whoever changed
// it, one call at a time and outside of locks. Nothing that Write puts together
// is ever seen in part on another node. A record deleted is gone; its past
// stays in the document's history.
//
// Goroutines: the teller, started by Open, reads what was committed, keeps the
// records in memory in step and tells the watchers; Close ends it.
//
// It stores nothing beside the document and sends nothing: internal/repo keeps
// the one, internal/cluster the others. Who may read or write which record is
// not known here; the document itself is nobody's to sync.
package records
