package blocks

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/textdiff"
)

// LineOp is what a LineEdit does.
type LineOp string

// The operations on lines.
const (
	LineInsert  LineOp = "insert"
	LineDelete  LineOp = "delete"
	LineReplace LineOp = "replace"
)

// LineEdit is one step of EditLines. Lines are counted from 0, ends are
// exclusive, and a line ends with "\n" or the text; what is behind the last
// "\n" is a line if it is not empty.
type LineEdit struct {
	Op LineOp
	// Line is the first line. An insert goes in front of it; the number of
	// lines there are means the end.
	Line int
	// End is behind the last line that is deleted or replaced; not for inserts.
	End int
	// Content is what comes in, not for deletes. It gets a "\n" at its end if
	// it has none, but for a replacement by nothing; so does the line in front
	// of it.
	Content string
	// Expected is what the lines hold now, but for "\n" at the end; nil means
	// whatever they hold. Not for inserts.
	Expected *string
}

// EditLines edits the lines of a block, all or nothing. Each edit counts in
// what those before it made. A finished record is thawed first, in the same
// change. The error names the edit that fails, counted from 0; it wraps
// kaijutsu.ErrInvalid when a line is out of range, ErrConflict when the lines
// are not as expected, when the block still streams or is deleted.
func (tx *Tx) EditLines(id ID, edits []LineEdit) error {
	d, content, err := tx.editing(id)
	if err != nil {
		return fmt.Errorf("edit lines: %w", err)
	}
	doing := "edit lines of block " + string(id)
	var splices []textdiff.Splice
	scratch := newLineBuffer(content)
	for i, e := range edits {
		edits, err := e.carryOut(scratch)
		if err != nil {
			return kaijutsu.About(fmt.Sprintf("operations[%d]", i), fmt.Errorf("%s: atomic batch failed at operation %d: %w", doing, i, err))
		}
		splices = append(splices, edits...)
		if scratch.bytes > maxTxBytes {
			return kaijutsu.About(fmt.Sprintf("operations[%d]", i), fmt.Errorf("%s: atomic batch failed at operation %d: content of %d bytes: at most %d: %w", doing, i, scratch.bytes, maxTxBytes, kaijutsu.ErrTooLarge))
		}
	}
	if err := tx.spliceAll(d, content, splices); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// carryOut edits the lines of a text, and returns what it did to its characters.
func (e LineEdit) carryOut(text *lineBuffer) ([]textdiff.Splice, error) {
	end := e.End
	if e.Op == LineInsert {
		end = e.Line
	}
	if err := e.check(text.lines, end); err != nil {
		return nil, err
	}
	old, at := text.slice(e.Line, end)
	if e.Expected != nil {
		want, got := strings.TrimRight(*e.Expected, "\n"), strings.TrimRight(old, "\n")
		if got != want {
			return nil, fmt.Errorf("%w: content mismatch at lines %d..%d\nexpected:\n%s\nactual:\n%s", kaijutsu.ErrConflict, e.Line, end, want, got)
		}
	}
	ins := e.instead(text)
	splices := textdiff.Splices(old, ins)
	for i := range splices {
		splices[i].Pos += at
	}
	text.replace(e.Line, end, ins)
	return splices, nil
}

// instead returns what comes in place of the lines, line feeds included.
func (e LineEdit) instead(text *lineBuffer) string {
	ins := e.Content
	if e.Op == LineDelete || e.Op == LineReplace && ins == "" || ins == "" && text.bytes == 0 {
		return ""
	}
	if !strings.HasSuffix(ins, "\n") && (text.bytes > 0 || e.Op == LineReplace) {
		ins += "\n"
	}
	if e.Line == text.lines && !text.ended() {
		ins = "\n" + ins
	}
	return ins
}

// check refuses an edit of a text of n lines that is wrong in itself or out of
// range.
func (e LineEdit) check(n, end int) error {
	switch e.Op {
	case LineInsert:
		if e.End != 0 && e.End != e.Line {
			return fmt.Errorf("end %d: an insert has none: %w", e.End, kaijutsu.ErrInvalid)
		}
		if e.Expected != nil {
			return fmt.Errorf("expected: an insert replaces nothing: %w", kaijutsu.ErrInvalid)
		}
	case LineDelete:
		if e.Content != "" {
			return fmt.Errorf("content: a delete has none: %w", kaijutsu.ErrInvalid)
		}
	case LineReplace:
	default:
		return fmt.Errorf("op %.64q: want insert, delete or replace: %w", e.Op, kaijutsu.ErrInvalid)
	}
	switch {
	case !utf8.ValidString(e.Content):
		return fmt.Errorf("content is not UTF-8: %w", kaijutsu.ErrInvalid)
	case e.Line < 0 || e.Line > n:
		return fmt.Errorf("line %d is out of range (file has %d lines): %w", e.Line, n, kaijutsu.ErrInvalid)
	case end < e.Line:
		return fmt.Errorf("end %d is before line %d: %w", end, e.Line, kaijutsu.ErrInvalid)
	case end > n:
		return fmt.Errorf("line %d is out of range (file has %d lines): %w", end, n, kaijutsu.ErrInvalid)
	}
	return nil
}
