package mounts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
)

const (
	recordPrefix  = "mount/"
	recordVersion = 1
)

// Limits of what records hold.
const (
	maxPathBytes   = 1024
	maxSourceBytes = 4096
	maxBranchBytes = 1024
	maxNodeBytes   = 128
	maxNameBytes   = 255
)

// kind is what is behind a mount.
type kind string

const (
	memoryKind kind = "memory"
	folderKind kind = "folder"
	gitKind    kind = "git"
)

// record is what is known of a mount on every node. It is replaced, never
// changed.
type record struct {
	id       string
	path     string
	kind     kind
	dir      string // of a folder, or of a local repository, on the node's disk
	url      string // of a repository that is cloned
	branch   string // as asked; "": none was named
	worktree string // its name below <data>/worktrees
	rw       bool
	node     string
	current  string // the branch that the worktree was on when its node last looked
	diskAs   kaijutsu.Principal
	trailers string
	notes    bool
	author   string
	by       kaijutsu.Principal
	at       time.Time
	removed  time.Time // zero: it is not
	remover  kaijutsu.Principal
}

// source says what is behind a mount as it is given to Add.
func (r record) source() string {
	switch r.kind {
	case memoryKind:
		return "memory"
	case folderKind:
		return r.dir
	}
	s := "git:" + r.dir + r.url
	if r.branch != "" {
		s += "@" + r.branch
	}
	return s
}

// same reports whether two mounts have the same behind them, whatever the branch.
func (r record) same(o record) bool {
	return r.path == o.path && r.kind == o.kind && r.dir == o.dir && r.url == o.url && r.node == o.node
}

type whoRow struct {
	Name string                 `json:"name"`
	Kind kaijutsu.PrincipalKind `json:"kind"`
}

type mountRow struct {
	V         int       `json:"v"`
	Path      string    `json:"path"`
	Kind      kind      `json:"kind"`
	Dir       string    `json:"dir,omitempty"`
	URL       string    `json:"url,omitempty"`
	Branch    string    `json:"branch,omitempty"`
	Worktree  string    `json:"worktree,omitempty"`
	RW        bool      `json:"rw,omitempty"`
	Node      string    `json:"node"`
	Current   string    `json:"current,omitempty"`
	DiskAs    *whoRow   `json:"disk_as,omitempty"`
	Trailers  string    `json:"trailers,omitempty"`
	NoNotes   bool      `json:"no_notes,omitempty"`
	Author    string    `json:"author,omitempty"`
	By        whoRow    `json:"by"`
	At        time.Time `json:"at"`
	Removed   time.Time `json:"removed,omitzero"`
	RemovedBy *whoRow   `json:"removed_by,omitempty"`
}

type branchRow struct {
	V       int    `json:"v"`
	Branch  string `json:"branch"`
	Context string `json:"context"`
}

func encodeMount(r record) ([]byte, error) {
	return json.Marshal(mountRow{
		V: recordVersion, Path: r.path, Kind: r.kind, Dir: r.dir, URL: r.url, Branch: r.branch, Worktree: r.worktree, RW: r.rw,
		Node: r.node, Current: r.current, DiskAs: rowOf(r.diskAs), Trailers: r.trailers, NoNotes: !r.notes, Author: r.author,
		By: whoRow(r.by), At: r.at, Removed: r.removed, RemovedBy: rowOf(r.remover),
	})
}

func rowOf(p kaijutsu.Principal) *whoRow {
	if p.IsZero() {
		return nil
	}
	return &whoRow{p.Name, p.Kind}
}

func (w *whoRow) principal() kaijutsu.Principal {
	if w == nil {
		return kaijutsu.Principal{}
	}
	return kaijutsu.Principal(*w)
}

// decodeMount reads a mount's record; nothing in it is passed over.
func decodeMount(id string, value []byte) (record, error) {
	var row mountRow
	if err := strictly(value, &row, &row.V); err != nil {
		return record{id: id}, err
	}
	r := record{
		id: id, path: row.Path, kind: row.Kind, dir: row.Dir, url: row.URL, branch: row.Branch, worktree: row.Worktree, rw: row.RW,
		node: row.Node, current: row.Current, diskAs: row.DiskAs.principal(), trailers: row.Trailers, notes: !row.NoNotes,
		author: row.Author, by: kaijutsu.Principal(row.By), at: row.At, removed: row.Removed, remover: row.RemovedBy.principal(),
	}
	return r, r.check()
}

