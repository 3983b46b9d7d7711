// Tally reads the events of go test -json and tells people what happened: a
// line for each package as it ends, the whole output of what failed, the
// reason of what was skipped. It writes the three counts, "passed failed
// skipped", to the file that it is given, and exits with 1 if anything failed.
//
// Tests and subtests count one each. A package that fails without a failed
// test, because it does not build or its process died, counts as one failure.
// Lines that are not events pass through as they are.
//
// What failed it also adds to a file of notes, from which tally -again runs each
// such test once more, by itself, with the flags that it had. One that passes
// then is flaky: it counts as passed, and is listed with what it said when it
// failed. Nothing is run again, and all failures count, when one of them was a
// data race, a panic, a package that does not build or did not come to its end,
// or when more than five tests failed. The counts that change by it, "passed
// failed", are written to the file given.
//
// It is what ./test counts with; it starts no goroutine and keeps nothing.
package main

import (
	"fmt"
	"io"
	"os"
)

const usage = `usage: go test -json FLAGS … | tally COUNTS-FILE NOTES-FILE FLAGS
       tally -again COUNTS-FILE NOTES-FILE`

func main() {
	args := os.Args[1:]
	if len(args) < 2 || args[0] == "-again" && len(args) != 3 {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	var failed int
	var err error
	if args[0] == "-again" {
		failed, err = runAgain(args[1], args[2])
	} else {
		failed, err = count(args[0], args[1], args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// count reads events from standard input, and returns how many tests failed.
func count(countsFile, notesFile string, flags []string) (failed int, err error) {
	c, notes, err := run(os.Stdin, os.Stdout)
	if err != nil {
		return 0, err
	}
	for i := range notes {
		notes[i].Flags = flags
	}
	if err := appendNotes(notesFile, notes); err != nil {
		return 0, err
	}
	return c.failed, os.WriteFile(countsFile, fmt.Appendf(nil, "%d %d %d\n", c.passed, c.failed, c.skipped), 0o600)
}

// runAgain runs what failed once more, and returns how many tests that leaves
// failed.
func runAgain(countsFile, notesFile string) (failed int, err error) {
	notes, err := readNotes(notesFile)
	if err != nil {
		return 0, err
	}
	for _, n := range notes {
		failed += n.Failures
	}
	mended := again(notes, os.Stdout, goTest)
	return failed - mended, os.WriteFile(countsFile, fmt.Appendf(nil, "%d %d\n", mended, -mended), 0o600)
}

// run reads events until the end of r and reports them to w.
func run(r io.Reader, w io.Writer) (counts, []note, error) {
	t := tally{w: w, packages: map[string]*pkg{}}
	err := t.read(r)
	t.cutOff()
	return t.counts, t.notes, err
}
