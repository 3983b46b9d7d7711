package textdiff

import (
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
)

// maxSteps bounds the lines looked at while hunks are searched for that are not
// where they say.
const maxSteps = 1 << 27

// ApplyUnified returns text after a unified diff of it, as diff -u, git diff or
// Unified make it; file names in it are not looked at. Every context line and
// every deleted line must be there, exactly: at the line the hunk states,
// moved as far as the hunk before it was, or else at the only other place
// behind that hunk. Nothing is applied when one hunk does not fit.
//
// Errors name the hunk and the line. They wrap kaijutsu.ErrConflict when the
// text is not what the patch expects, kaijutsu.ErrInvalid when patch is no
// unified diff of one text, and kaijutsu.ErrTooLarge when too many hunks are
// far from where they say.
func ApplyUnified(text, patch string) (string, error) {
	hunks, err := parsePatch(patch)
	if err != nil {
		return "", err
	}
	p := patching{lines: splitLines(text), steps: maxSteps}
	for i := range hunks {
		if err := p.apply(&hunks[i]); err != nil {
			return "", err
		}
	}
	if err := p.write(p.lines[p.at:]); err != nil {
		return "", err
	}
	return p.out.String(), nil
}

// patching is a text with the first hunks of a patch applied.
type patching struct {
	lines []string
	at    int // lines consumed
	moved int // how far from its stated line the last hunk was found
	hunk  int
	open  bool // out ends without a line feed: nothing may follow
	out   strings.Builder
	steps int
}

func (p *patching) apply(h *patchHunk) error {
	p.hunk = h.number
	at := h.oldStart + p.moved
	if !p.fits(h, at) {
		found, err := p.search(h)
		if err != nil {
			return err
		}
		if found < 0 {
			return p.conflict(h)
		}
		at = found
	}
	p.moved = at - h.oldStart
	if err := p.write(p.lines[p.at:at]); err != nil {
		return err
	}
	if err := p.write(h.new); err != nil {
		return err
	}
	p.at = at + len(h.old)
	return nil
}

// fits reports whether the hunk's old lines are at line at.
func (p *patching) fits(h *patchHunk, at int) bool {
	return at >= p.at && at <= len(p.lines)-len(h.old) && slices.Equal(p.lines[at:at+len(h.old)], h.old)
}

// search returns the only place of the hunk's old lines, or -1 when there is
// none. A hunk without old lines has its stated place only.
func (p *patching) search(h *patchHunk) (int, error) {
	if len(h.old) == 0 {
		return -1, nil
	}
	rest := p.lines[p.at:]
	if p.steps -= len(rest) + len(h.old); p.steps < 0 {
		return 0, fmt.Errorf("hunk %d: too many hunks are not at the lines they state; make the patch anew: %w", h.number, kaijutsu.ErrTooLarge)
	}
	found := occurrences(rest, h.old, 2)
	switch len(found) {
	case 0:
		return -1, nil
	case 1:
		return p.at + found[0], nil
	}
	return 0, fmt.Errorf("hunk %d: its lines are not at line %d, but at line %d and at line %d; add lines of context: %w",
		h.number, h.oldStart+1, p.at+found[0]+1, p.at+found[1]+1, kaijutsu.ErrConflict)
}

// occurrences returns the first few places of want in lines, in linear time
// (Knuth, Morris, Pratt).
func occurrences(lines, want []string, most int) []int {
	border := make([]int, len(want)+1) // of want[:i]: its longest proper prefix that ends it
	border[0] = -1
	for i, k := 0, -1; i < len(want); {
		for k >= 0 && want[k] != want[i] {
			k = border[k]
		}
		i, k = i+1, k+1
		border[i] = k
	}
	var found []int
	k := 0
	for i, line := range lines {
		for k >= 0 && (k == len(want) || want[k] != line) {
			k = border[k]
		}
		if k++; k == len(want) {
			if found = append(found, i+1-k); len(found) == most {
				return found
			}
		}
	}
	return found
}

// conflict says which line of the hunk is not where it should be.
func (p *patching) conflict(h *patchHunk) error {
	at := h.oldStart + p.moved
	if at < p.at {
		return fmt.Errorf("hunk %d: it states line %d, which the hunk before it covers, and its lines are nowhere behind it: %w",
			h.number, h.oldStart+1, kaijutsu.ErrConflict)
	}
	if len(h.old) == 0 {
		return fmt.Errorf("hunk %d: it inserts behind line %d, the text has %d lines: %w", h.number, at, len(p.lines), kaijutsu.ErrConflict)
	}
	for _, l := range h.lines {
		if l.mark == '+' {
			continue
		}
		if at >= len(p.lines) {
			return fmt.Errorf("hunk %d: patch line %d: line %d of the text: expected %s, actual: the text has %d lines: %w",
				h.number, l.at, at+1, quote(l.text), len(p.lines), kaijutsu.ErrConflict)
		}
		if actual := p.lines[at]; actual != l.text {
			return fmt.Errorf("hunk %d: patch line %d: line %d of the text: expected %s, actual %s%s: %w",
				h.number, l.at, at+1, quote(l.text), quote(actual), endings(l.text, actual), kaijutsu.ErrConflict)
		}
		at++
	}
	return fmt.Errorf("hunk %d: its lines are not at line %d: %w", h.number, h.oldStart+1, kaijutsu.ErrConflict)
}

// endings tells apart lines that differ in their last line feed only.
func endings(expected, actual string) string {
	switch {
	case expected+"\n" == actual:
		return " with a line feed at its end"
	case expected == actual+"\n":
		return " without a line feed at its end"
	}
	return ""
}

// write adds lines to the result. A line without a line feed must be the last.
func (p *patching) write(lines []string) error {
	for _, l := range lines {
		if p.open {
			return fmt.Errorf("hunk %d: lines would follow a line that ends without a line feed: %w", p.hunk, kaijutsu.ErrConflict)
		}
		p.out.WriteString(l)
		p.open = !strings.HasSuffix(l, "\n")
	}
	return nil
}
