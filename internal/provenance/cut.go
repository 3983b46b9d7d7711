package provenance

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// cutDiff cuts a diff to at most so many bytes, behind a line, or where that
// leaves nothing but its head, behind a character. A last line says that it was
// cut; as a backslash begins it, patch passes it over.
func cutDiff(diff string, most int) string {
	if len(diff) <= most {
		return diff
	}
	note := fmt.Sprintf("\\ cut: the diff has %d bytes\n", len(diff))
	room := most - len(note)
	head := 0
	for range 3 { // both files, and the first hunk
		head += strings.IndexByte(diff[head:], '\n') + 1
	}
	if at := strings.LastIndexByte(diff[:room], '\n') + 1; at > head {
		return diff[:at] + note
	}
	for room--; room > 0 && !utf8.RuneStart(diff[room]); room-- {
	}
	return diff[:room] + "\n" + note
}
