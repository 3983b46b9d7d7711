package interchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"kaijutsu/blocks"
)

// header is what the comment that begins a block holds. Fields that are absent
// have their default.
type header struct {
	ID     blocks.ID     `json:"id,omitempty"`
	Parent blocks.ID     `json:"parent,omitempty"`
	Depth  *int          `json:"depth,omitempty"` // when it does not follow from Parent
	Kind   blocks.Kind   `json:"kind,omitempty"`
	Role   blocks.Role   `json:"role,omitempty"`
	Status blocks.Status `json:"status,omitempty"`
	Form   string        `json:"form,omitempty"` // "none": no content
	As     string        `json:"as,omitempty"`   // "fence" or "json"; how the content is written

	Collapsed bool `json:"collapsed,omitempty"`
	Excluded  bool `json:"excluded,omitempty"`
	Ephemeral bool `json:"ephemeral,omitempty"`

	// Meta is the object when it looks the same on one line; else MetaText is
	// its text.
	Meta     json.RawMessage `json:"meta,omitempty"`
	MetaText string          `json:"meta_text,omitempty"`
}

const (
	asFence  = "fence"
	asJSON   = "json"
	formNone = "none"
)

// headerStart is what every line that begins a block looks like, also when
// there is a mistake in it.
var headerStart = regexp.MustCompile("^[^<`]{0,200}<!-- block\\b")

// beginsBlock reports whether a line begins a block, or was meant to.
func beginsBlock(line string) bool {
	return strings.Contains(line, "<!-- block") && headerStart.MatchString(line)
}

// WriteMarkdown writes a context as Markdown. The error wraps
// kaijutsu.ErrInvalid when something in it is not UTF-8.
func WriteMarkdown(w io.Writer, c Context) error {
	if err := checkWritable(c); err != nil {
		return fmt.Errorf("write Markdown: %w", err)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "---\nkaijutsu: %d\ntitle: %s\n---\n", version, marshal(c.Title))
	places := newPlacer()
	for _, b := range c.Blocks {
		writeBlock(out, b, places)
		places.depth[b.ID] = b.Depth
	}
	return out.Flush()
}

func writeBlock(w *bufio.Writer, b Block, places *placer) {
	h := header{
		ID: b.ID, Parent: b.Parent, Role: b.Role, As: presentation(b),
		Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral,
	}
	if b.Depth != places.impliedDepth(b) {
		h.Depth = &b.Depth
	}
	if b.Kind != blocks.KindText {
		h.Kind = b.Kind
	}
	if b.Status != blocks.StatusDone {
		h.Status = b.Status
	}
	switch b.Form {
	case defaultForm(b.Role, b.Status):
	case "":
		h.Form = formNone
	default:
		h.Form = string(b.Form)
	}
	if canonical(b.Meta) {
		h.Meta = json.RawMessage(b.Meta)
	} else {
		h.MetaText = b.Meta
	}
	// "--" would end the comment for some readers; it occurs in strings only.
	fields := strings.ReplaceAll(marshal(h), "--", `-\u002d`)
	fmt.Fprintf(w, "\n%s <!-- block %s -->\n", label(b), fields)
	switch h.As {
	case asFence:
		writeFence(w, language(b), b.Content)
	case asJSON:
		writeFence(w, "json", marshal(b.Content))
	default:
		if b.Content != "" {
			fmt.Fprintf(w, "\n%s\n", b.Content)
		}
	}
}

// label says to people what a block is.
func label(b Block) string {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '_' || r >= 'a' && r <= 'z' {
				return r
			}
			return -1
		}, s)
	}
	out := "**" + plain(string(b.Role)) + "**"
	if b.Kind != blocks.KindText {
		out += " " + plain(string(b.Kind))
	}
	if b.Status != blocks.StatusDone {
		out += " (" + plain(string(b.Status)) + ")"
	}
	return out
}

// presentation says how a content is written: "" as it is.
func presentation(b Block) string {
	s := b.Content
	switch {
	case s == "":
		return ""
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\ufeff' }):
		return asJSON
	case isOutput(b.Kind) || s[0] == '\n' || s[len(s)-1] == '\n' || !harmless(s):
		return asFence
	}
	return ""
}

// isOutput says that content of a kind is what a program wrote or reads.
func isOutput(k blocks.Kind) bool {
	switch k {
	case blocks.KindToolCall, blocks.KindToolResult, blocks.KindShellCommand, blocks.KindShellOutput,
		blocks.KindFile, blocks.KindResource, blocks.KindQuery, blocks.KindRun:
		return true
	}
	return false
}

// spills are beginnings of HTML that Markdown lets run on past empty lines.
var spills = regexp.MustCompile(`(?i)<!|<\?|<(script|pre|style|textarea)\b`)

// harmless reports whether Markdown leaves what follows it alone, and has no
// line that would begin a block.
func harmless(s string) bool {
	if spills.MatchString(s) {
		return false
	}
	fence := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		if beginsBlock(line) {
			return false
		}
		fence = nextFence(fence, line)
	}
	return fence == ""
}

// nextFence returns the fence that is open behind a line, "" when none is.
func nextFence(open, line string) string {
	trimmed := strings.TrimLeft(line, " \t>")
	for _, mark := range [...]string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, mark))
		if n < 3 {
			continue
		}
		switch rest := trimmed[n:]; {
		case open == "" && !(mark == "`" && strings.Contains(rest, "`")):
			return trimmed[:n]
		case open != "" && strings.HasPrefix(trimmed[:n], open) && strings.TrimSpace(rest) == "":
			return ""
		}
	}
	return open
}

// language guesses what a fenced content is written in.
func language(b Block) string {
	switch {
	case b.Kind == blocks.KindShellCommand:
		return "sh"
	case b.Kind == blocks.KindToolCall && json.Valid([]byte(b.Content)):
		return "json"
	}
	return ""
}

var backticks = regexp.MustCompile("`+")

// writeFence writes a content in a fence that is longer than any in it.
func writeFence(w *bufio.Writer, language, content string) {
	longest := 2
	for _, run := range backticks.FindAllString(content, -1) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	fmt.Fprintf(w, "\n%s%s\n%s\n%s\n", fence, language, content, fence)
}

// canonical reports whether a JSON object is written back as the same text.
func canonical(meta string) bool {
	if meta == "" || !json.Valid([]byte(meta)) || meta[0] != '{' || strings.Contains(meta, "--") {
		return false
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(meta)); err != nil {
		return false
	}
	return compact.String() == meta && !strings.ContainsAny(meta, "<>&\u2028\u2029")
}

// marshal returns v as JSON on one line, with <, > and & escaped.
func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // strings, booleans and valid raw JSON
		panic(err)
	}
	return string(b)
}
