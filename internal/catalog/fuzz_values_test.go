package catalog_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"kaijutsu/internal/textdiff"
)

// dice makes parameters from the schemas of operations: valid ones, such as are
// nearly valid, and wild ones.
type dice struct {
	*rand.Rand
	known known
}

// known is what names something in the house.
type known struct {
	contexts, blocks, changes, names []string
	content                          string // of some block
}

func (d dice) one(list ...string) string {
	if len(list) == 0 {
		return ""
	}
	return list[d.IntN(len(list))]
}

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// params are the parameters of an operation.
func (d dice) params(s *jsonschema.Schema) json.RawMessage {
	b, err := json.Marshal(d.object(s))
	if err != nil {
		panic(err)
	}
	switch {
	case d.chance(3) && len(b) > 0: // other bytes
		for range 1 + d.IntN(3) {
			b[d.IntN(len(b))] = byte(d.IntN(256))
		}
	case d.chance(1):
		b = append(b, b...)
	case d.chance(1):
		b = []byte(strings.Repeat(`{"a":`, d.IntN(60)))
	case d.chance(1):
		b = []byte(d.one("", "null", "[]", "1", `"x"`, "{", "{}", `{"block_id":"a","block_id":"b"}`))
	}
	return b
}

func (d dice) object(s *jsonschema.Schema) map[string]any {
	out := make(map[string]any)
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		percent := 25
		switch {
		case slices.Contains(s.Required, name):
			percent = 98
		case name == "context":
			percent = 80
		}
		if p != nil && d.chance(percent) {
			out[name] = d.value(name, p)
		}
	}
	if d.chance(2) {
		out[d.one("colour", "Block_id", "block", "parent", "meta", "")] = d.wild(0)
	}
	return out
}

func (d dice) value(name string, s *jsonschema.Schema) any {
	if d.chance(4) {
		return d.wild(0)
	}
	switch s.Type {
	case "string":
		return d.word(name, s)
	case "boolean":
		return d.chance(50)
	case "integer", "number":
		return d.number(s)
	case "array":
		list := []any{}
		for range d.IntN(4) {
			list = append(list, d.value(name, s.Items))
		}
		return list
	case "object":
		if len(s.Properties) > 0 {
			return d.object(s)
		}
		return map[string]any{d.text(3): d.wild(1)}
	}
	return d.wild(0)
}

func (d dice) number(s *jsonschema.Schema) any {
	switch {
	case d.chance(90):
		n := d.IntN(8)
		if s.Minimum != nil {
			n = max(n, int(*s.Minimum))
		}
		return n
	case s.Maximum != nil && d.chance(50):
		return *s.Maximum + float64(d.IntN(2))
	}
	return []any{-1, 0, 1.5, 1e300, -1e300, 1 << 53, json.Number("9007199254740993"), json.Number("99999999999999999999"), 1000000}[d.IntN(9)]
}

func (d dice) word(name string, s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		if d.chance(5) {
			return d.one("bogus", "", "Done", "done ")
		}
		return fmt.Sprint(s.Enum[d.IntN(len(s.Enum))])
	}
	if d.chance(5) {
		return d.text(20)
	}
	switch name {
	case "path", "paths", "mount":
		return d.one("/mnt/app", "/mnt/app/src/hello.go", "/mnt/app/README.md", "src/hello.go", "/mnt/notes/todo.txt", "/scratch/a/b", "/scratch", "/", "/mnt/../x", "app", "/mnt/app/logo.png")
	case "source":
		return d.one("memory", "~/notes", "~/nowhere", "git:~/src/app", "git:~/src/app@greeting", "git:~/notes", "git:", "kernel:x", "notes")
	case "rev", "old", "new", "start", "branch":
		return d.one("HEAD", "HEAD~1", "main", "main..greeting", "greeting", "..", "@{", "-x", "refs/heads/main", strings.Repeat("0f", 20))
	case "lines":
		return d.one("1", "1,2", "3,", "2,1", "0", "99999999", "x")
	case "glob":
		return d.one("*.go", "**/*", "[", "src/**")
	case "context", "contexts":
		return d.one(append(d.known.contexts, "Pla", "nowhere", "automerge:x")...)
	case "block_id", "parent_id", "after", "before", "id", "cursor":
		id := d.one(d.known.blocks...)
		if d.chance(20) && len(id) > 8 {
			id = id[:4+d.IntN(32)]
		}
		return id
	case "if_heads", "heads", "change":
		return d.hash()
	case "at", "from", "to":
		return d.one(fmt.Sprint(d.IntN(30)), d.hash(), d.hash()+","+d.hash(), "2026-11-21T10:00:00Z", "2999-01-01T00:00:00Z", "soon")
	case "time", "expires":
		return d.one("2026-11-21T10:00:00Z", "2999-01-01T00:00:00Z", "72h", "-1s", "soon")
	case "query":
		return d.one("a", "the", `\w+`, "(", "[a-", "^$", "", ".*", "a*", "(?i)X|y", "\u00e9", "💡", strings.Repeat("(a|b)*", 50), "x{1000}")
	case "patch":
		return d.patch()
	case "name", "principal", "token", "author":
		return d.one(append(d.known.names, "amy", "eve", " x ", strings.Repeat("n", 65))...)
	case "content_base64":
		return d.one("", "hW9KgwAA", "!", "AAAA", hex.EncodeToString([]byte(d.text(9))))
	case "expected_text":
		return d.one(d.known.content, strings.TrimSuffix(d.known.content, "\n"), d.text(5))
	case "op":
		return d.one("insert", "delete", "replace", "move")
	}
	return d.text(60)
}

func (d dice) hash() string {
	if d.chance(80) {
		return d.one(d.known.changes...)
	}
	return strings.Repeat("0f", 32)
}

// text has up to n pieces, of all that texts are hard for.
func (d dice) text(n int) string {
	pieces := []string{"a", "b", "the ", "\n", "\n\n", "é", "e\u0301", "😀", "👩‍👩‍👧", "\t", " ", "\x00", "\u2028", "\ufeff", "\r\n", "```\n", "<!-- block {} -->\n", "{", `"`, "\ufffd", "漢字", "---\n"}
	var b strings.Builder
	for range d.IntN(n + 1) {
		b.WriteString(pieces[d.IntN(len(pieces))])
	}
	return b.String()
}

// patch is a patch of what some block says, or nearly.
func (d dice) patch() string {
	lines := strings.SplitAfter(d.known.content, "\n")
	lines[d.IntN(len(lines))] = d.text(4) + "\n"
	p := textdiff.Unified(d.known.content, strings.Join(lines, ""), "x")
	switch {
	case d.chance(20):
		return strings.Replace(p, "@@ -1", "@@ -7", 1)
	case d.chance(10) && len(p) > 0:
		return p[:d.IntN(len(p))]
	}
	return p
}

// wild is any JSON at all.
func (d dice) wild(depth int) any {
	switch n := d.IntN(9); {
	case n == 0:
		return nil
	case n == 1:
		return d.chance(50)
	case n == 2:
		return d.IntN(100) - 50
	case n == 3:
		return d.Float64() * 1e18
	case n < 6 || depth > 3:
		return d.text(8)
	case n < 8:
		return []any{d.wild(depth + 1), d.wild(depth + 1)}
	}
	return map[string]any{d.text(2): d.wild(depth + 1), "a": d.wild(depth + 1)}
}
