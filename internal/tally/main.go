// Tally reads the events of go test -json and tells people what happened: a
// line for each package as it ends, the whole output of what failed, the
// reason of what was skipped. It writes the three counts, "passed failed
// skipped", to the file that it is given, and exits with 1 if anything failed.
//
// Tests and subtests count one each. A package that fails without a failed
// test, because it does not build or its process died, counts as one failure.
// Lines that are not events pass through as they are.
//
// It is what ./test counts with; it starts no goroutine and keeps nothing.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json … | tally COUNTS-FILE")
		os.Exit(2)
	}
	c, err := run(os.Stdin, os.Stdout)
	if err == nil {
		err = os.WriteFile(os.Args[1], fmt.Appendf(nil, "%d %d %d\n", c.passed, c.failed, c.skipped), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(2)
	}
	if c.failed > 0 {
		os.Exit(1)
	}
}

// run reads events until the end of r and reports them to w.
func run(r io.Reader, w io.Writer) (counts, error) {
	t := tally{w: w, packages: map[string]*pkg{}}
	err := t.read(r)
	return t.counts, err
}
