// Package archtest holds the tidy tests: what the module promises about its
// own shape, checked on its source by every run of the tests.
//
//   - a room imports only the rooms that the table in rooms.go gives it
//   - a big dependency comes in through its one doorway, the one that
//     docs/dependencies.md names, and that page has a line for each
//   - pure rooms do no I/O and read no clock; cgo stays in blocks
//   - every package has exactly one package comment
//   - the code is clean under gofmt, go vet and staticcheck
//   - tests do not sleep; code and docs hold no unfinished business
//   - the top level holds known names only
//   - links and code names in the docs lead somewhere
//
// Test files may open any door: a _test.go file may import every room and
// every dependency, because it ships in nothing and Go itself refuses cycles.
//
// The checkers take a file system, so that the tests can show each of them a
// bad example and see it refused. The package stores nothing, starts no
// goroutine, and nothing imports it. It deliberately reads the working tree,
// not git: an unpacked archive passes the same tests.
package archtest
