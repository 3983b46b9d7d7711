package textdiff

import "unicode/utf8"

// Splice replaces Del code points at Pos by Ins. Of a list of splices each one
// sees the text that the ones before it made.
type Splice struct {
	Pos, Del int
	Ins      string
}

// maxFine is the length in bytes of both sides of an edit up to which it is
// compared character by character.
const maxFine = 2048

// Splices returns what turns a into b: edits from front to back, small enough
// that what did not change between a and b is not touched. Equal texts need
// none. A text that is not valid UTF-8 is replaced as a whole, because its code
// points cannot be counted piece by piece.
func Splices(a, b string) []Splice {
	if a == b {
		return nil
	}
	if !utf8.ValidString(a) || !utf8.ValidString(b) {
		return []Splice{{Pos: 0, Del: utf8.RuneCountInString(a), Ins: b}}
	}
	edits := fine(a, b)
	out := make([]Splice, 0, len(edits))
	at, pos := 0, 0 // byte offset in a, code point in the text so far
	for _, e := range edits {
		pos += utf8.RuneCountInString(a[at:e.a0])
		s := Splice{Pos: pos, Del: utf8.RuneCountInString(a[e.a0:e.a1]), Ins: b[e.b0:e.b1]}
		out = append(out, s)
		at, pos = e.a1, pos+utf8.RuneCountInString(s.Ins)
	}
	return out
}

// fine returns byte edits between two texts: by line, within changed lines by
// word, within changed words by character.
func fine(a, b string) []edit {
	var out []edit
	for _, l := range refine(a, b, edit{0, len(a), 0, len(b)}, splitLines) {
		for _, w := range refine(a, b, l, splitWords) {
			w = trim(a, b, w)
			if w.a0 == w.a1 || w.b0 == w.b1 || w.a1-w.a0+w.b1-w.b0 > maxFine {
				addEdit(&out, w)
				continue
			}
			for _, c := range coarsen(refine(a, b, w, splitRunes)) {
				addEdit(&out, c)
			}
		}
	}
	return out
}

func splitRunes(s string) []string {
	out := make([]string, 0, len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeRuneInString(s)
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

// refine compares the two sides of an edit again, cut into smaller parts.
func refine(a, b string, e edit, split func(string) []string) []edit {
	if e.a0 == e.a1 || e.b0 == e.b1 {
		return []edit{e}
	}
	x, y := split(a[e.a0:e.a1]), split(b[e.b0:e.b1])
	n := number(x, y)
	edits := byBytes(compare(n.a, n.b), x, y)
	for i, d := range edits {
		edits[i] = edit{d.a0 + e.a0, d.a1 + e.a0, d.b0 + e.b0, d.b1 + e.b0}
	}
	return edits
}

// coarsen joins neighbouring edits when what stayed between them is no longer
// than what changed on either side: letters that two words happen to share.
func coarsen(edits []edit) []edit {
	var out []edit
	size := func(e edit) int { return max(e.a1-e.a0, e.b1-e.b0) }
	for _, e := range edits {
		for len(out) > 0 {
			last := out[len(out)-1]
			same := e.a0 - last.a1
			if same > size(last) || same > size(e) {
				break
			}
			e = edit{last.a0, e.a1, last.b0, e.b1}
			out = out[:len(out)-1]
		}
		out = append(out, e)
	}
	return out
}
