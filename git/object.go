package git

import (
	"crypto/sha1" //nolint:gosec // it is what names git's objects
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
)

// maxIdentity bounds a name or an email of a Signature, in bytes.
const maxIdentity = 1024

// hashObject returns the name that an object has.
func hashObject(kind objectKind, data []byte) Hash {
	h := sha1.New()
	h.Write(objectHeader(kind, len(data)))
	h.Write(data)
	return Hash(hex.EncodeToString(h.Sum(nil)))
}

func objectHeader(kind objectKind, size int) []byte {
	head := make([]byte, 0, 32)
	head = append(append(head, kind...), ' ')
	return append(strconv.AppendInt(head, int64(size), 10), 0)
}

// encodeTree returns a tree object of the entries, which it sorts as git does:
// by name, where that of a directory counts as ending in a slash.
func encodeTree(entries []treeEntry) []byte {
	if !slices.IsSortedFunc(entries, compareEntries) {
		slices.SortFunc(entries, compareEntries)
	}
	size := 0
	for _, e := range entries {
		size += len(e.Name) + 28
	}
	out := make([]byte, 0, size)
	for _, e := range entries {
		out = strconv.AppendUint(out, uint64(e.Mode), 8)
		out = append(append(append(out, ' '), e.Name...), 0)
		out, _ = hex.AppendDecode(out, []byte(e.Hash)) // a Hash is 40 digits
	}
	return out
}

func compareEntries(a, b treeEntry) int {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return int(sortByte(a, n)) - int(sortByte(b, n))
}

func sortByte(e treeEntry, at int) byte {
	switch {
	case at < len(e.Name):
		return e.Name[at]
	case e.Mode == Tree:
		return '/'
	}
	return 0
}

// encodeCommit returns a commit object without a signature. The message goes
// in as it is.
func encodeCommit(c CommitInfo) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", c.Author.ident(), c.Committer.ident(), c.Message)
	return []byte(b.String())
}

// ident is a signature as it stands in commits and reflogs.
func (s Signature) ident() string {
	return fmt.Sprintf("%s <%s> %d %s", s.Name, s.Email, s.When.Unix(), s.When.Format("-0700"))
}

// cleaned returns s as git would write it: without line feeds, control
// characters and angle brackets, and without the characters at both ends of a
// name or an email that git takes off. field names s in an error, which wraps
// kaijutsu.ErrInvalid.
func (s Signature) cleaned(field string) (Signature, error) {
	name, email := cleanIdent(s.Name), cleanIdent(s.Email)
	switch {
	case name == "":
		return s, fmt.Errorf("%s: the name is empty: %w", field, kaijutsu.ErrInvalid)
	case len(name) > maxIdentity || len(email) > maxIdentity:
		return s, fmt.Errorf("%s: name or email is over %d bytes: %w", field, maxIdentity, kaijutsu.ErrTooLarge)
	case s.When.Unix() < 0 || s.When.Year() > 9999:
		return s, fmt.Errorf("%s: git cannot write the time %s: %w", field, s.When.Format(time.RFC3339), kaijutsu.ErrInvalid)
	}
	return Signature{Name: name, Email: email, When: s.When.Truncate(time.Second)}, nil
}

// cleanIdent follows strbuf_addstr_without_crud of git's ident.c, and drops
// control characters and broken UTF-8 besides.
func cleanIdent(s string) string {
	if len(s) > 4*maxIdentity {
		s = s[:4*maxIdentity]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '<' || r == '>' || r == utf8.RuneError:
			return -1
		case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
	return strings.Trim(s, " .,:;<>\"\\'")
}
