package authorship

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
)

// NoteSpec says what a note is about.
type NoteSpec struct {
	// Git is where the parent's note is; nil: it is not asked.
	Git *git.Worktree
	Doc kaijutsu.DocumentID
	// Heads are the document's of which the commit was made; none: it is as it
	// is now.
	Heads  kaijutsu.Heads
	Commit git.Hash // may be set later, as Meta.Base of the note
	Parent git.Hash // "": the commit is the first
	Files  []NoteFile
}

// NoteFile is a file of a commit.
type NoteFile struct {
	Path    string
	OldPath string    // its path in the parent, if another
	Block   blocks.ID // "": it is no block, and nothing is known of its lines
	Data    []byte    // as git stores it
}

// Note returns the note of a commit: of its files that are blocks every line
// whose writer is known, also unchanged ones, so that whichever of equal lines
// git takes for new, its writer is found. Lines that came out of git are
// somebody's if the parent's note says so; what was edited on a disk is nobody's.
//
// A person has one entry in a file; an agent one for each of its changes, but
// one for each context when a file would have more than 5,000 entries. The error
// wraps kaijutsu.ErrNotFound when the document holds no such block or heads.
func (b *Book) Note(ctx context.Context, spec NoteSpec) (git.Authorship, error) {
	n := b.newNote(spec)
	for _, f := range spec.Files {
		if f.Block == "" {
			continue
		}
		data := plain(valid(string(f.Data)))
		w, err := b.written(ctx, spec.Doc, f.Block, spec.Heads, func(now string) bool { return plain(now) == data })
		if err != nil {
			return git.Authorship{}, fmt.Errorf("note of %s: %w", f.Path, err)
		}
		marks := make([]mark, countLines(data))
		var old []int // the lines that came out of git
		for i, k := range lineMap(w.text, data) {
			switch {
			case k < 0 || k >= len(w.lines):
			case wrote(w.lines[k].By):
				marks[i] = n.markOf(w.lines[k])
			case w.lines[k].fromGit():
				old = append(old, i)
			}
		}
		if len(old) > 0 {
			if err := n.recall(ctx, f, data, marks, old); err != nil {
				return git.Authorship{}, fmt.Errorf("note of %s: %w", f.Path, err)
			}
		}
		if attest := attestation(f.Path, marks); len(attest.Entries) > 0 {
			n.out.Files = append(n.out.Files, attest)
		}
	}
	n.keepUsed()
	return n.out, nil
}

// note is a note that is being made.
type note struct {
	book *Book
	spec NoteSpec
	out  git.Authorship

	keys   map[writing]string
	humans map[string]kaijutsu.Principal // who has the key of a person
	older  *reader                       // of the parent's note; made when it is needed
}

// writing is who wrote, and where.
type writing struct {
	by    kaijutsu.Principal
	doc   kaijutsu.DocumentID
	model string
}

func (b *Book) newNote(spec NoteSpec) *note {
	return &note{
		book: b, spec: spec, keys: make(map[writing]string), humans: make(map[string]kaijutsu.Principal),
		out: git.Authorship{Meta: git.AuthorshipMeta{
			Writer: "kaijutsu", Base: spec.Commit,
			Prompts: make(map[string]rawJSON), Humans: make(map[string]git.Human), Sessions: make(map[string]git.Session),
		}},
	}
}

// recall marks lines that came out of git by the parent's note.
func (n *note) recall(ctx context.Context, f NoteFile, data string, marks []mark, lines []int) error {
	if n.spec.Git == nil || n.spec.Parent == "" {
		return nil
	}
	if n.older == nil {
		older, err := noteOf(n.spec.Git.Repo(), n.spec.Parent)
		if err != nil {
			return err
		}
		parent, err := n.spec.Git.Repo().Commit(string(n.spec.Parent))
		if err != nil {
			return err
		}
		n.older = n.book.reader(older, parent.Author.When)
	}
	path := f.OldPath
	if path == "" {
		path = f.Path
	}
	if !attests(n.older.note, path) {
		return nil
	}
	was, err := n.spec.Git.Repo().FileAt(n.spec.Parent, path)
	if err != nil {
		if errors.Is(err, kaijutsu.ErrNotFound) {
			return nil
		}
		return err
	}
	old := valid(string(was.Data))
	keys := keysOf(n.older.note, path, countLines(plain(old)))
	to := lineMap(old, data)
	for _, i := range lines {
		if k := to[i]; k >= 0 && keys[k] != "" && n.adopt(ctx, keys[k]) {
			marks[i] = markOfKey(keys[k])
		}
	}
	return nil
}

// attests reports whether a note says anything of a file.
func attests(a git.Authorship, path string) bool {
	for _, f := range a.Files {
		if f.Path == path {
			return true
		}
	}
	return false
}

// noteOf reads the note of a commit; one that is not there, or that nobody can
// read, says nothing.
func noteOf(r *git.Repo, commit git.Hash) (git.Authorship, error) {
	raw, err := r.Note(git.NotesRef, commit)
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound), errors.Is(err, kaijutsu.ErrTooLarge):
		return git.Authorship{}, nil
	case err != nil:
		return git.Authorship{}, err
	}
	a, err := git.ParseAuthorship(raw)
	if err != nil {
		return git.Authorship{}, nil // somebody else's, of whatever format
	}
	return a, nil
}
