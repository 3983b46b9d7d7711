// Package provenance knows what was drifted where, and which citations no
// longer stand.
//
// It indexes, of every context, the blocks of kind drift whose meta drift
// reads, and every other block whose meta has citations: who inserted it, by
// which change, whether it is deleted, what it cites. From that come the edges
// of who drifted to whom, the letters of a context's inbox and how many of them
// somebody has not read, the receipt of a drift, and whether a finding is in a
// context already.
//
// A citation says that lines of a block stood so at some heads. While they do
// not stand so any more, the keeper has a mark of it in the meta of the block
// that cites them: an element of "stale", with the reason and a diff. It is
// written by the service principal "kaijutsu", which nobody asks for its right,
// and taken away when the lines are back.
//
// Invariants: an entry of the index is what some committed state of its
// document says; Settle waits until it is the newest one. A mark is written
// only where it differs from what is there, by no more than one change in
// 100 ms for a block; of a mark that stands, a newer diff waits the longer the
// more often it was written. What is written is nothing but the key "stale" of a
// block's meta: no content is another with it, so that no mark makes another
// one. A block that is deleted, and a context that is archived, gets no marks
// until it is back. What a citation names and this node does not hold, and what
// is of another kernel or is no handle, is left alone: no mark is written or
// taken away for it.
//
// Bounds: 64 citations of a block are watched, in the order of its meta. A
// document that takes long to read rests 20 times as long before it is read
// again. The keeper neither asks a document nor writes to one for longer than a
// few milliseconds at a time, then leaves it alone for four times as long, and
// each context has its turn. Marks are there about 100 ms after the last change
// of what they are about, and within a second while changes go on. No diff is
// made of texts of more than 512 KiB.
//
// Everybody who edits a context can write into the meta of any of its blocks.
// So a mark has a diff only of a citation that the block was made with, and only
// while who made the block may read the source; any other has none. And a
// receipt is known with who made it.
//
// Goroutines: the reader, which follows the documents; the keeper, which judges
// citations and writes marks; and, where there are other nodes, the candidate,
// which holds the lease drift.stale when it can: only its holder's keeper works,
// and a new holder judges everything once. Close ends all of them.
//
// It stores one file, a cache that may be deleted at any time: without it every
// context is read once. The markers of what somebody has read are records,
// read/<kind>/<name>/<document>, whose value is {"v":1,"heads":[…]}: a letter is
// unread while the change that inserted it is not behind the heads.
//
// It does not deliver, resolve or make anything; and what a block says of where
// it came from is what its author wrote: an edge is a claim that those who read
// both ends can check.
package provenance
