// Package guard keeps a failure of one goroutine from ending the process.
//
// A panic in a goroutine that nobody recovers ends the process. What touches
// data from outside runs under one of these:
//
//   - Do runs a piece of work and returns what it panicked with as an error.
//   - Func is for goroutines of a connection, a call or a job: after a panic it
//     is logged and over, and whoever waits for it goes on.
//   - Keep is for goroutines without which a room does nothing any more: after a
//     panic it is logged and run again, at longer and longer intervals.
//   - Vital is for goroutines that hold state which nobody can vouch for after
//     a panic, and on which all others wait: it is logged, and the process ends,
//     as it would have, to be started again from what is on disk.
//
// What cannot be recovered stays: running out of memory or stack, a fault in a
// mapped file, and panics in goroutines of the libraries. For those a document
// leaves a mark before it is worked on (package examine).
//
// Nothing is logged but the kind of failure and the stack, which has no text of
// blocks in it. The package stores nothing; it counts in memory.
package guard
