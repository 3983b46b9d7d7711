package git

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"kaijutsu"
)

// NotesRef is where notes of the authorship format are.
const NotesRef = "refs/notes/ai"

// noteTries is how often SetNotes begins again when others write the same
// notes, with 1 to 20 ms between.
const noteTries = 200

// Note returns the note of a commit below a ref such as refs/notes/ai. It
// returns an error that wraps ErrNotFound if the commit has none, also where
// the ref is not there, and ErrTooLarge if the note is over 16 MiB.
func (r *Repo) Note(ref string, commit Hash) ([]byte, error) {
	blob, err := r.noteBlob(ref, commit)
	if err != nil {
		return nil, fmt.Errorf("note of %.40s in %s: %w", commit, ref, err)
	}
	kind, data, err := r.readObject(blob, maxNote)
	if err != nil {
		return nil, fmt.Errorf("note of %s in %s: %w", commit, ref, err)
	}
	if kind != blobKind {
		return nil, fmt.Errorf("note of %s in %s: is a %s: %w", commit, ref, kind, kaijutsu.ErrInvalid)
	}
	return append([]byte(nil), data...), nil
}

func (r *Repo) noteBlob(ref string, commit Hash) (Hash, error) {
	if err := checkNotes(ref, commit); err != nil {
		return "", err
	}
	_, tree, err := r.notesTree(ref)
	if err != nil {
		return "", err
	}
	return r.findNote(tree, string(commit))
}

func checkNotes(ref string, commit Hash) error {
	switch {
	case !strings.HasPrefix(ref, "refs/notes/"):
		return fmt.Errorf("notes are kept below refs/notes/, not in %.200q: %w", ref, kaijutsu.ErrInvalid)
	case !isHash(string(commit)):
		return fmt.Errorf("%.80q is not the name of a commit: %w", commit, kaijutsu.ErrInvalid)
	}
	return checkRefName(ref)
}

// notesTree returns the last commit of the notes and its tree; both are empty
// where there are no notes.
func (r *Repo) notesTree(ref string) (tip, tree Hash, err error) {
	_, tip, err = r.resolveRef(r.common, ref)
	if errors.Is(err, kaijutsu.ErrNotFound) || err == nil && tip == "" {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	tree, err = r.treeOf(tip)
	return tip, tree, err
}

// SetNotes writes notes below a ref such as refs/notes/ai, in one commit by by.
// A note of no bytes takes the commit's note away. What others write meanwhile
// stays: it begins again, for up to some seconds, and then returns an error
// that wraps ErrUnavailable or ErrConflict.
func (r *Repo) SetNotes(ref string, notes map[Hash][]byte, by Signature) error {
	by, err := by.cleaned("notes: writer")
	if err != nil {
		return err
	}
	edits := make(map[string]Hash, len(notes))
	for commit, data := range notes {
		if err := checkNotes(ref, commit); err != nil {
			return fmt.Errorf("notes: %w", err)
		}
		if len(data) > maxNote {
			return fmt.Errorf("note of %s: over %d bytes: %w", commit, maxNote, kaijutsu.ErrTooLarge)
		}
		var blob Hash
		if len(data) > 0 {
			if blob, err = r.writeObject(blobKind, data); err != nil {
				return fmt.Errorf("note of %s: %w", commit, err)
			}
		}
		edits[string(commit)] = blob
	}
	if len(edits) == 0 {
		return nil
	}
	if err := r.putNotes(ref, edits, by); err != nil {
		return fmt.Errorf("writing %s: %w", ref, err)
	}
	return nil
}

func (r *Repo) putNotes(ref string, edits map[string]Hash, by Signature) error {
	var err error
	last := Hash("none read yet")
	for range noteTries {
		tip, tree, readErr := r.notesTree(ref)
		if readErr != nil {
			return readErr
		}
		if tip == last && errors.Is(err, kaijutsu.ErrConflict) {
			return err // nobody moved it: the name itself is in the way
		}
		last = tip
		err = r.tryNotes(ref, tip, tree, edits, by)
		if !errors.Is(err, kaijutsu.ErrConflict) && !errors.Is(err, kaijutsu.ErrUnavailable) {
			return err
		}
		time.Sleep(time.Millisecond + rand.N(19*time.Millisecond))
	}
	return err
}

func (r *Repo) tryNotes(ref string, tip, tree Hash, edits map[string]Hash, by Signature) error {
	edited, err := r.editNotes(tree, edits, 40)
	if err != nil {
		return err
	}
	if edited == "" {
		if tree == "" {
			return nil
		}
		if edited, err = r.writeObject(treeKind, nil); err != nil {
			return err
		}
	}
	if edited == tree {
		return nil
	}
	c := CommitInfo{Tree: edited, Author: by, Committer: by, Message: "Notes added by 'git notes add'\n"}
	if tip != "" {
		c.Parents = []Hash{tip}
	}
	next, err := r.writeObject(commitKind, encodeCommit(c))
	if err != nil {
		return err
	}
	return r.updateRef(r.common, ref, next, tip, by, "notes: Notes added by 'git notes add'")
}
