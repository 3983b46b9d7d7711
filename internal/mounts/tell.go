package mounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/git"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

// telling is a commit that is to be told of.
type telling struct {
	mount record
	out   Committed
	by    kaijutsu.Principal
	doc   kaijutsu.DocumentID
	heads kaijutsu.Heads
	into  kaijutsu.DocumentID // zero: nobody else is told
	files []authorship.NoteFile
	at    time.Time // the committer's, as the commit has it
}

// told is what there is to tell of a draft that was committed.
func (d *draft) told(out Committed, by kaijutsu.Principal, into kaijutsu.DocumentID) telling {
	n := telling{mount: d.mount.record, out: out, by: by, doc: d.doc, heads: d.heads, into: into}
	for _, f := range d.files {
		if f.block != "" && f.exists {
			n.files = append(n.files, authorship.NoteFile{Path: f.path, OldPath: f.from, Block: f.block, Data: f.data})
		}
	}
	return n
}

// follows does what comes after a commit. The commit stands whatever becomes of
// it: what fails is said, and done when the mount is opened again.
func (m *Mounts) follows(ctx context.Context, c op.Call, s seen, n telling) Committed {
	out, err := m.tell(ctx, s.tree, n)
	if err != nil {
		m.log.Error("commit not told of: it is tried again when the mount is opened", "mount", s.path, "commit", out.Hash, "err", err)
		out.Notice = joined(out.Notice, "the commit is made, but not all of what comes after it: "+m.hidden(c, err.Error()))
	}
	return out
}

// tell writes the note of a commit, the blocks that tell of it, and the event.
// What was written before is found.
func (m *Mounts) tell(ctx context.Context, w *git.Worktree, n telling) (Committed, error) {
	made, err := w.Repo().Commit(string(n.out.Hash))
	if err != nil {
		return n.out, fmt.Errorf("commit %s: %w", n.out.Hash, err)
	}
	n.at = made.Committer.When
	var errs []error
	if n.mount.notes {
		err := m.note(ctx, w, n)
		if n.out.Note = err == nil; err != nil {
			errs = append(errs, fmt.Errorf("note of commit %s: %w", n.out.Hash, err))
		}
	}
	content := n.content()
	post := func(doc kaijutsu.DocumentID, as op.Call) (blocks.ID, bool, error) {
		id := drift.BlockID(n.driftID(), doc)
		meta, err := m.meta(n, content)
		if err != nil {
			return "", false, err
		}
		done, err := m.cfg.Kernel.Post(ctx, kernel.Posting{By: n.by, As: as, Doc: doc, Name: "git_commit", Spec: blocks.BlockSpec{
			ID: id, Position: blocks.Last(), Kind: blocks.KindDrift, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: content, Meta: meta,
		}})
		return id, done.Already, err
	}
	id, already, err := post(n.doc, op.Call{})
	if err == nil {
		n.out.Block = id
	}
	errs = append(errs, err)
	if !n.into.IsZero() && n.into != n.doc {
		copied, _, err := post(n.into, m.cfg.Kernel.CallOf(n.by))
		switch {
		case err == nil:
			n.out.Copy = copied
		case errors.Is(err, kaijutsu.ErrDenied) || errors.Is(err, kaijutsu.ErrConflict) || errors.Is(err, kaijutsu.ErrNotFound):
			n.out.Notice = joined(n.out.Notice, "context "+n.into.Name()+" is not told: "+err.Error())
		default:
			errs = append(errs, err)
		}
	}
	if !already {
		m.emit(n)
	}
	errs = append(errs, m.rebase(ctx, n))
	if err := errors.Join(errs...); err != nil {
		return n.out, err
	}
	return n.out, m.unpend(ctx, n.mount.id)
}

// note writes who wrote which lines of a commit, unless that is written.
func (m *Mounts) note(ctx context.Context, w *git.Worktree, n telling) error {
	if _, err := w.Repo().Note(git.NotesRef, n.out.Hash); err == nil {
		return nil
	} else if !errors.Is(err, kaijutsu.ErrNotFound) {
		return err
	}
	a, err := m.book.Note(ctx, authorship.NoteSpec{
		Git: w, Doc: n.doc, Heads: n.heads, Commit: n.out.Hash, Parent: n.out.Parent, Files: n.files,
	})
	if err != nil {
		return err
	}
	for range maxTries {
		err = w.Repo().SetNotes(git.NotesRef, map[git.Hash][]byte{n.out.Hash: a.Encode()}, m.committer())
		if !errors.Is(err, kaijutsu.ErrConflict) {
			break
		}
	}
	return err
}

// maxTries is how often a note is written when others write some at the same
// time.
const maxTries = 10

// driftID returns the id of the drift that tells of a commit: a UUIDv7 of the
// commit's time whose other bits follow from commit and mount (RFC 9562 §5.7).
func (n telling) driftID() string {
	ms := fmt.Sprintf("%012x", uint64(n.at.UnixMilli())&(1<<48-1))
	h := sumOf([]byte("kaijutsu commit " + n.mount.id + " " + string(n.out.Hash)))
	return ms[:8] + "-" + ms[8:] + "-7" + h[:3] + "-a" + h[3:6] + "-" + h[6:18]
}

// meta is what the block that tells of a commit says of itself.
func (m *Mounts) meta(n telling, content string) (string, error) {
	of, err := json.Marshal(map[string]any{"commit": map[string]any{
		"hash": n.out.Hash, "branch": n.out.Branch, "mount": n.mount.path, "files": len(n.out.Files),
	}})
	if err != nil {
		return "", err
	}
	return drift.Meta{
		SourceKernel: m.cfg.Name, SourceContext: n.doc.Name(), Heads: n.heads.Texts(), Kind: drift.KindCommit, Principal: n.by,
		DriftID: n.driftID(), Finding: drift.Fingerprint(content),
	}.Encode(string(of))
}

// maxTold is how many files the block that tells of a commit names.
const maxTold = 200

// content is what the block that tells of a commit says.
func (n telling) content() string {
	var b strings.Builder
	short := string(n.out.Hash)
	fmt.Fprintf(&b, "Commit %s on %s of %s\n\n%s\n", short[:min(len(short), 12)], n.out.Branch, n.mount.path, strings.TrimSpace(cutText(n.out.Message, maxMessage)))
	fmt.Fprintf(&b, "\nAuthor: %s <%s>\n\n", n.out.Author.Name, n.out.Author.Email)
	for i, f := range n.out.Files {
		if i == maxTold {
			fmt.Fprintf(&b, "- and %d more files\n", len(n.out.Files)-i)
			break
		}
		fmt.Fprintf(&b, "- %s", f.line())
		for j, s := range f.Shares {
			if s.By.IsZero() || s.Chars == 0 {
				continue
			}
			sep := ", "
			if j == 0 {
				sep = ": "
			}
			fmt.Fprintf(&b, "%s%s %d", sep, s.By.Name, s.Chars)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// emit tells those who follow the kernel.
func (m *Mounts) emit(n telling) {
	raw := n.doc.Bytes()
	e := flowbus.Event{
		Kernel: m.cfg.Name, Kind: flowbus.CommitMade, Block: string(n.out.Block), Principal: n.by, Time: m.cfg.Now().UTC(), Node: m.cfg.Node,
		Data: &flowbus.Commit{Mount: n.mount.path, Hash: string(n.out.Hash), Ref: n.out.Branch, Files: len(n.out.Files)},
	}
	if len(raw) == len(e.Context) {
		e.Context = kaijutsu.ContextID(raw)
		m.cfg.Emit(e)
	}
}
