package vfs

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
)

const (
	// maxName bounds a path, in bytes, as Linux does.
	maxName = 4096
	// maxComponent bounds one component of a path, in bytes, as Linux does.
	maxComponent = 255
)

// Clean returns a name below a mount in the one form in which file systems
// take it: components joined by single slashes, "." for the mount itself. It
// takes off "./" and a slash at the end. It refuses with ErrEscapes what could
// lead out of the mount on any system: "..", also behind backslashes or with
// dots and spaces after it, and absolute names; and with kaijutsu.ErrInvalid
// NUL, what is not UTF-8, empty components, and what is too long.
func Clean(name string) (string, error) {
	switch {
	case len(name) > maxName:
		return "", fmt.Errorf("path of %d bytes: at most %d: %w", len(name), maxName, kaijutsu.ErrInvalid)
	case !utf8.ValidString(name):
		return "", fmt.Errorf("path %q: not UTF-8: %w", name, kaijutsu.ErrInvalid)
	case strings.ContainsRune(name, 0):
		return "", fmt.Errorf("path %q: holds a NUL: %w", name, kaijutsu.ErrInvalid)
	case strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\`) || hasDrive(name):
		return "", fmt.Errorf("path %q: begin it below the mount, without a slash or drive: %w", name, ErrEscapes)
	case name == "" || name == ".":
		return ".", nil
	}
	parts := strings.Split(strings.TrimSuffix(name, "/"), "/")
	kept := parts[:0]
	for _, part := range parts {
		if err := checkComponent(name, part); err != nil {
			return "", err
		}
		if part != "." {
			kept = append(kept, part)
		}
	}
	if len(kept) == 0 {
		return ".", nil
	}
	clean := strings.Join(kept, "/")
	if strings.HasPrefix(clean, `\`) || hasDrive(clean) { // "./" stood before it
		return "", fmt.Errorf("path %q: begin it below the mount, without a slash or drive: %w", name, ErrEscapes)
	}
	return clean, nil
}

// hasDrive reports whether a name begins as Windows' drives and streams do.
func hasDrive(name string) bool {
	if len(name) < 3 || name[1] != ':' || name[2] != '/' && name[2] != '\\' {
		return false
	}
	c := name[0] | 0x20
	return 'a' <= c && c <= 'z'
}

func checkComponent(name, part string) error {
	switch {
	case part == "":
		return fmt.Errorf("path %q: two slashes in a row: write one: %w", name, kaijutsu.ErrInvalid)
	case len(part) > maxComponent:
		return fmt.Errorf("path: a component of %d bytes: at most %d: %w", len(part), maxComponent, kaijutsu.ErrInvalid)
	}
	for p := range strings.SplitSeq(part, `\`) {
		if climbs(p) {
			return fmt.Errorf("path %q: write it without %q: %w", name, part, ErrEscapes)
		}
	}
	return nil
}

// climbs reports whether some system takes a component for the directory
// above: two dots, and more dots and spaces behind them, which Windows drops.
func climbs(part string) bool {
	return strings.HasPrefix(part, "..") && strings.Trim(part, ". ") == ""
}

// cleanPath returns an absolute path in the form of the table: no slash at the
// end but of "/". Errors are those of Clean.
func cleanPath(p string) (string, error) {
	rest, ok := strings.CutPrefix(p, "/")
	if !ok {
		return "", fmt.Errorf("path %q: begin it with a slash, as in /scratch/notes.txt: %w", clip(p), kaijutsu.ErrInvalid)
	}
	if strings.HasPrefix(rest, "/") {
		return "", fmt.Errorf("path %q: two slashes in a row: write one: %w", clip(p), kaijutsu.ErrInvalid)
	}
	name, err := Clean(rest)
	if err != nil {
		return "", err
	}
	return path.Join("/", name), nil
}

// hides reports whether a character is not seen where a name is shown, or makes
// the rest look otherwise: control characters, ends of lines, changes of
// direction.
func hides(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// clip keeps a message short.
func clip(s string) string {
	if len(s) <= 200 {
		return s
	}
	cut := 200
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
