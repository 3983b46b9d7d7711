package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// counts are tests and subtests.
type counts struct{ passed, failed, skipped int }

// event is one line of go test -json (go doc cmd/test2json).
type event struct {
	Action      string
	Package     string
	Test        string
	Elapsed     float64 // seconds
	Output      string
	FailedBuild string
}

// pkg is a package whose tests are running.
type pkg struct {
	counts
	output   map[string]*strings.Builder // by test; "" is the package's own
	failures []note                      // by top-level test, in the order in which they failed
}

// tally is the state of one stream.
type tally struct {
	counts
	w        io.Writer
	packages map[string]*pkg
	notes    []note // of what failed
}

func (t *tally) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			t.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
	}
}

func (t *tally) line(line []byte) {
	var e event
	if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil {
		fmt.Fprintf(t.w, "%s", line)
		return
	}
	if e.Action == "build-output" {
		fmt.Fprint(t.w, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := t.packages[e.Package]
	if p == nil {
		p = &pkg{output: map[string]*strings.Builder{}}
		t.packages[e.Package] = p
	}
	switch e.Action {
	case "output":
		b := p.output[e.Test]
		if b == nil {
			b = &strings.Builder{}
			p.output[e.Test] = b
		}
		b.WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test != "" {
			t.test(p, e)
		} else {
			t.pkg(p, e)
		}
	}
}

// test reports the end of one test.
func (t *tally) test(p *pkg, e event) {
	var output string
	if b := p.output[e.Test]; b != nil {
		output = b.String()
		delete(p.output, e.Test)
	}
	switch e.Action {
	case "pass":
		p.passed++
	case "fail":
		p.failed++
		p.fail(e, output)
		fmt.Fprintf(t.w, "FAIL %s %s\n%s", e.Package, e.Test, output)
	case "skip":
		p.skipped++
		fmt.Fprintf(t.w, "skip %s %s: %s\n", e.Package, e.Test, reason(output))
	}
}

// fail notes the failure of a test, or a subtest, with its top-level test.
func (p *pkg) fail(e event, output string) {
	name, _, _ := strings.Cut(e.Test, "/")
	i := slices.IndexFunc(p.failures, func(n note) bool { return n.Test == name })
	if i < 0 {
		i = len(p.failures)
		p.failures = append(p.failures, note{Package: e.Package, Test: name})
	}
	n := &p.failures[i]
	n.Failures++
	n.Output += output
	n.Final = cmp.Or(n.Final, finalIn(output))
}

// cutOff notes the packages that did not come to their end.
func (t *tally) cutOff() {
	for name, p := range t.packages {
		t.notes = append(t.notes, note{Package: name, Final: "it did not come to its end", Failures: max(p.failed, 1)})
		t.passed += p.passed
		t.failed += max(p.failed, 1)
		t.skipped += p.skipped
	}
}

// pkg reports the end of a package.
func (t *tally) pkg(p *pkg, e event) {
	delete(t.packages, e.Package)
	if e.Action == "fail" {
		final := ""
		if b := p.output[""]; b != nil {
			final = finalIn(b.String())
		}
		if p.failed == 0 {
			p.failed = 1
			final = cmp.Or(final, "it failed without a test that did")
			p.failures = []note{{Package: e.Package, Failures: 1}}
		}
		// What never ended is what was running when the process died.
		for name, b := range p.output {
			if name != "" {
				final = cmp.Or(final, finalIn(b.String()), name+" did not end")
				fmt.Fprintf(t.w, "did not end: %s %s\n%s", e.Package, name, b)
			}
		}
		if b := p.output[""]; b != nil {
			fmt.Fprint(t.w, b)
		}
		for _, n := range p.failures {
			n.Final = cmp.Or(n.Final, final)
			t.notes = append(t.notes, n)
		}
	}
	t.passed += p.passed
	t.failed += p.failed
	t.skipped += p.skipped
	word := "ok  "
	switch {
	case p.failed > 0:
		word = "FAIL"
	case p.passed+p.skipped == 0:
		return // no tests
	}
	fmt.Fprintf(t.w, "%s %-32s %4d tests %7.1f s\n", word, e.Package, p.passed+p.failed+p.skipped, e.Elapsed)
}

// reason finds what a skipped test said: its last line that is not go test's.
func reason(output string) string {
	said := "no reason given"
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			said = line
		}
	}
	return said
}
