package mounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/op"
)

const (
	pendingPrefix = "mounts/pending/"
	// maxPending is how many files a pending commit names; of one with more, git
	// says which they were.
	maxPending = 300
	// maxBack is how many commits a pending one is looked for among, when others
	// were made on it since.
	maxBack = 100
)

// pendingRow is a commit that is being made: what is needed to tell of it when
// the server ends in between.
type pendingRow struct {
	V       int           `json:"v"`
	Context string        `json:"context"`
	Heads   []string      `json:"heads"`
	Parent  string        `json:"parent,omitempty"`
	Branch  string        `json:"branch,omitempty"`
	Message string        `json:"message"` // its SHA-256
	By      whoRow        `json:"by"`
	Into    string        `json:"into,omitempty"`
	Files   []pendingFile `json:"files,omitempty"`
}

type pendingFile struct {
	Path  string    `json:"path"`
	From  string    `json:"from,omitempty"` // its path before
	Block blocks.ID `json:"block"`
}

// pend notes a commit before it is made.
func (m *Mounts) pend(ctx context.Context, d *draft, c op.Call, spec CommitSpec) error {
	row := pendingRow{
		V: recordVersion, Context: d.doc.String(), Heads: d.heads.Texts(), Parent: string(d.epoch.Head), Branch: d.epoch.Branch,
		Message: sumOf([]byte(git.CleanMessage(d.spec.Message))), By: whoRow(c.By),
	}
	if !spec.Into.IsZero() {
		row.Into = spec.Into.String()
	}
	for _, f := range d.files {
		if f.block != "" && f.exists && len(d.files) <= maxPending {
			row.Files = append(row.Files, pendingFile{f.path, f.from, f.block})
		}
	}
	value, err := json.Marshal(row)
	if err == nil {
		err = m.cfg.Store.PutRecord(ctx, pendingPrefix+d.mount.id, value)
	}
	if err != nil {
		return fmt.Errorf("note the commit: %w", err)
	}
	return nil
}

func (m *Mounts) unpend(ctx context.Context, id string) error {
	return m.cfg.Store.DeleteRecord(context.WithoutCancel(ctx), pendingPrefix+id)
}

// recover tells of a commit that was made when the server ended: its note is
// written, and its blocks.
func (m *Mounts) recover(ctx context.Context, r record, o *opened) error {
	value, err := m.cfg.Store.Record(pendingPrefix + r.id)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	var row pendingRow
	if err := strictly(value, &row, &row.V); err != nil {
		return err
	}
	n, err := m.telling(ctx, r, o, row)
	if err != nil || n == nil {
		return errors.Join(err, m.unpend(ctx, r.id))
	}
	_, err = m.tell(ctx, o.tree, *n)
	return err
}

// telling finds a pending commit again; nil: it was never made.
func (m *Mounts) telling(ctx context.Context, r record, o *opened, row pendingRow) (*telling, error) {
	n := &telling{mount: r, by: kaijutsu.Principal(row.By)}
	var err error
	if n.doc, err = kaijutsu.ParseDocumentID(row.Context); err != nil {
		return nil, err
	}
	if n.heads, err = kaijutsu.ParseHeads(row.Heads); err != nil {
		return nil, err
	}
	if row.Into != "" {
		if n.into, err = kaijutsu.ParseDocumentID(row.Into); err != nil {
			return nil, err
		}
	}
	commits, err := o.tree.Log(ctx, or(row.Branch, "HEAD"), maxBack, "")
	if err != nil {
		return nil, err
	}
	for _, commit := range commits {
		if parentOf(commit) != git.Hash(row.Parent) || sumOf([]byte(git.CleanMessage(commit.Message))) != row.Message {
			continue
		}
		n.out = Committed{
			Mount: r.path, Hash: commit.Hash, Parent: git.Hash(row.Parent), Branch: row.Branch, Subject: commit.Subject(), Message: commit.Message,
			Author: commit.Author, Committer: commit.Committer, Trailers: git.Trailers(commit.Message), Context: n.doc,
		}
		return n, m.filesOf(ctx, o, n, row)
	}
	return nil, nil
}

func parentOf(c git.CommitInfo) git.Hash {
	if len(c.Parents) == 0 {
		return ""
	}
	return c.Parents[0]
}

// filesOf fills in the files of a commit that is found again.
func (m *Mounts) filesOf(ctx context.Context, o *opened, n *telling, row pendingRow) error {
	known, from := make(map[string]blocks.ID), make(map[string]string)
	for _, f := range row.Files {
		known[f.Path], from[f.Path] = f.Block, f.From
	}
	if len(known) == 0 {
		for _, f := range o.overlay.State().Files {
			known[f.Path] = f.Block
		}
	}
	if n.out.Parent != "" {
		list, err := o.tree.Diff(ctx, git.DiffOptions{From: git.Side(n.out.Parent), To: git.Side(n.out.Hash)})
		if err != nil {
			return err
		}
		for _, f := range list {
			n.out.Files = append(n.out.Files, CommittedFile{
				Path: f.Path, Block: known[f.Path], Added: f.Added, Deleted: f.Deleted, Binary: f.Binary, New: f.From == 0, Deletion: f.To == 0,
			})
		}
	} else {
		for _, f := range row.Files {
			n.out.Files = append(n.out.Files, CommittedFile{Path: f.Path, Block: f.Block, New: true})
		}
	}
	for _, f := range n.out.Files {
		if f.Block == "" || f.Deletion {
			continue
		}
		blob, err := o.tree.Repo().FileAt(n.out.Hash, f.Path)
		if err != nil {
			return err
		}
		n.files = append(n.files, authorship.NoteFile{Path: f.Path, OldPath: from[f.Path], Block: f.Block, Data: blob.Data})
	}
	return nil
}
