package git

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kaijutsu"
)

// readCommit returns a commit.
func (r *Repo) readCommit(h Hash) (CommitInfo, error) {
	data, err := r.readKind(h, commitKind)
	if err != nil {
		return CommitInfo{}, err
	}
	c, err := parseCommit(data)
	if err != nil {
		return CommitInfo{}, corrupt(h, err)
	}
	c.Hash = h
	return c, nil
}

// treeOf returns the tree of a commit; of no commit, none.
func (r *Repo) treeOf(commit Hash) (Hash, error) {
	if commit == "" {
		return "", nil
	}
	c, err := r.readCommit(commit)
	return c.Tree, err
}

// parseCommit takes a commit object apart. It is lenient where git is: odd
// identities and unknown headers are no error.
func parseCommit(data []byte) (CommitInfo, error) {
	var c CommitInfo
	head, message, _ := strings.Cut(string(data), "\n\n")
	encoding := ""
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = Hash(value)
		case "parent":
			if !isHash(value) {
				return c, errors.New("a parent is no object name")
			}
			c.Parents = append(c.Parents, Hash(value))
		case "author":
			c.Author = parseIdent(value)
		case "committer":
			c.Committer = parseIdent(value)
		case "encoding":
			encoding = value
		case "gpgsig":
			c.Signed = true
		}
	}
	if !isHash(string(c.Tree)) {
		return c, errors.New("its tree is no object name")
	}
	c.Message = decodeText(message, encoding)
	for _, s := range []*Signature{&c.Author, &c.Committer} {
		s.Name, s.Email = decodeText(s.Name, encoding), decodeText(s.Email, encoding)
	}
	return c, nil
}

// decodeText returns UTF-8: what is not is read as Latin-1, which most old
// commits are in, whatever they state.
func decodeText(s, encoding string) string {
	latin := strings.EqualFold(encoding, "iso-8859-1") || strings.EqualFold(encoding, "latin1")
	if utf8.ValidString(s) && !latin {
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

// parseIdent reads "Name <email> seconds zone".
func parseIdent(s string) Signature {
	open, end := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		return Signature{Name: strings.TrimSpace(s), When: time.Unix(0, 0).UTC()}
	}
	sig := Signature{Name: strings.TrimSpace(s[:open]), Email: s[open+1 : end], When: time.Unix(0, 0).UTC()}
	fields := strings.Fields(s[end+1:])
	if len(fields) == 0 {
		return sig
	}
	sec, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || sec < 0 || sec > 1<<40 {
		return sig
	}
	sig.When = time.Unix(sec, 0).UTC()
	if len(fields) > 1 {
		if zone, err := strconv.Atoi(fields[1]); err == nil && len(fields[1]) == 5 {
			sig.When = sig.When.In(time.FixedZone("", (zone/100*60+zone%100)*60))
		}
	}
	return sig
}

// peel follows annotated tags to an object of a kind.
func (r *Repo) peel(h Hash, want objectKind) (Hash, error) {
	for range 10 {
		kind, data, err := r.readObject(h, 0)
		if err != nil {
			return "", err
		}
		switch {
		case kind == want:
			return h, nil
		case kind == commitKind && want == treeKind:
			c, err := parseCommit(data)
			return c.Tree, err
		case kind != tagKind:
			return "", fmt.Errorf("object %s is a %s, not a %s: %w", h, kind, want, kaijutsu.ErrInvalid)
		}
		line, _, _ := strings.Cut(string(data), "\n")
		target := strings.TrimPrefix(line, "object ")
		if !isHash(target) {
			return "", corrupt(h, errors.New("the tag names no object"))
		}
		h = Hash(target)
	}
	return "", fmt.Errorf("object %s: too many tags of tags: %w", h, kaijutsu.ErrInvalid)
}
