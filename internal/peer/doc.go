// Package peer serves connected editors: the automerge-repo protocol, version
// "1", over WebSocket. A Hub holds the connections; each connection shakes
// hands, reads messages into the sessions of internal/repo, and writes what
// these sessions want to say.
//
// Invariants:
//
//   - Nothing is served before the join, and nothing to a peer that may not
//     read the document, from the moment on from which it may not. Messages that name another sender are ignored.
//   - Sync state lives in a repo session, one for each connection and document,
//     and dies with the connection. No state is kept by peer id.
//   - A peer that breaks the protocol harms itself: its message is dropped, its
//     session with the document ends, or its connection is closed, with a
//     reason that it is told. No other connection waits for it. A change that
//     is merely not for it to make is refused and told, and nothing ends.
//   - A session hands over what there is to say when its connection is free, and
//     else marks its document as having something to say: the write loop asks for
//     it when the socket is free, so a slow reader gets one message with
//     everything since. Ephemeral messages
//     are bounded and the oldest go first; sync messages are never dropped.
//
// Goroutines: each connection has one that reads, started by Hub.Serve. What can
// be written without waiting is written by the Hub's workers, one for each
// processor while there is something to write; a connection that has to wait gets
// one that writes until it has nothing to write. The
// Hub has one more, the keeper, which watches all connections for missing
// joins and pongs; a ping that waits for its pong is a short-lived goroutine.
// Hub.Close waits for all of them.
//
// The package stores nothing. What it remembers of ephemeral messages (to drop
// duplicates) and of other peers' storages (to tell subscribers) is bounded
// and lost with the process. It does not know other nodes, only two hooks:
// Config.Relay gets each ephemeral message of an editor here, and
// Hub.DeliverEphemeral shows those of editors elsewhere. It does not authenticate: the caller of Serve
// says who the principal is, and Config.Right what a principal may do.
package peer
