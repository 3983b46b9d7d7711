package git

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
)

// maxCommitFiles bounds the files of one commit.
const maxCommitFiles = 100000

// checked returns the specification with its texts cleaned, or what is wrong
// with it.
func (s CommitSpec) checked() (CommitSpec, error) {
	var err error
	if s.Message, err = checkMessage(s.Message); err != nil {
		return s, err
	}
	if s.Author, err = s.Author.cleaned("author"); err != nil {
		return s, err
	}
	if s.Committer == (Signature{}) {
		s.Committer = s.Author
	}
	if s.Committer, err = s.Committer.cleaned("committer"); err != nil {
		return s, err
	}
	if len(s.Files) > maxCommitFiles {
		return s, fmt.Errorf("files: over %d: %w", maxCommitFiles, kaijutsu.ErrTooLarge)
	}
	for _, f := range s.Files {
		if err := f.check(); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (f FileChange) check() error {
	if err := checkTreePath(f.Path); err != nil {
		return err
	}
	switch f.Mode {
	case 0, Regular, Executable:
	case Symlink:
		if len(f.Data) == 0 || len(f.Data) > maxPath || strings.ContainsRune(string(f.Data), 0) {
			return fmt.Errorf("path %q: the target of the symbolic link is empty, too long or holds a NUL character: %w", f.Path, kaijutsu.ErrInvalid)
		}
	default:
		return fmt.Errorf("path %q: mode %s is not that of a file: %w", f.Path, f.Mode, kaijutsu.ErrInvalid)
	}
	if len(f.Data) > maxObject {
		return fmt.Errorf("path %q: over %d bytes: %w", f.Path, maxObject, kaijutsu.ErrTooLarge)
	}
	return nil
}

// checkTreePath refuses what git refuses as a path of a tree: a part that is
// empty, ".", ".." or what some file system takes for ".git", and NUL.
func checkTreePath(path string) error {
	bad := func(why string) error {
		return fmt.Errorf("path %.300q %s: %w", path, why, kaijutsu.ErrInvalid)
	}
	switch {
	case path == "" || len(path) > maxPath:
		return bad("is empty or too long")
	case strings.ContainsRune(path, 0):
		return bad("holds a NUL character")
	case !utf8.ValidString(path):
		return bad("is not UTF-8")
	}
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return bad("has a part that is empty or made of dots; give a clean path relative to the top")
		case isDotGit(part):
			return bad("leads into git's own directory")
		}
	}
	return nil
}

// isDotGit reports whether a file system that ignores case, trailing dots and
// spaces, streams (NTFS) or invisible characters (HFS+) takes name for ".git".
func isDotGit(name string) bool {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		if r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, name)
	name = strings.ToLower(strings.TrimRight(name, " ."))
	return name == ".git" || name == "git~1"
}
