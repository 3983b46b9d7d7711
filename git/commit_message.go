package git

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
)

// maxMessage bounds a commit message, in bytes.
const maxMessage = 1 << 20

// CleanMessage returns a message as git commit leaves one that was not typed
// in an editor: no spaces at line ends, no empty lines at both ends and only
// one in a row elsewhere, a line feed at the end. Lines that begin with "#"
// stay. A message of nothing but space becomes "".
func CleanMessage(s string) string {
	var b strings.Builder
	empty := 0
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " \t\v\f\r")
		if line == "" {
			empty++
			continue
		}
		if empty > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		empty = 0
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// checkMessage cleans a message and refuses what a commit cannot hold.
func checkMessage(s string) (string, error) {
	switch {
	case len(s) > maxMessage:
		return "", fmt.Errorf("message: over %d bytes: %w", maxMessage, kaijutsu.ErrTooLarge)
	case strings.ContainsRune(s, 0):
		return "", fmt.Errorf("message: holds a NUL character: %w", kaijutsu.ErrInvalid)
	case !utf8.ValidString(s):
		return "", fmt.Errorf("message: is not UTF-8: %w", kaijutsu.ErrInvalid)
	}
	clean := CleanMessage(s)
	if clean == "" {
		return "", fmt.Errorf("message: is empty: %w", kaijutsu.ErrInvalid)
	}
	return clean, nil
}
