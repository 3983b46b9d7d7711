package textdiff

import (
	"fmt"
	"strconv"
	"strings"
)

// contextLines is how many equal lines Unified shows around a change.
const contextLines = 3

// noNewline follows a line that has no line feed.
const noNewline = `\ No newline at end of file`

// Unified returns the unified diff from a to b with 3 lines of context, as
// patch and git apply read it: for the files a/name and b/name. Equal texts
// give "".
func Unified(a, b, name string) string {
	x, y := splitLines(a), splitLines(b)
	edits := lineEdits(x, y)
	if len(edits) == 0 {
		return ""
	}
	var w strings.Builder
	fmt.Fprintf(&w, "--- %s\n+++ %s\n", quoteName("a/"+name), quoteName("b/"+name))
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].a0-edits[n-1].a1 <= 2*contextLines {
			n++
		}
		writeHunk(&w, x, y, edits[:n])
		edits = edits[n:]
	}
	return w.String()
}

// writeHunk writes neighbouring edits with the lines around and between them.
func writeHunk(w *strings.Builder, x, y []string, edits []edit) {
	first, last := edits[0], edits[len(edits)-1]
	before := min(contextLines, first.a0)
	after := min(contextLines, len(x)-last.a1)
	fmt.Fprintf(w, "@@ -%s +%s @@\n", lineRange(first.a0-before, last.a1+after), lineRange(first.b0-before, last.b1+after))
	at := first.a0 - before
	for _, e := range edits {
		writeLines(w, ' ', x[at:e.a0])
		writeLines(w, '-', x[e.a0:e.a1])
		writeLines(w, '+', y[e.b0:e.b1])
		at = e.a1
	}
	writeLines(w, ' ', x[at:at+after])
}

// lineRange writes 0-based lines [start, end) as diff does: 1-based with a
// count, an empty range by the line before it.
func lineRange(start, end int) string {
	switch n := end - start; n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return strconv.Itoa(start + 1)
	default:
		return fmt.Sprintf("%d,%d", start+1, n)
	}
}

func writeLines(w *strings.Builder, mark byte, lines []string) {
	for _, l := range lines {
		w.WriteByte(mark)
		w.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			w.WriteString("\n" + noNewline + "\n")
		}
	}
}

// quoteName quotes as git does a name that would break its line.
func quoteName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		if strings.Contains(name, " ") {
			return name + "\t"
		}
		return name
	}
	var q strings.Builder
	q.WriteByte('"')
	for _, c := range []byte(name) {
		switch {
		case c == '"' || c == '\\':
			q.WriteByte('\\')
			q.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&q, `\%03o`, c)
		default:
			q.WriteByte(c)
		}
	}
	q.WriteByte('"')
	return q.String()
}
