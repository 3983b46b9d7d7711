// Package shelldoor is the shell's door: it makes a command of every
// operation, with a place on the line or a flag for every parameter, and shows
// results to people.
//
// Commands follow from the operations alone, so the tree can be built, helped
// with and completed where no server runs. What runs an operation is the
// caller's Door, which hands over parameters as JSON and returns the result's
// bytes; --json prints those as they came.
//
// Invariants: no parameter is out of reach of flags (--params takes them all
// at once); nothing is sent when the line was wrong; a text of "-" is standard
// input, read once.
//
// The package stores nothing, starts no goroutine and opens no connection. It
// reads the files that a command line names with @FILE, and writes those that
// one names with --output. It knows operations by their schemas; by their names
// it knows only how people like to see a result (show*.go), and which verbs
// they are used to (verbs.go).
package shelldoor
