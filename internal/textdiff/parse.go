package textdiff

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"kaijutsu"
)

// patchHunk is one hunk of a unified diff.
type patchHunk struct {
	number   int // 1-based, for errors
	oldStart int // 0-based line; for a hunk without old lines the line it goes before
	old, new []string
	lines    []patchLine
}

// patchLine is a line of a hunk: its mark, its text with the line feed, and
// where it stands in the patch (1-based).
type patchLine struct {
	mark byte
	text string
	at   int
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

// parsePatch reads the hunks of a unified diff of one text.
func parsePatch(patch string) ([]patchHunk, error) {
	lines := splitLines(patch)
	var hunks []patchHunk
	i := 0
	for i < len(lines) {
		line := strings.TrimRight(lines[i], "\r\n")
		switch {
		case strings.HasPrefix(line, "@@"):
			h, next, err := parseHunk(lines, i, len(hunks)+1)
			if err != nil {
				return nil, err
			}
			hunks, i = append(hunks, h), next
			continue
		case len(hunks) == 0:
			if strings.HasPrefix(line, "GIT binary patch") || strings.HasPrefix(line, "Binary files ") {
				return nil, fmt.Errorf("patch line %d: a binary patch; send a unified diff of text: %w", i+1, kaijutsu.ErrInvalid)
			}
		case line == "--" || line == "-- ":
			i = len(lines) // the signature of a mailed patch
			continue
		case line == "":
		case strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "Index: "):
			return nil, fmt.Errorf("patch line %d: a second file begins; send one patch per text: %w", i+1, kaijutsu.ErrInvalid)
		default:
			return nil, fmt.Errorf("patch line %d: %s is behind the lines that the header of hunk %d counts; correct the counts: %w",
				i+1, quote(line), len(hunks), kaijutsu.ErrInvalid)
		}
		i++
	}
	if len(hunks) == 0 {
		return nil, fmt.Errorf("patch has no hunk: want a unified diff with lines like \"@@ -1,3 +1,4 @@\": %w", kaijutsu.ErrInvalid)
	}
	return hunks, nil
}

// parseHunk reads the hunk whose header is line i and returns the line behind it.
func parseHunk(lines []string, i, number int) (patchHunk, int, error) {
	h := patchHunk{number: number}
	m := hunkHeader.FindStringSubmatch(lines[i])
	if m == nil {
		return h, 0, fmt.Errorf("hunk %d: patch line %d: header %s: want \"@@ -line,count +line,count @@\": %w",
			number, i+1, quote(lines[i]), kaijutsu.ErrInvalid)
	}
	start, oldCount, newCount := atoi(m[1]), count(m[2]), count(m[4])
	h.oldStart = start - 1
	if oldCount == 0 {
		h.oldStart = start
	} else if start == 0 {
		return h, 0, fmt.Errorf("hunk %d: patch line %d: line 0 with %d lines; lines count from 1: %w", number, i+1, oldCount, kaijutsu.ErrInvalid)
	}
	at := i
	i++
	for len(h.old) < oldCount || len(h.new) < newCount {
		if i == len(lines) {
			return h, 0, h.miscount(at, oldCount, newCount)
		}
		if err := h.take(lines[i], i+1); err != nil {
			return h, 0, err
		}
		i++
	}
	if len(h.old) != oldCount || len(h.new) != newCount {
		return h, 0, h.miscount(at, oldCount, newCount)
	}
	if i < len(lines) && strings.HasPrefix(lines[i], `\`) {
		if err := h.take(lines[i], i+1); err != nil {
			return h, 0, err
		}
		i++
	}
	return h, i, nil
}

// take adds one line of the patch to the hunk.
func (h *patchHunk) take(line string, at int) error {
	mark, text := line[0], line[1:]
	if line == "\n" || line == "\r\n" { // an empty context line whose blank was lost on the way
		mark, text = ' ', line
	}
	if mark != '\\' && !strings.HasSuffix(text, "\n") {
		text += "\n" // the last line of a patch that was trimmed
	}
	switch mark {
	case ' ':
		h.old, h.new = append(h.old, text), append(h.new, text)
	case '-':
		h.old = append(h.old, text)
	case '+':
		h.new = append(h.new, text)
	case '\\':
		return h.dropNewline(at)
	default:
		return fmt.Errorf("hunk %d: patch line %d: %s begins with none of \" \", \"-\", \"+\": %w", h.number, at, quote(line), kaijutsu.ErrInvalid)
	}
	h.lines = append(h.lines, patchLine{mark, text, at})
	return nil
}

// dropNewline takes the line feed from the line before "\ No newline …".
func (h *patchHunk) dropNewline(at int) error {
	if len(h.lines) == 0 || !strings.HasSuffix(h.lines[len(h.lines)-1].text, "\n") {
		return fmt.Errorf("hunk %d: patch line %d: no line before it that could end without a line feed: %w", h.number, at, kaijutsu.ErrInvalid)
	}
	last := &h.lines[len(h.lines)-1]
	last.text = strings.TrimSuffix(last.text, "\n")
	if last.mark != '+' {
		h.old[len(h.old)-1] = last.text
	}
	if last.mark != '-' {
		h.new[len(h.new)-1] = last.text
	}
	return nil
}

func (h *patchHunk) miscount(at, oldCount, newCount int) error {
	return fmt.Errorf("hunk %d: patch line %d: the header counts %d old and %d new lines, the hunk has %d and %d; correct the header: %w",
		h.number, at+1, oldCount, newCount, len(h.old), len(h.new), kaijutsu.ErrInvalid)
}

func count(digits string) int {
	if digits == "" {
		return 1
	}
	return atoi(digits)
}

// atoi reads at most nine digits, which the header's pattern has checked.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// quote shows a line in an error, cut when it is long.
func quote(line string) string {
	const most = 120
	line = strings.TrimSuffix(line, "\n")
	if r := []rune(line); len(r) > most {
		return strconv.Quote(string(r[:most])) + "…"
	}
	return strconv.Quote(line)
}
