package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"kaijutsu"
)

// maxRewrites bounds the pairs of one call.
const maxRewrites = 100000

// Rewrite says which commits became another one: one in a rebase, an amend or
// a cherry-pick, several in a squash, and the same one again where a commit was
// split.
type Rewrite struct {
	Old []Hash // oldest first
	New Hash
}

// RewriteOptions says how notes are carried on.
type RewriteOptions struct {
	Ref    string    // of the notes, in full; default NotesRef
	By     Signature // who writes the notes
	Again  bool      // also for commits that have a note already
	DryRun bool      // say what would be written
}

// Rewritten says what became of a rewrite.
type Rewritten struct {
	Rewrite
	Lines   int    // that have a writer in the new note
	Skipped string // why no note was written; "": it was
}

// ReadRewrites reads what git gives to its post-rewrite hook: lines of an old
// and a new commit. Old commits of the same new one are put together. A line
// that is otherwise is an error that wraps ErrInvalid.
func ReadRewrites(src io.Reader) ([]Rewrite, error) {
	var out []Rewrite
	at := make(map[Hash]int)
	lines := bufio.NewScanner(src)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 2 || !isHash(fields[0]) || !isHash(fields[1]) {
			return nil, fmt.Errorf(`rewritten commits: line %d is not "old new": %w`, n, kaijutsu.ErrInvalid)
		}
		old, new := Hash(fields[0]), Hash(fields[1])
		i, seen := at[new]
		if !seen {
			if i = len(out); i == maxRewrites {
				return nil, fmt.Errorf("rewritten commits: over %d: %w", maxRewrites, kaijutsu.ErrTooLarge)
			}
			at[new] = i
			out = append(out, Rewrite{New: new})
		}
		if !slices.Contains(out[i].Old, old) {
			out[i].Old = append(out[i].Old, old)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("rewritten commits: %w: %w", err, kaijutsu.ErrInvalid)
	}
	return out, nil
}

// RewriteNotes gives new commits the notes of the commits that they were made
// of. A line of a new commit has the writer that it had in the last of the old
// commits that has the line and knows its writer; lines that no old commit has
// get none. Who and what the old notes name is kept, if no line of theirs is
// left, too. All notes are written in one commit of the notes.
//
// New commits that have a note, and those whose old commits have none that can
// be read, are skipped, which the result says, one for each pair in their
// order.
func (r *Repo) RewriteNotes(ctx context.Context, pairs []Rewrite, o RewriteOptions) ([]Rewritten, error) {
	if o.Ref == "" {
		o.Ref = NotesRef
	}
	if len(pairs) > maxRewrites {
		return nil, fmt.Errorf("rewriting notes: over %d pairs: %w", maxRewrites, kaijutsu.ErrTooLarge)
	}
	out := make([]Rewritten, len(pairs))
	notes := make(map[Hash][]byte)
	for i, p := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("rewriting notes: %w", err)
		}
		note, res, err := r.rewriteNote(p, o)
		if err != nil {
			return nil, fmt.Errorf("rewriting the note of %.40s: %w", p.New, err)
		}
		if _, twice := notes[p.New]; twice && res.Skipped == "" {
			res.Skipped = "an earlier pair names the same new commit"
		}
		if out[i] = res; res.Skipped == "" {
			notes[p.New] = note
		}
	}
	if o.DryRun {
		return out, nil
	}
	if err := r.SetNotes(o.Ref, notes, o.By); err != nil {
		return nil, fmt.Errorf("rewriting notes: %w", err)
	}
	return out, nil
}

func (r *Repo) rewriteNote(p Rewrite, o RewriteOptions) ([]byte, Rewritten, error) {
	res := Rewritten{Rewrite: p}
	if !o.Again {
		_, err := r.noteBlob(o.Ref, p.New)
		if err == nil {
			res.Skipped = "has a note already"
			return nil, res, nil
		}
		if !errors.Is(err, kaijutsu.ErrNotFound) {
			return nil, res, err
		}
	}
	var sources []noteSource
	for _, old := range p.Old {
		if old == p.New {
			continue
		}
		s, ok, err := r.noteSource(o.Ref, old)
		if err != nil {
			return nil, res, err
		}
		if ok {
			sources = append(sources, s)
		}
	}
	if len(sources) == 0 {
		res.Skipped = "no old commit has a note of the authorship format"
		return nil, res, nil
	}
	tree, err := r.treeOf(p.New)
	if err != nil {
		return nil, res, err
	}
	a, err := r.carryNotes(sources, p.New, tree)
	if err != nil {
		return nil, res, err
	}
	for _, f := range a.Files {
		for _, e := range f.Entries {
			for _, lines := range e.Ranges {
				res.Lines += lines.Last - lines.First + 1
			}
		}
	}
	return a.Encode(), res, nil
}

// noteSource is an old commit with its note.
type noteSource struct {
	commit, tree Hash
	note         Authorship
}

// noteSource returns false for commits that are gone or have no note that can
// be read: other people's notes are no reason to fail.
func (r *Repo) noteSource(ref string, commit Hash) (noteSource, bool, error) {
	data, err := r.Note(ref, commit)
	if errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, kaijutsu.ErrTooLarge) {
		return noteSource{}, false, nil
	}
	if err != nil {
		return noteSource{}, false, err
	}
	note, err := ParseAuthorship(data)
	if err != nil {
		return noteSource{}, false, nil
	}
	tree, err := r.treeOf(commit)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return noteSource{}, false, nil
	}
	return noteSource{commit, tree, note}, err == nil, err
}
