package mounts

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/op"
	"kaijutsu/internal/textdiff"
	"kaijutsu/internal/vfs"
	"kaijutsu/internal/worktree"
)

// draft is a commit that is about to be made.
type draft struct {
	mount  seen
	epoch  git.Epoch
	doc    kaijutsu.DocumentID
	heads  kaijutsu.Heads
	files  []changed
	lines  []CommittedFile // as files
	shares []authorship.Share
	spec   git.CommitSpec // complete once it is signed
	author git.Signature
	co     []git.Signature
	trail  []git.Trailer
	notice string // of what was left out of the message
}

// prepare makes the draft of what is chosen. The error wraps
// kaijutsu.ErrConflict when nothing changed.
func (m *Mounts) prepare(ctx context.Context, s seen, spec CommitSpec, p choice, snap worktree.Snapshot) (*draft, error) {
	files, err := m.collect(ctx, s, p, snap)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("nothing to commit in mount %s: what is chosen is as in the last commit: %w", s.path, kaijutsu.ErrConflict)
	}
	if len(files) > maxChosen {
		return nil, fmt.Errorf("%d files in one commit: %w: at most %d; ignore what is built, or commit in parts", len(files), kaijutsu.ErrTooLarge, maxChosen)
	}
	d := &draft{mount: s, epoch: snap.Epoch, doc: snap.Doc, heads: snap.Heads, files: files}
	for _, f := range files {
		line := f.lines()
		if f.block != "" && f.exists {
			if line.Shares, err = m.shares(ctx, snap.Doc, f); err != nil {
				return nil, fmt.Errorf("who wrote %s: %w", f.path, err)
			}
		}
		d.lines = append(d.lines, line)
		d.shares = addShares(d.shares, line.Shares)
		d.spec.Files = append(d.spec.Files, git.FileChange{Path: f.path, Data: f.data, Mode: f.mode, Delete: !f.exists})
	}
	d.spec.Parent, d.spec.Branch = snap.Epoch.Head, snap.Epoch.Branch
	return d, nil
}

// lines is what a list says of a file.
func (f changed) lines() CommittedFile {
	out := CommittedFile{Path: f.path, Block: f.block, New: f.old.Hash == "", Deletion: !f.exists}
	if vfs.IsBinary(f.data) || vfs.IsBinary(f.old.Data) {
		out.Binary = true
		return out
	}
	for _, h := range textdiff.Hunks(string(f.old.Data), string(f.data)) {
		out.Added, out.Deleted = out.Added+len(h.New), out.Deleted+len(h.Old)
	}
	return out
}

// addShares adds up who wrote how much, the most first; services and nobody last.
func addShares(all, more []authorship.Share) []authorship.Share {
	for _, s := range more {
		if i := slices.IndexFunc(all, func(o authorship.Share) bool { return o.By == s.By }); i >= 0 {
			all[i].Chars += s.Chars
		} else {
			all = append(all, s)
		}
	}
	last := func(s authorship.Share) int {
		if s.By.IsZero() || s.By.Kind == kaijutsu.Service {
			return 1
		}
		return 0
	}
	slices.SortFunc(all, func(a, b authorship.Share) int {
		return cmp.Or(last(a)-last(b), b.Chars-a.Chars, strings.Compare(a.By.Name, b.By.Name))
	})
	return all
}

// sign decides who authored the commit, and completes it.
func (d *draft) sign(m *Mounts, c op.Call, spec CommitSpec) error {
	message, err := d.vouch(m, c.By, spec.Message)
	if err != nil {
		return err
	}
	policy := authorship.Policy(or(spec.Author, d.mount.author, authorPolicies[0]))
	author, co := m.book.Decide(policy, c.By, d.shares)
	d.spec.Committer = m.committer()
	if d.author = author.Signature; d.author.Name == "" {
		d.author = d.spec.Committer
	}
	d.co = nil
	for _, who := range co {
		d.co = append(d.co, who.Signature)
	}
	d.trail = authorship.Trailers(authorship.TrailerPolicy(or(d.mount.trailers, trailerPolicies[0])), co, d.doc, d.heads)
	d.spec.Author, d.spec.Message = d.author, git.AddTrailers(message, d.trail)
	if m.cfg.Signer != nil && (spec.Sign == nil || *spec.Sign) {
		d.spec.Signer = m.cfg.Signer
	}
	return nil
}

// shown is the draft as it is told.
func (d *draft) shown() Committed {
	subject, _, _ := strings.Cut(d.spec.Message, "\n")
	return Committed{
		Mount: d.mount.path, Parent: d.epoch.Head, Branch: or(d.epoch.Branch, worktree.Detached), Subject: subject, Message: d.spec.Message,
		Author: d.author, CoAuthors: d.co, Committer: d.spec.Committer, Trailers: d.trail, Files: d.lines, Context: d.doc, Notice: d.notice,
	}
}

// print tells drafts apart: what they are made on, and what they hold.
func (d *draft) print() [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", d.epoch.Branch, d.epoch.Head)
	for _, f := range d.files {
		fmt.Fprintf(h, "%q %o %t %d\n", f.path, f.mode, f.exists, len(f.data))
		h.Write(f.data)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// maxPatch is how much of a diff is made for a message, in bytes: more than a
// prompt shows.
const maxPatch = 64 << 10

// patch returns what the draft changes, as a unified diff.
func (d *draft) patch() string {
	var b strings.Builder
	for i, f := range d.files {
		if b.Len() > maxPatch {
			fmt.Fprintf(&b, "and %d more files\n", len(d.files)-i)
			break
		}
		switch {
		case d.lines[i].Binary:
			fmt.Fprintf(&b, "Binary file %s changed\n", f.path)
		case bytes.Equal(f.data, f.old.Data):
			fmt.Fprintf(&b, "%s: mode %s, was %s\n", f.path, f.mode, f.old.Mode)
		default:
			b.WriteString(textdiff.Unified(string(f.old.Data), string(f.data), path.Clean(f.path)))
		}
	}
	return b.String()
}
