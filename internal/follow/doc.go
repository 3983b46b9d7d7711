// Package follow is the hub of events: it derives them from what was committed,
// keeps the newest for a while, and hands them to whoever follows.
//
// What happened to a document is never stored as events: Hub.Note derives them
// from the changes, at every node from those that it applied, in the order of
// its log. So every event of a document has a version, any of them can be
// derived again from the log, and a follower that was away goes on behind the
// last one it saw. Other events (seats, presence, progress, questions) are of
// no document: Publish tells them here and to the other nodes, once.
//
// Invariants:
//
//   - Of a document's events, a follower gets each (context, version, part) that
//     its pattern names once and in order, or its stream ends with a reason and
//     an id to go on from. A stream that cannot go on where it was asked to says
//     "reset" first.
//   - Who publishes waits for nobody: Note and Publish put something into memory
//     and return. What piles up beyond a bound is left on disk, and read again.
//   - A follower is a place in a ring that all share, and a buffer. It pulls. A
//     slow one holds nothing back; what has left the ring it gets from the log.
//     If that included events that are not in any log, its stream ends.
//   - An event is encoded once, for all who follow.
//   - Nobody is told of a context that it may not read. A right that is taken
//     away ends the stream of that context at once.
//   - Presence and progress are kept for nobody who was late.
//
// A stream has a topic: that of one context, whose order is the order of its
// log, or the one of all contexts, whose order is the journal's. Topics exist
// while somebody follows, and a minute longer, for who comes again.
//
// Goroutines: one derives; one wakes those who wait for a sign of life and
// forgets topics; Close waits for both. A timer of a topic with many followers
// wakes them together. Follower.Next runs in its caller's goroutine, and so do
// replays.
//
// It sends and receives kj.<kernel>.node.event, and stores nothing. It knows
// nothing of HTTP, tokens or roles: the caller says who may read what.
package follow
