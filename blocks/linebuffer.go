package blocks

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// chunkLines is how many lines a chunk of a lineBuffer holds when it is made.
const chunkLines = 512

// lineBuffer is a text as the edits of a batch see it, one after the other: its
// lines in chunks, so that an edit costs little more for a longer text.
type lineBuffer struct {
	chunks []lineChunk // at least one
	lines  int
	bytes  int
}

type lineChunk struct {
	lines []countedLine
	runes int
}

// countedLine is a line with its line feed, if it has one.
type countedLine struct {
	text  string
	runes int
}

func newLineBuffer(text string) *lineBuffer {
	b := &lineBuffer{chunks: []lineChunk{{}}}
	b.replace(0, 0, text)
	return b
}

// ended reports whether the text ends with a line feed, or is empty.
func (b *lineBuffer) ended() bool {
	last := b.chunks[len(b.chunks)-1].lines
	return len(last) == 0 || strings.HasSuffix(last[len(last)-1].text, "\n")
}

// find returns the chunk that holds a line and the line's number there; behind
// the last line, the end of the last chunk.
func (b *lineBuffer) find(line int) (chunk, at int) {
	for chunk < len(b.chunks)-1 && line >= len(b.chunks[chunk].lines) {
		line -= len(b.chunks[chunk].lines)
		chunk++
	}
	return chunk, line
}

// slice returns some lines, and how many characters are in front of them.
func (b *lineBuffer) slice(line, end int) (text string, before int) {
	chunk, at := b.find(line)
	for _, c := range b.chunks[:chunk] {
		before += c.runes
	}
	for _, l := range b.chunks[chunk].lines[:at] {
		before += l.runes
	}
	var out strings.Builder
	for left := end - line; left > 0; chunk, at = chunk+1, 0 {
		for _, l := range b.chunks[chunk].lines[at:] {
			if left == 0 {
				break
			}
			out.WriteString(l.text)
			left--
		}
	}
	return out.String(), before
}

// replace puts a text where some lines are. It ends with a line feed, unless it
// is empty or comes to be the last one.
func (b *lineBuffer) replace(line, end int, text string) {
	if line == b.lines && !b.ended() && text != "" { // it goes on where the last line ends
		line--
		last, _ := b.slice(line, end)
		text = last + text
	}
	from, start := b.find(line)
	to, stop := b.find(end)
	lines := slices.Clone(b.chunks[from].lines[:start])
	for text != "" {
		n := strings.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		lines = append(lines, countedLine{text[:n], utf8.RuneCountInString(text[:n])})
		text = text[n:]
	}
	lines = append(lines, b.chunks[to].lines[stop:]...)
	for _, c := range b.chunks[from : to+1] {
		b.count(c.lines, -1)
	}
	b.count(lines, 1)
	var chunks []lineChunk
	for piece := range slices.Chunk(lines, chunkLines) {
		c := lineChunk{lines: slices.Clip(piece)}
		for _, l := range piece {
			c.runes += l.runes
		}
		chunks = append(chunks, c)
	}
	b.chunks = slices.Replace(b.chunks, from, to+1, chunks...)
	if len(b.chunks) == 0 {
		b.chunks = []lineChunk{{}}
	}
}

func (b *lineBuffer) count(lines []countedLine, sign int) {
	b.lines += sign * len(lines)
	for _, l := range lines {
		b.bytes += sign * len(l.text)
	}
}
