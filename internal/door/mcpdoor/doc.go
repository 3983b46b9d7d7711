// Package mcpdoor serves the operations to agents over MCP, the Model Context
// Protocol: https://modelcontextprotocol.io/specification.
//
// Operations are tools. The structured content of a tool's result is the JSON
// that op.Set.Call returned, and its text is exactly the bytes of it: every
// door gives the same. A refused call is a result with isError, whose text is
// the JSON that the HTTP door answers with: {"error":{"kind","message",…}}.
// Errors of the protocol are for faults of the protocol.
//
// Contexts and blocks are also resources, kaijutsu://context/{context} in
// Markdown and kaijutsu://context/{context}/block/{block} as text, and so are the
// newest events, kaijutsu://events/{pattern}; who subscribes to one is told when
// it changes. kaijutsu://drift/inbox and kaijutsu://drift/inbox/{context} are what
// drift_inbox has unread, told of when a drift comes; kaijutsu://cite/{+handle} is
// what citation_resolve says. Both are there for whom these operations are.
//
// Two kinds of clients come through the door. Those that speak a protocol
// version before 2026-07-28 have sessions: made by initialize, belonging to
// whom they began with, ended by the client, by Door.Close, or when no request
// was under way for a while. Later versions have no sessions: each request
// stands for itself. Both have a seat, as long as a request of theirs is
// under way, which a stream is, and 15 s after: who crashed is not there any more.
//
// Each session has a goroutine that waits for its end, one that follows the
// list of contexts, and one for each context that it subscribed to. The timers
// of idle sessions and seats end with them, and all of it with Door.Close.
//
// Bridge is the way to the same server for programs that speak MCP over their
// standard input and output.
//
// The package stores nothing on disk. It has no tools of its own, asks the
// kernel only through the interfaces of Config, and checks no parameters: that
// is the business of the operations.
package mcpdoor
