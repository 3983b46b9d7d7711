// Package bench measures a Kaijutsu server beside the npm sync server: the
// same workload, from one load generator, in alternating rounds of one run.
//
// Servers run as child processes, one at a time, each time on a fresh data
// directory. A scenario drives one server and notes values; the report shows
// the median over the rounds with the least and the greatest, and the ratio of
// the medians.
//
// The load generator is made of raw peers: a WebSocket, CBOR frames and hand
// made sync messages. A peer keeps of a document its heads and the hashes it
// has seen, nothing more; its changes come from internal/amfile. It answers
// like a stock client, at once. The generator's own processor time, how late
// its timers fired, and what other processes took of the machine meanwhile are
// measured and part of the report, so that a reader can see whether the
// generator or a noisy machine was the bottleneck.
//
// One goroutine per connection reads; one per writer writes. Nothing is stored
// beyond the run. Processor time and memory are read from /proc: elsewhere
// than on Linux those values are missing.
//
// The package does not judge: a ratio below a target is a number like another.
package bench
