package authorship

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/git"
)

// maxBlob bounds the files that are compared with what git has, in bytes.
const maxBlob = 16 << 20

// blameCommit blames a file of a commit.
func (b *Book) blameCommit(ctx context.Context, t Target) ([]BlameLine, error) {
	if t.Git == nil || t.Head == "" {
		return nil, fmt.Errorf("there is no commit to look in: %w", kaijutsu.ErrNotFound)
	}
	h, err := fileIn(ctx, t.Git.Repo(), t.Head, t.Path)
	if err != nil {
		return nil, err
	}
	texts := splitLines(h.text)
	from, to, err := t.span(min(len(texts), len(h.origins)))
	if err != nil {
		return nil, err
	}
	a := b.asker(t.Git.Repo())
	out := make([]BlameLine, 0, to-from)
	for i := from; i < to; i++ {
		line := BlameLine{Line: i + 1, Text: strings.TrimSuffix(texts[i], "\r"), Source: FromDisk}
		if err := a.ask(ctx, &line, h.origins[i]); err != nil {
			return nil, err
		}
		out = append(out, line)
	}
	return out, nil
}

// file is a file in a commit, and where its lines come from.
type file struct {
	text    string
	origins []git.LineOrigin
}

// fileIn reads a file of a commit.
func fileIn(ctx context.Context, r *git.Repo, commit git.Hash, path string) (*file, error) {
	blob, err := r.FileAt(commit, path)
	if err != nil {
		return nil, err
	}
	if !blob.Mode.IsFile() {
		return nil, kaijutsu.About("path", fmt.Errorf("path: %s is no file of lines: %w", path, kaijutsu.ErrInvalid))
	}
	if len(blob.Data) > maxBlob {
		return nil, fmt.Errorf("%s has %d bytes: at most %d are blamed: %w", path, len(blob.Data), maxBlob, kaijutsu.ErrTooLarge)
	}
	origins, err := r.Blame(ctx, commit, path)
	if err != nil {
		return nil, err
	}
	return &file{valid(string(blob.Data)), origins}, nil
}

// headFile returns what a block's file is in Head; nil: it is not there.
func (b *Book) headFile(ctx context.Context, t Target, text string) (*file, error) {
	path := t.OldPath
	if path == "" {
		path = t.Path
	}
	h, err := fileIn(ctx, t.Git.Repo(), t.Head, path)
	if errors.Is(err, kaijutsu.ErrNotFound) && t.OldPath == "" {
		if path, err = renamedFrom(ctx, t, text); err == nil && path != "" {
			h, err = fileIn(ctx, t.Git.Repo(), t.Head, path)
		}
	}
	switch {
	case err == nil:
		return h, nil
	case errors.Is(err, kaijutsu.ErrNotFound), errors.Is(err, kaijutsu.ErrInvalid), errors.Is(err, kaijutsu.ErrTooLarge):
		return nil, nil // the log is all there is
	}
	return nil, err
}

// asker asks notes and commits for the writers of lines, each note once.
type asker struct {
	book  *Book
	repo  *git.Repo
	who   signatories
	notes map[git.Hash]*noteReader
}

// noteReader is a note and the keys of the files that were asked for.
type noteReader struct {
	*reader
	keys map[string][]string // by path
}

func (b *Book) asker(r *git.Repo) *asker {
	return &asker{b, r, b.signatories(), make(map[git.Hash]*noteReader)}
}

// ask says who wrote a line that comes from a commit: whom its note names, else
// its author.
func (a *asker) ask(ctx context.Context, l *BlameLine, o git.LineOrigin) error {
	n, err := a.note(o.Commit, o.Author.When)
	if err != nil {
		return err
	}
	l.Commit, l.Time = o.Commit, o.Author.When.UTC()
	l.Change, l.Via = kaijutsu.ChangeHash{}, kaijutsu.Principal{}
	if w := n.writer(ctx, n.key(o.Path, o.Line)); w.Key != "" && (!w.By.IsZero() || w.Author != "") {
		l.By, l.Model, l.Author, l.Key, l.Source = w.By, w.Model, w.Author, w.Key, FromNote
		l.Doc = w.Doc
		return nil
	}
	l.By, l.Doc, l.Source = a.who.find(o.Author.Email, o.Author.When), kaijutsu.DocumentID{}, FromGit
	l.Author = valid(identityText(o.Author))
	return nil
}

func (a *asker) note(commit git.Hash, at time.Time) (*noteReader, error) {
	if n := a.notes[commit]; n != nil {
		return n, nil
	}
	authorship, err := noteOf(a.repo, commit)
	if err != nil {
		return nil, err
	}
	r := &reader{book: a.book, note: authorship, at: at, who: a.who, byKey: make(map[string]Writer)}
	n := &noteReader{r, make(map[string][]string)}
	a.notes[commit] = n
	return n, nil
}

// key returns the key of a line; "": the note does not say.
func (n *noteReader) key(path string, line int) string {
	keys := n.keys[path]
	if line > len(keys) {
		keys = keysOf(n.note, path, max(line, 2*len(keys), 1000))
		n.keys[path] = keys
	}
	if line < 1 {
		return ""
	}
	return keys[line-1]
}
