package drift

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// passageRef is what a model writes to cite: [3], [3, 5], [3-5], [^3].
var passageRef = regexp.MustCompile(` ?\[\^?[0-9]{1,6}(?:\s?[,;–-]\s?\^?[0-9]{1,6})*\]`)

// maxRefRange is the widest range of passages that one pair of brackets names.
const maxRefRange = 16

// Cite turns the numbers by which an answer cites the passages of Transcript
// into citations of their blocks, as they were at the source's heads; of a
// block that was shown in part, of the lines that were shown. Each number is a
// citation's Ref, and stays as it is. Numbers that no passage has are taken
// out, except where they are glued to a word, as in args[0]; code and links are
// left alone.
func Cite(src Source, answer string) (text string, citations []Citation) {
	shown, _ := numbered(src)
	code := codeSpans(answer)
	cited := make(map[int]bool)
	var b strings.Builder
	done := 0
	for _, at := range passageRef.FindAllStringIndex(answer, -1) {
		start, end := at[0], at[1]
		if within(code, start) || end < len(answer) && (answer[end] == '(' || answer[end] == ':' && startsLine(answer, start)) {
			continue
		}
		ref := answer[start:end]
		glued := start > 0 && ref[0] == '[' && isWordByte(answer[start-1])
		known, all := knownRefs(ref, len(shown), maxCitations, cited)
		for _, n := range known {
			if !cited[n] {
				cited[n] = true
				citations = append(citations, src.cite(n, src.Blocks[shown[n-1]]))
			}
		}
		if all && !strings.ContainsAny(ref, ",;–-^") || glued && len(known) == 0 {
			continue
		}
		b.WriteString(answer[done:start])
		if len(known) > 0 && ref[0] == ' ' {
			b.WriteByte(' ')
		}
		for _, n := range known {
			b.WriteString("[" + strconv.Itoa(n) + "]")
		}
		done = end
	}
	b.WriteString(answer[done:])
	return b.String(), citations
}

// knownRefs returns the numbers in brackets that passages have, each once, and
// whether those are all. Beyond most citations, only those cited count.
func knownRefs(ref string, passages, most int, cited map[int]bool) (known []int, all bool) {
	all = true
	add := func(n int) {
		switch {
		case n < 1 || n > passages || len(cited)+len(known) >= most && !cited[n]:
			all = false
		case !slices.Contains(known, n):
			known = append(known, n)
		}
	}
	for _, part := range strings.FieldsFunc(strings.Trim(ref, " []"), func(r rune) bool { return r == ',' || r == ';' }) {
		from, to, ranged := strings.Cut(strings.ReplaceAll(part, "–", "-"), "-")
		first := refNumber(from)
		add(first)
		if last := refNumber(to); ranged && last-first <= maxRefRange {
			for n := first + 1; n <= last; n++ {
				add(n)
			}
		} else if ranged {
			add(last)
		}
	}
	return known, all
}

func refNumber(s string) int {
	n, _ := strconv.Atoi(strings.Trim(s, " \t\r\n^"))
	return n
}

// cite returns the citation of a passage, or of the lines of it that a
// transcript shows.
func (src Source) cite(ref int, p Passage) Citation {
	c := Citation{Ref: ref, Handle: src.handle(p), Quote: Quote(p.Content)}
	if len(p.Content) > maxPassageBytes {
		c.Handle.First, c.Handle.Last = 1, 1+strings.Count(cutBytes(p.Content, maxPassageBytes), "\n")
	}
	return c
}

// handle returns the handle of a whole passage.
func (src Source) handle(p Passage) Handle {
	return Handle{Kernel: src.Kernel, Context: src.Context, Block: string(p.ID), Heads: src.Heads.Texts()}
}

func startsLine(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return strings.TrimSpace(line) == ""
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
