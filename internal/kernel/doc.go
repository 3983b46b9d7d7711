// Package kernel holds the contexts of a server: which there are, who may do
// what with them, what is about to be appended to their blocks, and who is
// there.
//
// It stands between the operations and the open documents. Every method takes
// the call it serves: who asks is never ambient. A context that a caller may
// not read does not exist for it, in lists, in names and in errors.
//
// Invariants:
//
//   - No edit passes by Edit: it asks for the caller's right at the moment of
//     the edit, refuses archived contexts, and lets internal/repo judge what a
//     commenter's change touches, as it judges synced ones.
//   - What was appended is read: buffered appends are written before anything
//     is read or edited in their document, at a terminal status, and by Close.
//     An append says whether it is on disk; text that could not be written
//     later is told to its author, and logged.
//   - A context's record says who made it and when, whether it is archived,
//     what it was forked from and what its agent runs on. A document that came by
//     sync has none until there is something to say. Titles and blocks are the
//     document's business.
//   - A label names one context. Of two that nodes give it to at once, one has it
//     on all of them; of two labels that one context gets, the later counts.
//   - A block that is posted is there once, whoever posts it again and whenever.
//   - What one node deletes is deleted on every node, also on one that was away,
//     and what comes late of it is deleted again.
//   - A seat is its node's word: it is shown everywhere while the node says it
//     anew, or until it says that it was left. Of two nodes that hold one seat
//     the same principal's later taking counts, of two principals the first.
//   - A question ends once: with the first answer, or expired. NATS says which
//     answer is first, and where it cannot, the document does. Nothing waits for
//     the one who asked, or its node.
//
// Goroutines: a timer for each block with buffered appends, whose function
// writes them; the worker, which deletes documents that the records say are
// deleted, again until it can, and has peers ask for their rights anew; the
// keeper of seats, the one that writes them to NATS and the one that follows
// those of others; a timer for each seat whose presence waits to be told; the
// keeper of questions. Close ends them and waits.
//
// Records of internal/records, JSON with a version "v":
//
//	kernel/context/<document>  made by and at, archived at and by, forked from, model
//	kernel/label/<label>       the document that has it, since when and by whom
//	kernel/deleted/<document>  deleted by and at; it stays for ever
//
// They are kept in memory too, behind a mutex with no I/O under it, which
// follows what any node writes; writers take turns. A context whose record
// cannot be read is closed as an archived one is. The document that holds the
// records, and others of the nodes, are no contexts and nobody's: they do not
// exist here. Which documents
// there are, and the summaries of those that were asked for, are in memory and
// follow what is committed (Note).
//
// Records of this node's store: elicit/pending/<document>, a document that may
// hold questions without an answer.
//
// Keys in NATS, none of which anything depends on for ever:
//
//	seat.<context or ->.<hash>  a seat, JSON with a version "v"; expires after 15 s
//	left.<id>                   who tells that a seat expired
//	elicit.<block>              whose answer is first, for a minute
//	lease elicit                the node that closes questions which expired
//
// Presence is stored nowhere. The package stores no rights (internal/access
// does) and knows no door.
package kernel
