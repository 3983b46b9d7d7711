package interchange

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"kaijutsu/blocks"
	"pgregory.net/rapid"
)

// contents draws text that is hard on Markdown.
func contents() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.StringN(0, 20, -1),
		rapid.SampledFrom([]string{
			"\n", "\n\n", "\r\n", "\r", "```", "````", "~~~", "```go\nx\n```", "`", "---", "--", "-->", "<!--", "<!-- block {} -->",
			"**user** <!-- block {\"role\":\"user\"} -->", "<!-- block", "x <!-- block {", "# Heading", "\x00", "\x1b[31m", "\ufeff", "\u2028", "\t", "   ", " ",
			"<pre>", "<script>", "</div>", "e\u0301", "👩\u200d👩", "\ufffc", "\\u002d", "- item\n  - item", "> quote", "| a | b |", "kaijutsu: 1", "[x]: y", "&amp;", "\"", "\\",
		}),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 12), func(parts []string) string {
		return strings.ToValidUTF8(strings.Join(parts, ""), "?")
	})
}

func metas() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Just(""),
		rapid.SampledFrom([]string{`{}`, `{"a":1}`, ` {"a": 1}`, "{\n\"a\":1}", `{"a":"--> -- <!-- &"}`, `{"a":"<b>"}`, `{"a":1e999}`, `{"\u0041":"\u2028"}`, `{"a":` + "\"\u2028\"" + `}`}),
		rapid.Map(contents(), func(s string) string { return `{"s":` + marshal(s) + `}` }),
	)
}

// contexts draws contexts as documents hold them.
func contexts() *rapid.Generator[Context] {
	return rapid.Custom(func(t *rapid.T) Context {
		c := Context{Title: contents().Draw(t, "title")}
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		places := newPlacer()
		for range rapid.IntRange(0, 6).Draw(t, "blocks") {
			b := Block{
				Kind:      rapid.SampledFrom([]blocks.Kind{"text", "text", "tool_call", "tool_result", "shell_output", "error", "a_kind"}).Draw(t, "kind"),
				Role:      rapid.SampledFrom([]blocks.Role{"user", "model", "system", "tool"}).Draw(t, "role"),
				Status:    rapid.SampledFrom([]blocks.Status{"done", "pending", "running", "error", "cancelled"}).Draw(t, "status"),
				Form:      rapid.SampledFrom([]blocks.Form{"text", "body", "chunks", ""}).Draw(t, "form"),
				Meta:      metas().Draw(t, "meta"),
				Collapsed: rapid.Bool().Draw(t, "collapsed"),
				Excluded:  rapid.Bool().Draw(t, "excluded"),
				Ephemeral: rapid.Bool().Draw(t, "ephemeral"),
			}
			if rapid.Bool().Draw(t, "old") {
				b.ID = blocks.NewID(now)
			}
			if b.Form != "" {
				b.Content = contents().Draw(t, "content")
			}
			switch rapid.IntRange(0, 3).Draw(t, "parent") {
			case 0:
				b.Parent = blocks.NewID(now)
			case 1, 2:
				if n := len(c.Blocks); n > 0 {
					b.Parent = c.Blocks[rapid.IntRange(0, n-1).Draw(t, "which")].ID
				}
			}
			if rapid.IntRange(0, 4).Draw(t, "at the root") > 0 {
				b.Depth = places.impliedDepth(b)
			}
			places.depth[b.ID] = b.Depth
			if rapid.Bool().Draw(t, "signed") {
				b.Author, b.Created = "somebody", now
			}
			c.Blocks = append(c.Blocks, b)
		}
		return c
	})
}

// unsigned returns a context without what Markdown leaves out.
func unsigned(c Context) Context {
	c.Blocks = slices.Clone(c.Blocks)
	for i := range c.Blocks {
		c.Blocks[i].Author, c.Blocks[i].Created = "", time.Time{}
	}
	return c
}

// same reports whether two contexts are equal; no blocks and nil are.
func same(a, b Context) bool {
	return a.Title == b.Title && (len(a.Blocks) == 0 && len(b.Blocks) == 0 || reflect.DeepEqual(a.Blocks, b.Blocks))
}

func TestMarkdownRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := contexts().Draw(t, "context")
		var b bytes.Buffer
		if err := WriteMarkdown(&b, c); err != nil {
			t.Fatal(err)
		}
		text := b.Bytes()
		if rapid.Bool().Draw(t, "with the line ends of Windows") {
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
		got, err := ReadMarkdown(text)
		if err != nil {
			t.Fatalf("%v, of\n%s", err, b.String())
		}
		if want := unsigned(c); !same(got, want) {
			t.Fatalf("read\n%+v\nwant\n%+v\nfrom\n%s", got, want, b.String())
		}
	})
}

func TestJSONRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := contexts().Draw(t, "context")
		var b bytes.Buffer
		if err := WriteJSON(&b, c); err != nil {
			t.Fatal(err)
		}
		got, err := ReadJSON(b.Bytes())
		if err != nil {
			t.Fatalf("%v, of\n%s", err, b.String())
		}
		if !same(got, c) {
			t.Fatalf("read\n%+v\nwant\n%+v\nfrom\n%s", got, c, b.String())
		}
	})
}

func TestPlanKeepsTheTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := contexts().Draw(t, "context")
		n := 0
		specs, err := Plan(c, func() blocks.ID { n++; return blocks.ID(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) })
		if err != nil {
			t.Fatal(err)
		}
		at := make(map[blocks.ID]int)
		for i, s := range specs {
			b := c.Blocks[i]
			if s.Content != b.Content || s.Kind != b.Kind || s.Role != b.Role || s.Status != b.Status {
				t.Fatalf("spec %+v of block %+v", s, b)
			}
			if (s.Parent == "") != (b.Depth == 0) {
				t.Fatalf("spec %+v of a block of depth %d", s, b.Depth)
			}
			if p, ok := at[s.Parent]; s.Parent != "" && (!ok || c.Blocks[p].ID != b.Parent) {
				t.Fatalf("parent of %+v: block %d, which is before it: %v", s, p, ok)
			}
			if _, taken := at[s.ID]; taken {
				t.Fatalf("id %s twice", s.ID)
			}
			at[s.ID] = i
		}
	})
}

func TestHugeContext(t *testing.T) {
	c := Context{Title: "huge"}
	for i := range 10_000 {
		c.Blocks = append(c.Blocks, Block{ID: blocks.NewID(time.Now()), Kind: "text", Role: "user", Status: "done", Form: "text", Content: strings.Repeat(fmt.Sprintf("line %d\n", i), 20) + "end"})
	}
	c.Blocks = append(c.Blocks, Block{Kind: "tool_result", Role: "tool", Status: "done", Form: "body", Content: strings.Repeat("x\n`", 1<<20)})
	for name, f := range map[string]struct {
		write func(*bytes.Buffer) error
		read  func([]byte) (Context, error)
	}{
		"Markdown": {func(b *bytes.Buffer) error { return WriteMarkdown(b, c) }, ReadMarkdown},
		"JSON":     {func(b *bytes.Buffer) error { return WriteJSON(b, c) }, ReadJSON},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			began := time.Now()
			if err := f.write(&b); err != nil {
				t.Fatal(err)
			}
			got, err := f.read(b.Bytes())
			if err != nil || !same(got, c) {
				t.Errorf("error %v, or another context", err)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%d bytes took %v", b.Len(), took)
			}
		})
	}
}

func FuzzReadMarkdown(f *testing.F) {
	for _, seed := range []string{"", "---\n", "---\nkaijutsu: 1\n---\n\n**user** <!-- block {} -->\n\nx\n", "# A\n\ntext\n\n```\n# no heading\n```\n", "<!-- block {\"as\":\"json\"} -->\n```json\n\"x\"\n```\n", "---\ntags: [a]\n---\nx"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadMarkdown(data)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteMarkdown(&b, c); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadMarkdown(b.Bytes()); err != nil || !same(again, c) {
			t.Errorf("read %+v, written and read again %+v, %v, from\n%s", c, again, err, b.String())
		}
	})
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"kaijutsu":1,"title":"t","blocks":[{"content":"x","meta":"{}"},{"form":"","content":""}]}`))
	f.Add([]byte(`{"kaijutsu":1,"blocks":[{"id":"01a1fe6f-3f3b-7d8e-a9fd-e2f38a2b0dc5","content":"x"},{"parent":"01a1fe6f-3f3b-7d8e-a9fd-e2f38a2b0dc5","depth":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadJSON(data)
		if err != nil {
			return
		}
		for _, b := range c.Blocks {
			if !utf8.ValidString(b.Content) || b.Created.Year() > 9999 || b.Created.Year() < 0 {
				return
			}
		}
		var b bytes.Buffer
		if err := WriteJSON(&b, c); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadJSON(b.Bytes()); err != nil || len(again.Blocks) != len(c.Blocks) {
			t.Errorf("read %+v, written and read again %+v, %v, from\n%s", c, again, err, b.String())
		}
	})
}
