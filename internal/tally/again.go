package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// maxAgain is how many tests are run once more; when more failed, none is.
const maxAgain = 5

// note is a test that failed, with its subtests, or something that no test can be
// run again for.
type note struct {
	Package, Test string
	Flags         []string `json:",omitempty"` // of go test
	Failures      int      // tests that failed: it and its subtests
	Output        string   `json:",omitempty"`
	Final         string   `json:",omitempty"` // why nothing is run again
}

// again runs what failed once more and returns how many failures were none then.
func again(notes []note, w io.Writer, run func(note, io.Writer) (counts, []note)) (mended int) {
	for _, n := range notes {
		if n.Final != "" {
			fmt.Fprintf(w, "nothing is run again: %s: %s\n", n.Package, n.Final)
			return 0
		}
	}
	if len(notes) > maxAgain {
		fmt.Fprintf(w, "nothing is run again: %d tests failed, more than %d\n", len(notes), maxAgain)
		return 0
	}
	var flaky []note
	for _, n := range notes {
		fmt.Fprintf(w, "again, alone: %s %s\n", n.Package, n.Test)
		c, failed := run(n, w)
		if c.failed > 0 || len(failed) > 0 || c.passed == 0 {
			fmt.Fprintf(w, "failed again: %s %s\n", n.Package, n.Test)
			continue
		}
		flaky = append(flaky, n)
		mended += n.Failures
	}
	for _, n := range flaky {
		fmt.Fprintf(w, "flaky: %s passed alone (%s). It had failed with\n", n.Test, n.Package)
		for line := range strings.Lines(n.Output) {
			fmt.Fprintf(w, "  | %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return mended
}

// goTest runs a test by itself.
func goTest(n note, w io.Writer) (counts, []note) {
	args := append([]string{"test", "-json", "-count=1", "-vet=off"}, n.Flags...)
	cmd := exec.Command("go", append(args, "-run", "^"+n.Test+"$", n.Package)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	c, notes, readErr := run(strings.NewReader(string(out)), w)
	if err := errors.Join(err, readErr); err != nil && c.failed == 0 {
		fmt.Fprintf(w, "go test %s: %v\n", n.Package, err)
		c.failed++
	}
	return c, notes
}

// finals are what an output says that is no matter of time.
var finals = []struct{ start, why string }{
	{"WARNING: DATA RACE", "a data race"},
	{"panic: ", "a panic"},
	{"fatal error: ", "a fatal error"},
	{"signal: ", "the process was killed"},
}

// finalIn says why a failure with this output is not tried again; "" when it is.
func finalIn(output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "race detected during execution of test") {
			return "a data race"
		}
		for _, f := range finals {
			if strings.HasPrefix(line, f.start) {
				return f.why
			}
		}
	}
	return ""
}

// appendNotes adds notes to a file.
func appendNotes(name string, notes []note) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, n := range notes {
		if err := json.NewEncoder(f).Encode(n); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// readNotes reads what appendNotes has written; no file holds none.
func readNotes(name string) (notes []note, err error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	for {
		var n note
		switch err := d.Decode(&n); {
		case err == io.EOF:
			return notes, nil
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		notes = append(notes, n)
	}
}
