// Package policy says what happens to drifts without anybody asking for it, and
// what does not happen although somebody asks: the rules by which blocks are
// pushed automatically, how often anybody may push, that no finding runs in
// circles, and what is done with a wish that the receiver act and with what
// other kernels offer.
//
// There is one Policy for a kernel, a record that all nodes share. The zero
// Policy, which is that of a kernel where nobody has set one, pushes nothing,
// limits nothing, declines every wish to act, and holds what is foreign for
// consent.
//
// # Rules
//
// A rule is looked at when a change that was made on this node touches a block:
// the one node that a change was made on pushes, not all of them. What counts is
// the block as it is then. The push is the block's author's, with that
// principal's rights of the moment, and cites the block.
//
// The id of an automatic push follows from where the finding was first written
// down (its time), what it says (drift.Fingerprint) and where it goes, and so
// does the id of the block that it becomes. So the same finding does not arrive
// twice at one context by rules, whichever rule, block or node it comes by, and
// after whatever crash. Where a finding has been, and where it is already, it
// is not pushed either; of two nodes that push the same text, written down
// independently, to one context in the same moment, both may arrive.
//
// What was committed and not looked at before the process ended is looked at
// after the next start, in the journal of internal/repo, which keeps at least
// its newest 65,536 entries. What is older than that is not covered, and neither
// is what other nodes made and did not live to look at: each node catches up
// with its own changes.
//
// # Invariants
//
// A policy takes effect on a node when the record arrives there. One that this
// version cannot read counts as the zero Policy, is logged and told. Nothing
// that a block says can stop the keeper or make it push more than the rules do:
// metas are bounded and read leniently, and what cannot be pushed is logged and
// passed over.
//
// # Goroutines
//
// The worker, started by Drive, follows the journal and pushes; the lane, which
// pushes what has to be distilled first; and one for each question whether to
// act that waits for its answer, 256 at most. Close ends them.
//
// # Keys
//
// Records of the drift table, JSON with a version "v":
//
//	policy       the Policy
//	act/<block>  a drift block whose receiver was asked whether to act, and the question
//
// Config.File holds the number of the journal's last entry that was looked at;
// without it nothing from before the start is caught up with. Rates are counted
// by each node, in memory.
//
// The package delivers nothing itself and knows no operation.
package policy
