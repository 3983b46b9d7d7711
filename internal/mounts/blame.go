package mounts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/op"
)

// BlameSpec says which lines of which file.
type BlameSpec struct {
	Path        string // from the root
	First, Last int    // 0: from the first, to the last
}

// Blame is who wrote the lines of a file.
type Blame struct {
	Mount   Mount
	Path    string // in the mount
	Context kaijutsu.DocumentID
	Block   blocks.ID // "": it is no block
	Lines   []authorship.BlameLine
}

// Blame says of each line who wrote it last. A text file is a block from then on.
func (m *Mounts) Blame(ctx context.Context, c op.Call, spec BlameSpec) (_ Blame, err error) {
	defer m.veil(c, &err)
	s, rel, err := m.gitAt(c, spec.Path, kaijutsu.RightRead)
	if err != nil {
		return Blame{}, about("path", err)
	}
	if rel == "." {
		return Blame{}, &op.FieldError{Field: "path", Reason: "it is a mount", Hint: "name a file in it"}
	}
	t := authorship.Target{Git: s.tree, Path: rel, First: spec.First, Last: spec.Last}
	f, err := s.overlay.OpenFile(ctx, c, rel)
	switch {
	case err == nil && f.Block != "":
		t.Doc, t.Block = f.Doc, f.Block
	case err != nil && !errors.Is(err, kaijutsu.ErrTooLarge) && !errors.Is(err, kaijutsu.ErrUnavailable):
		return Blame{}, about("path", err)
	}
	out := Blame{Mount: m.shown(c, s), Path: rel, Context: t.Doc, Block: t.Block}
	out.Lines, err = m.book.Blame(ctx, t)
	if err != nil {
		return Blame{}, about("path", fmt.Errorf("blame %s/%s: %w", s.path, rel, err))
	}
	for i, l := range out.Lines { // which context is not for everybody
		if !l.Doc.IsZero() && l.Doc != t.Doc && !m.cfg.Kernel.MayRead(c, l.Doc) {
			out.Lines[i].Doc, out.Lines[i].Block = kaijutsu.DocumentID{}, ""
		}
	}
	return out, nil
}

// RewriteSpec says which commits were rewritten into which: by two ranges of
// which git pairs the commits, or by pairs.
type RewriteSpec struct {
	At       string
	Old, New string // ranges "a..b", or the tips of both
	// Pairs are lines "old new", as git gives them to its post-rewrite hook.
	Pairs  string
	Again  bool // also for commits that have a note already
	DryRun bool // say only what would be written
}

// maxPairs bounds the pairs of one call, in bytes.
const maxPairs = 1 << 20

// RewriteNotes carries the notes of commits on to those that a rebase, squash or
// amend made of them.
func (m *Mounts) RewriteNotes(ctx context.Context, c op.Call, spec RewriteSpec) (_ []git.Rewritten, err error) {
	defer m.veil(c, &err)
	s, leave, err := m.writable(ctx, c, spec.At)
	if err != nil {
		return nil, err
	}
	defer leave()
	repo := s.tree.Repo()
	var pairs []git.Rewrite
	switch {
	case spec.Pairs != "" && spec.Old+spec.New == "":
		if len(spec.Pairs) > maxPairs {
			return nil, kaijutsu.About("pairs", fmt.Errorf("pairs of %d bytes: %w: at most %d", len(spec.Pairs), kaijutsu.ErrTooLarge, maxPairs))
		}
		pairs, err = git.ReadRewrites(strings.NewReader(spec.Pairs))
		err = about("pairs", err)
	case spec.Pairs == "" && spec.Old != "":
		var old, new git.Range
		if old, err = commitRange(s.tree, "old", spec.Old); err != nil {
			return nil, err
		}
		if new, err = commitRange(s.tree, "new", or(spec.New, "HEAD")); err != nil {
			return nil, err
		}
		pairs, err = repo.FindRewrites(ctx, old, new)
	default:
		return nil, &op.FieldError{Field: "old", Reason: "which commits were rewritten is not said", Hint: "give old and new, or pairs"}
	}
	if err != nil {
		return nil, fmt.Errorf("rewrite notes of mount %s: %w", s.path, err)
	}
	out, err := repo.RewriteNotes(ctx, pairs, git.RewriteOptions{By: m.committer(), Again: spec.Again, DryRun: spec.DryRun})
	if err != nil {
		return nil, fmt.Errorf("rewrite notes of mount %s: %w", s.path, err)
	}
	return out, nil
}

// commitRange reads "a..b", or the tip b alone, as of a worktree.
func commitRange(w *git.Worktree, field, text string) (out git.Range, err error) {
	from, to, both := strings.Cut(text, "..")
	if !both {
		from, to = "", text
	}
	if from != "" {
		if out.From, err = w.Resolve(from); err != nil {
			return out, about(field, err)
		}
	}
	if out.To, err = w.Resolve(or(to, "HEAD")); err != nil {
		return out, about(field, err)
	}
	return out, nil
}

// committer is who makes the commits and writes the notes, now.
func (m *Mounts) committer() git.Signature {
	s := m.cfg.Committer
	s.When = m.cfg.Now()
	return s
}
