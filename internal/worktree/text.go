package worktree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
)

// hash is the SHA-256 of a text or of a file's bytes.
type hash [sha256.Size]byte

func hashText(s string) hash  { return sha256.Sum256([]byte(s)) }
func hashBytes(b []byte) hash { return sha256.Sum256(b) }
func (h hash) String() string { return hex.EncodeToString(h[:]) }
func (h hash) IsZero() bool   { return h == hash{} }
func parseHash(s string) (hash, error) {
	var h hash
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) || hex.EncodeToString(b) != s {
		return h, fmt.Errorf("hash %.80q: want %d lower-case hexadecimal digits: %w", s, 2*len(h), kaijutsu.ErrInvalid)
	}
	return hash(b), nil
}

// eol is how a file on the disk ends its lines.
type eol string

const (
	// eolLF is "\n". It is also said of a file whose line ends are mixed: the
	// block holds those as they are, carriage returns included.
	eolLF eol = "lf"
	// eolCRLF is "\r\n" at every line; the block holds "\n".
	eolCRLF eol = "crlf"
)

const byteOrderMark = "\ufeff"

// shape is what a file has besides the text that its block holds.
type shape struct {
	EOL eol
	BOM bool
}

// binaryWithin is where a NUL makes a file binary, as for git.
const binaryWithin = 8 << 10

// fromDisk returns what a block holds of a file, and what it has besides. ok is
// false when the file is no text: a NUL in its first 8 KiB, or anything else
// than UTF-8.
func fromDisk(data []byte) (text string, s shape, ok bool) {
	if bytes.IndexByte(data[:min(len(data), binaryWithin)], 0) >= 0 || !utf8.Valid(data) {
		return "", shape{EOL: eolLF}, false
	}
	text = string(data)
	if rest, found := strings.CutPrefix(text, byteOrderMark); found {
		text, s.BOM = rest, true
	}
	s.EOL = eolLF
	lines := strings.Count(text, "\n")
	if lines > 0 && strings.Count(text, "\r\n") == lines && strings.Count(text, "\r") == lines {
		s.EOL = eolCRLF
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text, s, true
}

// fromDiskAs is fromDisk of a file that had a shape: as long as that says all of
// it, it keeps that shape, also with carriage returns within its lines.
func fromDiskAs(data []byte, was shape) (text string, s shape, ok bool) {
	text, s, ok = fromDisk(data)
	if !ok || was.EOL != eolCRLF || s.EOL == eolCRLF || !strings.Contains(text, "\r\n") {
		return text, s, ok
	}
	s.EOL = eolCRLF
	if crlf := strings.ReplaceAll(text, "\r\n", "\n"); bytes.Equal(toDisk(crlf, s), data) {
		return crlf, s, true
	}
	s.EOL = eolLF
	return text, s, true
}

// toDisk returns the file that holds a block's text. Where lines end with
// "\r\n", a line feed that follows a carriage return already gets no second one.
func toDisk(text string, s shape) []byte {
	var b bytes.Buffer
	b.Grow(len(text) + len(text)/16 + len(byteOrderMark))
	if s.BOM {
		b.WriteString(byteOrderMark)
	}
	if s.EOL != eolCRLF {
		b.WriteString(text)
		return b.Bytes()
	}
	for {
		line, rest, found := strings.Cut(text, "\n")
		b.WriteString(line)
		if !found {
			return b.Bytes()
		}
		if !strings.HasSuffix(line, "\r") {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
		text = rest
	}
}

// cut shortens a text to at most n bytes, at the border of a code point, and
// says so.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
