// Package bench measures a Kaijutsu server beside its rivals from npm: the same
// workloads, from one load generator, in alternating rounds of one run.
//
// # Contestants
//
// Servers run as child processes, one at a time, each time on a fresh data
// directory: ours, automerge-repo, Hocuspocus and y-websocket as shipped and in
// their most durable configurations, and a relay, which does nothing but hand
// frames on and so shows what the machine's sockets and the load generator take.
// What is between a server and its clients is a speech: automerge or yjs.
//
// A workload drives one contestant and notes values; the report shows the median
// over the rounds with the least and the greatest, how many times ours that is,
// and the target if there is one. A contestant that dies, hangs or cannot do a
// workload costs no more than the workload's limit, and its cells say so.
//
// # The load generator
//
// It is made of raw clients: a WebSocket, frames and messages made by hand. A
// client keeps of a document what it takes to make edits that merge and to answer
// like a stock client, at once; it keeps no text. Writers, and readers of a few
// documents, have a goroutine for each connection. Hundreds of readers are a
// chorus: one thread, epoll, and a parser of frames of its own. The generator's
// own processor time, how late its timers fired, and what other processes took of
// the machine meanwhile are measured and part of the report, so that a reader can
// see whether the generator or a noisy machine was the bottleneck.
//
// Nothing is stored beyond the run but the report, as Markdown with plots in SVG,
// and as a file of values from which it can be written again. Processor time and
// memory are read from /proc and the process clocks of Linux: elsewhere those
// values are missing, and so are choruses.
//
// The package measures other things too, each by a command of its own: nodes,
// followers, drifts, git and what is hard to kill.
//
// It does not judge beyond its targets: a ratio below one is a number like another.
package bench
