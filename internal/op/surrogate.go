package op

import (
	"bytes"
	"strconv"
	"unicode/utf16"
)

// loneSurrogate reports whether an escape in JSON text is half of a surrogate
// pair: a decoder would put another character in its place.
func loneSurrogate(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 >= len(text) {
			return false
		}
		text = text[i:]
		r, ok := unitAt(text)
		if !ok || !utf16.IsSurrogate(r) {
			text = text[2:] // also past an escaped backslash
			continue
		}
		low, ok := unitAt(text[6:])
		if !ok || utf16.DecodeRune(r, low) == '\uFFFD' {
			return true
		}
		text = text[12:]
	}
}

// unitAt returns the UTF-16 unit of an escape that text begins with.
func unitAt(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
