// Package torture breaks a cluster of real servers in one way at a time while
// people and agents write, and then counts what is missing: kj torture.
//
// A stage is three kj serve processes on data directories of their own, joined
// through one or three nats-server processes. Writers of two sorts work on every
// node: editors that speak the sync protocol, and callers of operations over
// HTTP. Each writes down, outside every server, the hash of each change that was
// acknowledged to it and the mark that it left in the text. Followers read the
// events of every context at every node, lose their connections with it, and
// come back with the id of the last event they had.
//
// When the fault is over and the writers have stopped, the checker holds four
// things against each other: every acknowledged change is in every node's
// export and every mark stands in every node's text exactly once; all nodes
// have equal heads; each follower saw each version of its node exactly once and
// whole, in order; and the list of blocks that the events add up to is the list
// that the node gives when it is asked.
//
// Mixed runs do everything at once under a schedule that the seed makes (plan.go):
// faults in one lane, hostile peers and revoked tokens in another. What everybody
// did and was told is recorded (history.go), and the checks are functions of
// that record alone (verdict*.go). Planted says which bugs, put into the server
// on purpose, they find; Rival puts another server in the place of ours.
//
// The faults of drifts have another load and another checker: senders with
// tokens write down what became of each drift that they push, stage or cancel,
// and every one has to be in its target exactly once, or not at all if a cancel
// said so.
//
// So has the fault git, in which everybody writes in one git worktree, on its disk
// too: its checker looks for numbered lines on each branch, in files, blocks,
// commits and the notes of these.
//
// An editor that loses its connection is gone for good and a fresh one takes
// its place: only so is a loss on a disk not mended by who still had the change.
//
// One goroutine per writer and per follower; Run waits for all of them. Nothing
// outlives it: processes end with it, directories and network namespaces are
// removed, also when it is interrupted. Random choices follow the seed; what the
// machine's scheduler does with them does not.
//
// It deliberately imports neither the event codec nor the transport: what a
// server sends is read as a stranger would read it.
package torture
