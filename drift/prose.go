package drift

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// paragraph is a run of prose of one block: a paragraph of Markdown, or an item
// of a list, its lines joined.
type paragraph struct {
	text string
	// starts says where in text each of the lines begins, the first of which is
	// line first of the block.
	starts  []int
	first   int
	heading string // the heading that it stands under, within its block
}

// lineAt returns the number of the line that holds the byte at.
func (p *paragraph) lineAt(at int) int {
	i, _ := slices.BinarySearch(p.starts, at+1) // the first line that begins behind it
	return p.first + max(i-1, 0)
}

var (
	listMark = regexp.MustCompile(`^[ \t]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?`)
	// machineLine is what begins as logs, prompts, traces and diffs do.
	machineLine = regexp.MustCompile(`^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[$%#>] \S|\+\+\+ |--- |@@ |diff --git |goroutine \d+|\tat |\s+at \S+\(|[A-Z]+ \d{4}/\d\d|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|PANIC)[ :\[])`)
)

// paragraphs returns the prose of a Markdown text. Code blocks, tables,
// headings, rules, what a machine wrote and the last lines of extracts are not
// prose.
func paragraphs(text string) []paragraph {
	r := proseReader{}
	for n := 1; text != ""; n++ {
		end := lineEnd(text, 0)
		r.line(n, strings.TrimRight(text[:end], " \t\r\n"))
		text = text[end:]
	}
	r.flush()
	return r.done
}

type proseReader struct {
	done    []paragraph
	at      paragraph // being read, without its text
	text    strings.Builder
	last    rune // of text
	heading string
	fence   string
	blank   bool // the line before was blank, or code
	inList  bool
}

// line takes the next line, without its line break.
func (r *proseReader) line(n int, line string) {
	blank := r.blank || n == 1
	r.blank = false
	if r.fence != "" {
		if closes(line, r.fence) {
			r.fence = ""
		}
		return
	}
	if fence := fenceOf(line); fence != "" {
		r.flush()
		r.fence = fence
		return
	}
	if strings.TrimSpace(line) == "" {
		r.flush()
		r.blank = true
		return
	}
	mark := listMark.FindString(line)
	if first := strings.TrimLeft(mark, " \t"); first != "" && first[0] >= '0' && first[0] <= '9' && !blank && !r.inList && !strings.HasPrefix(first, "1.") && !strings.HasPrefix(first, "1)") {
		mark = "" // only a list that begins with 1 interrupts a paragraph (CommonMark §5.3)
	}
	if blank && mark == "" && !r.inList && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) {
		r.blank = true // indented code goes on until it is not indented
		return
	}
	line = strings.TrimLeft(line, " \t")
	for strings.HasPrefix(line, "> ") && !machineLine.MatchString(line[2:]) {
		line = strings.TrimLeft(line[2:], " \t")
	}
	switch {
	case strings.HasPrefix(line, "#") && strings.HasPrefix(strings.TrimLeft(line, "#"), " "):
		r.flush()
		r.heading, r.inList, r.blank = strings.TrimSpace(strings.Trim(line, "#")), false, true
	case isTableRow(line), isMachine(line), isRule(line), strings.HasPrefix(line, closing):
		r.flush()
	case mark != "":
		r.flush()
		r.inList = true
		r.add(n, listMark.ReplaceAllString(line, ""))
	default:
		r.inList = r.inList && (!blank || r.text.Len() > 0)
		r.add(n, line)
	}
}

// add joins a line to the paragraph at hand.
func (r *proseReader) add(n int, line string) {
	if line == "" {
		return
	}
	if r.text.Len() == 0 {
		r.at = paragraph{first: n, heading: r.heading}
	} else if after, _ := utf8.DecodeRuneInString(line); !isUnspaced(r.last) || !isUnspaced(after) {
		r.text.WriteByte(' ')
	}
	for len(r.at.starts) < n-r.at.first+1 {
		r.at.starts = append(r.at.starts, r.text.Len())
	}
	r.text.WriteString(line)
	r.last, _ = utf8.DecodeLastRuneInString(line)
}

func (r *proseReader) flush() {
	if r.text.Len() > 0 {
		r.at.text = r.text.String()
		r.done = append(r.done, r.at)
	}
	r.at = paragraph{}
	r.text.Reset()
}

// isUnspaced reports whether a script writes no space at the end of a line.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) || strings.ContainsRune("。、，！？；：", r)
}

func isTableRow(line string) bool {
	return strings.HasPrefix(line, "|") || strings.Count(line, " | ") >= 2
}

// isRule reports whether a line is a rule, or underlines a heading.
func isRule(line string) bool {
	return len(line) >= 3 && strings.Trim(line, line[:1]+" ") == "" && strings.Contains("-=*_", line[:1])
}

// isMachine reports whether a line is rather a machine's than a sentence: it
// begins as one, or has more signs than letters, or far more digits.
func isMachine(line string) bool {
	if machineLine.MatchString(line) {
		return true
	}
	letters, digits, signs := 0, 0, 0
	for _, r := range line {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		case r != ' ':
			signs++
		}
	}
	return signs > letters || digits > 3*letters
}
