// Package changegraph holds a document as a set of changes, and speaks the
// Automerge sync protocol over it with many peers. It needs hashes,
// dependencies and bytes, not a CRDT: a document that only stock editors use is
// served without ever being materialised.
//
// # The graph
//
// Changes lie in an append-only log, in the order in which they arrived, which
// is topological. For each it keeps its hash, dependencies as log indexes,
// author, sequence number, first operation, number of operations and number of
// children, and whether it descends from the anchor: 72 bytes without pointers; the raw bytes lie in a few large blocks.
// A hash table of indexes and, for each author, the list of its changes are all
// the rest: about 100 bytes a change, and the change itself.
//
// "Everything that is not an ancestor of these heads" is found by walking the
// log from its end until all heads of what remains are known to be ancestors.
// The answer for a recent position costs what it is long, not what the history
// is long, and the last answers are remembered and grow with the log. Its
// complement is the causal past of a change, so the same walk serves sync and
// validation. There are no vector clocks.
//
// # What is taken
//
// Add holds the rules of package amfile that need other changes: 9 (sequence
// numbers; another change with the same actor and number is a conflict), 10
// (dependencies), 11 and 12 (own past, operation counters), 27 (open heads),
// and through amfile.Change.Check those that need the operations of the causal
// past. Those are found by the author's list and decoded when they are needed;
// the last used stay decoded, within a bound.
//
// Changes whose dependencies are missing wait, as do those that start far
// beyond every counter known. At most MaxWaiting of them and MaxWaitingBytes;
// the oldest makes place. A change that depends on a refused one is refused.
// Refused changes are remembered, so that nobody is asked for them again.
//
// In a document with an anchor every change behind it has to descend from it:
// one bit a change says so. Graph.Judge has the last word on a change that is
// well formed. What it denies to one peer another may bring: such refusals are
// remembered with the SyncState, and so are those of what depends on them. What
// it refuses in Passing is not remembered at all.
//
// # Sync
//
// A SyncState is kept for each connection and document. Receive takes a message
// and its decoded changes; Generate says what to send now, if anything:
// whatever is new for the peer, in one message, however many changes came since.
// The differences to the library's algorithm are these:
//
//   - When all of a peer's heads are known, what it lacks is computed exactly
//     and its bloom filter is not looked at. Our own message then names our
//     heads as shared, since the peer will have all behind them when it has
//     read the message, and carries no filter. Filters are made and tested only
//     while the peer has something we do not know.
//   - What was sent is not a set of hashes but a few ranges of the log.
//   - A message is sent only if it says something new: other heads, changes,
//     another need, or our heads to a peer that starts over. So two peers that
//     can never agree, because one refuses a change of the other, fall silent.
//   - A change that the peer asks for by name is sent, also if it was sent
//     before.
//   - Peers in the same position are sent the same encoded bytes.
//
// Messages are written in version 1 without the trailer, so peers answer in
// version 1. A peer that holds nothing and reads version 2 is sent the snapshot
// and what came after it as one file.
//
// # Who does what
//
// Nothing here is safe for concurrent use: the owner of the document calls.
// The package starts no goroutine, reads no clock, stores nothing and does no
// I/O; the caller makes changes durable before it lets Generate tell of them,
// and takes them back with Truncate when it cannot. It deliberately does not
// know what a change means to the document, who may write, or that there is a
// network.
package changegraph
