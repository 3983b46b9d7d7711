// Package courier carries drifts from context to context: at once, or by way of
// a queue that outlasts everything but the disk.
//
// Delivering an item is inserting the block whose id follows from the drift and
// its target, and then closing the item. What was inserted and not closed is
// found inserted by whoever delivers it next, on any node, after any crash: the
// id says so. Nothing else has to be agreed on for a drift to arrive once.
//
// Invariants:
//
//   - What Push, Cancel, Replay, Consent and Offer answer is on disk. An item
//     leaves the queue when its block is on disk or somebody has taken it back,
//     and for no other reason: a delivery that fails keeps it, the fifth time as
//     a dead letter.
//   - The author of the block is who pushed, whoever flushes. A staged item is
//     delivered by what its stager may do then; a held one by the right of who
//     consents.
//   - One at a time does something with a drift: a claim in the process, a lease
//     between nodes. So a cancel under a flush finds the item delivered, or takes
//     it away for good. Without NATS there is the claim alone, and the derived id
//     still keeps a drift to one block.
//   - Items of one source that go to one target arrive in the order of their
//     numbers, unless one fails.
//   - A number is given once in a kernel, but by nodes that give it at the same
//     time while NATS is away; such a number names both, and find says so.
//   - Nothing of another kernel is believed: its citations are of that kernel, its
//     sender is the principal that offers.
//
// Goroutines, all ended by Close: the writer, which puts everything that is to
// be recorded into few writes; the keeper, which goes on with flushes of nodes
// that are gone and asks other kernels what became of offers; one for each
// flush, which outlasts its caller, and below it one for each target and each
// block on its way, within bounds.
//
// Records of the queue, a document of internal/records of its own that every
// node has and nobody may sync:
//
//	item/<drift id>      an item: drift.EncodeItem
//	last, last/<node>    the last number that was given: the greatest of them
//	flush/<source>       a flush that was asked for and is under way, JSON with "v"
//	refused/<drift id>   why an offer was declined, for its sender; the last 10,000
//	lost_found           the context that gets a copy of every dead letter
//	fence/<node>         how often a node has given a lease back
//
// Keys in NATS: lease drift.<source>, held while items of a source are delivered
// or cancelled; drift.fence.<source>, the fence/ record that its next holder
// waits for, for a minute; drift.number, the last number that any node gave.
//
// It tells drift.staged, drift.delivered, drift.cancelled and drift.failed, and
// progress.update of long flushes. It does not decide who may push what how
// often, reach other kernels, make briefings, or find what is stale: those are a
// Gate, a Carrier, a drift.Distiller, and the index of internal/provenance.
package courier
