package git

import (
	"fmt"
	"strings"
	"time"

	"kaijutsu"
)

// Hash is the name of a git object: 40 hexadecimal digits in lower case. The
// empty Hash is no object.
type Hash string

// ParseHash returns the object name in s.
func ParseHash(s string) (Hash, error) {
	if !isHash(s) {
		return "", fmt.Errorf("object name %.80q is not 40 hexadecimal digits in lower case: %w", s, kaijutsu.ErrInvalid)
	}
	return Hash(s), nil
}

func isHash(s string) bool {
	if len(s) != 40 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Mode is the mode of a tree or index entry, as git writes it.
type Mode uint32

// The modes there are. Old repositories hold others for regular files; they are
// read as Regular or Executable.
const (
	Tree       Mode = 0o040000
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Submodule  Mode = 0o160000
)

// String returns the mode in octal, as git prints it: "100644".
func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

// IsFile reports whether the mode is that of a file with content of its own:
// regular, executable or not.
func (m Mode) IsFile() bool { return m == Regular || m == Executable }

// Blob is a path of a commit. Data is empty for trees and submodules.
type Blob struct {
	Hash Hash
	Mode Mode
	Data []byte
}

// Signature says who did something in git, and when. When keeps its time zone;
// its precision is a second.
type Signature struct {
	Name, Email string
	When        time.Time
}

// CommitInfo is what a commit says.
type CommitInfo struct {
	Hash      Hash
	Tree      Hash
	Parents   []Hash
	Author    Signature
	Committer Signature
	Message   string // whole, as stored, in UTF-8
	Signed    bool   // carries a signature; it is not checked
}

// Subject returns the first paragraph of the message in one line.
func (c CommitInfo) Subject() string {
	head, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n\n")
	return strings.Join(strings.FieldsFunc(head, func(r rune) bool { return r == '\n' }), " ")
}
