package git

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
)

// checkPath refuses paths that must not be written in a worktree: those that
// verify_path of git refuses with core.protectHFS and core.protectNTFS, on
// every system. The error wraps kaijutsu.ErrInvalid.
func checkPath(path string, mode Mode) error {
	if why := badPath(path, mode); why != "" {
		return fmt.Errorf("path %.200q %s; it is not safe to check out: %w", path, why, kaijutsu.ErrInvalid)
	}
	return nil
}

func badPath(path string, mode Mode) string {
	if path == "" || len(path) > maxPath || strings.IndexByte(path, 0) >= 0 {
		return "is empty, too long or contains a NUL"
	}
	start := 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if why := badName(path[start:i], mode); why != "" {
			return why
		}
		start = i + 1
	}
	return ""
}

func badName(name string, mode Mode) string {
	if name == "" || name == "." || name == ".." {
		return "has an empty part, . or .."
	}
	// Nearly all names are settled here: a git directory's name, however it is
	// disguised, has one of these.
	if c := name[0]; c != '.' && c != 'g' && c != 'G' && c < 0x80 && strings.IndexByte(name, '\\') < 0 {
		return ""
	}
	for part := range strings.SplitSeq(name, `\`) { // Windows takes it for a slash
		if part == "" {
			continue
		}
		if ntfsName(part, "git", "git~1") || hfsName(part, "git") {
			return "has a part that some file systems take for .git"
		}
		if mode == Symlink && (ntfsName(part, "gitmodules", "gitmod~1") || hfsName(part, "gitmodules")) {
			return "is a symbolic link that some file systems take for .gitmodules"
		}
	}
	return ""
}

// ntfsName reports whether NTFS opens .want by name: case, dots and spaces at
// the end, streams, and the short name that it makes first.
func ntfsName(name, want, short string) bool {
	if i := strings.IndexByte(name, ':'); i >= 0 {
		name = name[:i]
	}
	name = strings.TrimRight(name, ". ")
	return strings.EqualFold(name, "."+want) || strings.EqualFold(name, short)
}

// hfsName reports whether HFS+ opens .want by name: it ignores case and some
// invisible characters.
func hfsName(name, want string) bool {
	rest := "." + want
	for len(name) > 0 {
		r, n := utf8.DecodeRuneInString(name)
		name = name[n:]
		if hfsIgnores(r) {
			continue
		}
		if rest == "" || r > 127 || lower(byte(r)) != rest[0] {
			return false
		}
		rest = rest[1:]
	}
	return rest == ""
}

// hfsIgnores lists what next_hfs_char of git's utf8.c does.
func hfsIgnores(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}