// check holds a record against what a mount may be, whoever wrote it.
func (r record) check() error {
	bad := func(field, why string) error {
		return fmt.Errorf("%s: %s: %w", field, why, kaijutsu.ErrInvalid)
	}
	if _, err := blocks.ParseID(r.id); err != nil {
		return bad("id", "want a UUID")
	}
	if err := checkPath(r.path); err != nil {
		return err
	}
	for _, t := range []struct {
		field, text string
		most        int
	}{
		{"dir", r.dir, maxSourceBytes}, {"url", r.url, maxSourceBytes}, {"branch", r.branch, maxBranchBytes},
		{"current", r.current, maxBranchBytes}, {"node", r.node, maxNodeBytes}, {"worktree", r.worktree, maxNameBytes},
	} {
		if len(t.text) > t.most || !plain(t.text) {
			return bad(t.field, fmt.Sprintf("want at most %d bytes that can be shown", t.most))
		}
	}
	switch {
	case r.node == "":
		return bad("node", "there is none")
	case r.kind != memoryKind && r.kind != folderKind && r.kind != gitKind:
		return bad("kind", "want memory, folder or git")
	case r.kind == folderKind && (!filepath.IsAbs(r.dir) || r.url != ""), r.kind == memoryKind && r.dir+r.url != "":
		return bad("dir", "it does not fit the kind")
	case r.kind == gitKind && (r.dir == "") == (r.url == ""), r.kind == gitKind && r.dir != "" && !filepath.IsAbs(r.dir):
		return bad("dir", "want the directory of a repository, from the root, or a url")
	case r.kind == gitKind && !isName(r.worktree):
		return bad("worktree", "want a name")
	case r.by.IsZero():
		return bad("by", "there is nobody")
	}
	if err := checkTrailers(r.trailers); err != nil {
		return err
	}
	return checkAuthor(r.author)
}

// isName reports whether a text can be a directory of worktrees.
func isName(s string) bool {
	return s != "" && len(s) <= maxNameBytes && s != "." && s != ".." && !strings.ContainsAny(s, `/\`) && plain(s)
}

// plain reports whether a text is UTF-8 without control characters.
func plain(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

func encodeBranch(branch string, doc kaijutsu.DocumentID) ([]byte, error) {
	return json.Marshal(branchRow{recordVersion, branch, doc.String()})
}

// decodeBranch reads which context a branch of a mount has; hash is the end of
// the record's name.
func decodeBranch(hash string, value []byte) (string, kaijutsu.DocumentID, error) {
	var row branchRow
	if err := strictly(value, &row, &row.V); err != nil {
		return "", kaijutsu.DocumentID{}, err
	}
	if row.Branch == "" || len(row.Branch) > maxBranchBytes || !plain(row.Branch) || branchHash(row.Branch) != hash {
		return "", kaijutsu.DocumentID{}, fmt.Errorf("branch: it is not that of the record's name: %w", kaijutsu.ErrInvalid)
	}
	doc, err := kaijutsu.ParseDocumentID(row.Context)
	return row.Branch, doc, err
}

func branchName(id, branch string) string { return recordPrefix + id + "/" + branchHash(branch) }

func branchHash(branch string) string {
	sum := sha256.Sum256([]byte(branch))
	return hex.EncodeToString(sum[:8])
}

// strictly decodes one JSON value of our version without unknown fields.
func strictly(data []byte, into any, version *int) error {
	var v struct {
		V int `json:"v"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("%d bytes that are no JSON object: %w", len(data), kaijutsu.ErrInvalid)
	}
	if v.V != recordVersion {
		return fmt.Errorf("it is of version %d, this server reads %d: %w: a newer one has written it; run that", v.V, recordVersion, kaijutsu.ErrInvalid)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil || *version != v.V {
		return fmt.Errorf("%d bytes that are not what is expected: %w", len(data), kaijutsu.ErrInvalid)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("something stands behind the value: %w", kaijutsu.ErrInvalid)
	}
	return nil
}
