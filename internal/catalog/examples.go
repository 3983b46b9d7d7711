package catalog

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"kaijutsu/internal/op"
)

// Case is a call that works on a kernel prepared for it, and what comes of it.
// It is an example of its operation, and every door has to give the same answer
// to it.
//
// Cases are text archives in testdata/examples, named for their operation, with
// a number for each further one: block_edit.txtar, block_edit.2.txtar. The
// comment at the top says what the case shows. A line of the sections setup and
// call is a call: the name of the operation and its parameters. The section
// want is the result as Normal shows it, the section error is the problem; a
// case with neither has a result that is different each time, of which only the
// schema is checked. Every case begins with the calls of fixture.txt, all by an
// owner of a kernel that holds nothing else. A case that names files of the disk
// names them below ~/, where its runner puts those of kjtest.Home.
type Case struct {
	Name  string // of the file, without .txtar
	Text  string
	Setup []Invocation
	Call  Invocation
	Want  string // empty: anything of the schema
	Error string // empty: it works
}

// Invocation is an operation and its parameters.
type Invocation struct {
	Op string
	In string // JSON
}

//go:embed testdata/examples
var exampleFiles embed.FS

const exampleDir = "testdata/examples"

// OnDisk reports whether a case needs files of the disk.
func (c Case) OnDisk() bool {
	names := func(i Invocation) bool { return strings.Contains(i.In, "~/") }
	return names(c.Call) || slices.ContainsFunc(c.Setup, names)
}

// Examples returns every case, by name.
func Examples() ([]Case, error) {
	files, err := exampleFiles.ReadDir(exampleDir)
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".txtar")
		if !ok {
			continue
		}
		text, err := exampleFiles.ReadFile(path.Join(exampleDir, f.Name()))
		if err != nil {
			return nil, err
		}
		c, err := parseCase(name, string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Fixture returns the calls with which every case begins.
func Fixture() ([]Invocation, error) {
	text, err := exampleFiles.ReadFile(exampleDir + "/fixture.txt")
	if err != nil {
		return nil, err
	}
	return parseCalls(string(text))
}

var section = regexp.MustCompile(`(?m)^-- ([a-z]+) --\n`)

func parseCase(name, text string) (Case, error) {
	c := Case{Name: name}
	marks := section.FindAllStringSubmatchIndex(text, -1)
	if marks == nil {
		return c, fmt.Errorf("it has no section")
	}
	c.Text = strings.TrimSpace(text[:marks[0][0]])
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		body := text[m[1]:end]
		calls, err := []Invocation(nil), error(nil)
		switch title := text[m[2]:m[3]]; title {
		case "setup":
			c.Setup, err = parseCalls(body)
		case "call":
			if calls, err = parseCalls(body); err == nil && len(calls) != 1 {
				err = fmt.Errorf("there are %d calls, want one", len(calls))
			}
			if err == nil {
				c.Call = calls[0]
			}
		case "want":
			c.Want = body
		case "error":
			c.Error = body
		default:
			err = fmt.Errorf("there is no section %q", title)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// parseCalls reads a call from each line; empty lines and those that begin with
// # are none.
func parseCalls(text string) (all []Invocation, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, in, _ := strings.Cut(line, " ")
		if !json.Valid([]byte(in)) {
			return nil, fmt.Errorf("%s: %q is no JSON", name, in)
		}
		all = append(all, Invocation{name, in})
	}
	return all, nil
}

// parsed is Examples, read once: every operation asks for its own.
var parsed = sync.OnceValues(Examples)

// examplesOf returns the cases of an operation that work, as doors show them.
func examplesOf(name string) []op.Example {
	cases, err := parsed()
	if err != nil {
		panic("examples: " + err.Error()) // they are in the program: the tests read them
	}
	var out []op.Example
	for _, c := range cases {
		if c.Call.Op == name && c.Error == "" {
			out = append(out, op.Example{Text: c.Text, In: c.Call.In})
		}
	}
	return out
}

// variable is a kind of value that differs.
type variable struct {
	what  string
	value *regexp.Regexp
}

// placeholder stands for the n-th value. Times are not told apart: it is chance
// which of them are in the same second.
func (v variable) placeholder(n int) string {
	if v.what == "time" {
		return "<time>"
	}
	return fmt.Sprintf("<%s %d>", v.what, n)
}

// volatile is what differs from one run of a case to the next, in the order in
// which it is looked for.
var volatile = sync.OnceValue(func() []variable {
	return []variable{
		{"base64", regexp.MustCompile(`"content_base64": "[^"]*"`)},
		{"token", regexp.MustCompile(`\bkj_[A-Za-z0-9_-]{43}\b`)},
		{"url", regexp.MustCompile(`\bautomerge:[1-9A-HJ-NP-Za-km-z]+`)},
		{"time", regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)},
		{"hash", regexp.MustCompile(`\b[0-9a-f]{64}\b`)},
		{"commit", regexp.MustCompile(`\b[0-9a-f]{40}\b`)},
		{"actor", regexp.MustCompile(`\b[0-9a-f]{32}\b`)},
		{"id", regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)},
		{"event", regexp.MustCompile(`\b[0-9a-f]{8}(\.\d+){3}(\.[a-z]?\d+)?\b`)},
		{"short", regexp.MustCompile(`"short": "[0-9a-f]{6,12}"`)},
		{"token_id", regexp.MustCompile(`"id": "[0-9a-f]{12}"`)},
	}
})

// fixed is how the ids begin that cases give to their blocks.
const fixed = "00000000-"

// Normal shows a result or a problem indented, with placeholders for what
// differs each time: <hash 1> is the first of the change hashes in it. caller
// is the name of who called.
func Normal(result []byte, caller string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, result, "", "  "); err != nil {
		return string(result)
	}
	text := b.String()
	for _, v := range volatile() {
		seen := make(map[string]string)
		text = v.value.ReplaceAllStringFunc(text, func(s string) string {
			if strings.HasPrefix(s, fixed) {
				return s
			}
			if seen[s] == "" {
				seen[s] = v.placeholder(len(seen) + 1)
			}
			if key, _, ok := strings.Cut(s, `": "`); ok {
				return key + `": "` + seen[s] + `"`
			}
			return seen[s]
		})
	}
	name, err := json.Marshal(caller)
	if err != nil {
		return text
	}
	inside := strings.ReplaceAll(string(name), `"`, `\"`) // of a JSON text in a string
	return strings.NewReplacer(inside, `\"<caller>\"`, string(name), `"<caller>"`).Replace(text) + "\n"
}
