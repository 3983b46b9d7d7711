// Package examine does with a document, in a process of its own, all that the
// server would do with it, to find out whether that goes well: what ends that
// process, eats its memory or never returns costs nobody anything.
//
// Runner starts the child, the same binary, gives it the changes of a document
// over a pipe, and reads what it is at; when the child dies, that names the
// change. The child reads the changes into a change graph, makes the read model
// one change at a time and traces it, reads the blocks, encodes the document and
// takes it apart, composes a sync message, and then takes changes that are not
// on disk by all the rules.
//
// The child has limits: processor time by RLIMIT_CPU, memory by looking at its
// own heap every few milliseconds, and by RLIMIT_AS for what grows faster. It
// gets no environment, opens no file and no socket.
//
// Goroutines: the child has one that watches its memory; the Runner one that
// writes the document to the child while it is read from. The package stores
// nothing.
package examine
