package mounts_test

import (
	"fmt"
	"slices"
	"strings"

	"kaijutsu/blocks"
)

// The writers that are none: of what was there when a file was opened, and of
// what programs wrote on the disk since.
const (
	loaded = "(loaded)"
	disk   = "(disk)"
)

// model is what a file should hold, and who wrote each line of it last, as whoever
// makes the edits writes it down. It knows characters by numbers: a line is the
// same for as long as it consists of the same ones.
type model struct {
	path   string
	exists bool
	block  blocks.ID // "": nobody has opened it
	crlf   bool      // so do the lines end on the disk

	chars []char
	by    map[string]string // the writer of each line, by its characters
}

type char struct {
	n int
	r rune
}

// modelLine is a line of a model; from and to are its characters, with its line
// feed if there is one.
type modelLine struct {
	text, key string
	from, to  int
}

func (f *model) text() string {
	var b strings.Builder
	for _, c := range f.chars {
		b.WriteRune(c.r)
	}
	return b.String()
}

func (f *model) lines() (out []modelLine) {
	var text, key strings.Builder
	from := 0
	for i, c := range f.chars {
		if c.r != '\n' {
			text.WriteRune(c.r)
			fmt.Fprintf(&key, "%d ", c.n)
		}
		if c.r != '\n' && i+1 < len(f.chars) {
			continue
		}
		if key.Len() == 0 {
			fmt.Fprintf(&key, "%d", c.n)
		}
		out = append(out, modelLine{text.String(), key.String(), from, i + 1})
		text.Reset()
		key.Reset()
		from = i + 1
	}
	return out
}

// ended reports whether the text ends with a line feed, or is empty.
func (f *model) ended() bool { return len(f.chars) == 0 || f.chars[len(f.chars)-1].r == '\n' }

// who is the last writer of a line.
func (f *model) who(l modelLine) string { return f.by[l.key] }

// unique reports whether no other line holds the same.
func (f *model) unique(i int) bool {
	lines, n := f.lines(), 0
	for _, l := range lines {
		if l.text == lines[i].text {
			n++
		}
	}
	return n == 1
}

// splice edits a model in somebody's name.
func (s *session) splice(f *model, pos, del int, ins, who string) {
	var in []char
	for _, r := range ins {
		s.unit++
		in = append(in, char{s.unit, r})
	}
	f.chars = slices.Replace(slices.Clone(f.chars), pos, pos+del, in...)
	now := make(map[string]string)
	for _, l := range f.lines() {
		writer, ok := f.by[l.key]
		if !ok {
			writer = who
			if s.ever[l.text] == nil {
				s.ever[l.text] = make(map[string]bool)
			}
			s.ever[l.text][writer] = true
		}
		now[l.key] = writer
	}
	f.by = now
}

// spliceLines puts lines in the place of others.
func (s *session) spliceLines(f *model, at, del int, ins []string, who string) {
	lines := f.lines()
	pos, n := len(f.chars), 0
	if at < len(lines) {
		pos = lines[at].from
	}
	for _, l := range lines[at : at+del] {
		n += l.to - l.from
	}
	text := ""
	for _, line := range ins {
		text += line + "\n"
	}
	s.splice(f, pos, n, text, who)
}

// onDisk is the text as the disk has it.
func (f *model) onDisk() string {
	if f.crlf {
		return strings.ReplaceAll(f.text(), "\n", "\r\n")
	}
	return f.text()
}

func plain(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
