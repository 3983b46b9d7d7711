package worktree

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/store"
	"kaijutsu/internal/vfs"
)

// recordVersion is the version of the records. One of a newer version is not
// understood: its file stays closed.
const recordVersion = 1

// Bounds of what a record keeps.
const (
	maxPast      = 8    // earlier agreed texts
	maxPastHeads = 16   // heads of one
	maxHeads     = 400  // heads of the agreed text; of more none are kept
	maxPathBytes = 4096 // of a path

	maxRecordBytes = 60 << 10 // of a whole record; the base is left out of a longer one
	maxBaseBytes   = 4 << 20  // of a base
)

// record is what the node keeps of a file.
type record struct {
	Block blocks.ID
	Path  string
	// Exists, Text and Heads are the agreed state: whether there is a file, the
	// hash of its text, and heads at which the block held that text, or an older
	// one that both sides come from.
	Exists bool
	Text   hash
	Heads  kaijutsu.Heads
	// Base is the text that Text is the hash of, where the block never held it at
	// Heads: what a merge has seen on the disk.
	Base *string
	// Disk is the hash of the agreed file's bytes, Shape and Exec what else it is.
	Disk  hash
	Shape shape
	Exec  bool
	// Stamp is the disk file's when it was last found to be as agreed.
	Stamp vfs.Stamp
	// Pending is what a flush is about to write.
	Pending *pending
	// Conflict is set while block and disk both have something.
	Conflict *conflict
	// Closed says why the file is no block any more; Notice is the block that
	// says so.
	Closed string
	Notice blocks.ID
	// Fresh says that the context was forked from another branch's and that the
	// disk has not been looked at since: it counts, whatever the block holds.
	Fresh bool
	// Past are heads at which the block held what was agreed on before git
	// brought something else, newest last.
	Past []kaijutsu.Heads
}

// pending is a text on its way to the disk.
type pending struct {
	Text  hash
	Disk  hash
	Heads kaijutsu.Heads
}

// conflict is a difference that somebody has to decide about.
type conflict struct {
	Block blocks.ID // the block that shows it
	Disk  hash      // of the disk's bytes that it shows; zero when there are none
}

// row is a record as it is stored.
type row struct {
	V        int          `json:"v"`
	Block    string       `json:"block"`
	Path     string       `json:"path"`
	Exists   bool         `json:"exists,omitempty"`
	Text     string       `json:"text,omitempty"`
	Heads    []string     `json:"heads,omitempty"`
	Base     []byte       `json:"base,omitempty"` // deflated
	Disk     string       `json:"disk,omitempty"`
	EOL      string       `json:"eol"`
	BOM      bool         `json:"bom,omitempty"`
	Exec     bool         `json:"exec,omitempty"`
	Stamp    stampRow     `json:"stamp"`
	Pending  *pendingRow  `json:"pending,omitempty"`
	Conflict *conflictRow `json:"conflict,omitempty"`
	Closed   string       `json:"closed,omitempty"`
	Notice   string       `json:"notice,omitempty"`
	Fresh    bool         `json:"fresh,omitempty"`
	Past     [][]string   `json:"past,omitempty"`
}

type stampRow struct {
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	CTime int64  `json:"ctime"`
	Ino   uint64 `json:"ino"`
	Dev   uint64 `json:"dev"`
	Mode  uint32 `json:"mode"`
}

type pendingRow struct {
	Text  string   `json:"text"`
	Disk  string   `json:"disk"`
	Heads []string `json:"heads,omitempty"`
}

type conflictRow struct {
	Block string `json:"block"`
	Disk  string `json:"disk,omitempty"`
}

// encode returns the record as it is stored: without the base, if it is too long
// with it.
func (r record) encode() ([]byte, error) {
	if r.Base != nil && len(*r.Base) <= maxBaseBytes {
		base, err := deflated(*r.Base)
		if err != nil {
			return nil, err
		}
		if data, err := r.encodeWith(base); err != nil || len(data) <= maxRecordBytes {
			return data, err
		}
	}
	return r.encodeWith(nil)
}

func (r record) encodeWith(base []byte) ([]byte, error) {
	out := row{
		V: recordVersion, Block: string(r.Block), Path: r.Path, Exists: r.Exists, EOL: string(r.Shape.EOL), BOM: r.Shape.BOM,
		Exec: r.Exec, Stamp: stampRow(r.Stamp), Closed: r.Closed, Notice: string(r.Notice), Fresh: r.Fresh,
		Text: hashRow(r.Text), Disk: hashRow(r.Disk), Heads: headsRow(r.Heads), Base: base,
	}
	if p := r.Pending; p != nil {
		out.Pending = &pendingRow{p.Text.String(), p.Disk.String(), headsRow(p.Heads)}
	}
	if c := r.Conflict; c != nil {
		out.Conflict = &conflictRow{string(c.Block), hashRow(c.Disk)}
	}
	for _, h := range r.Past {
		if len(h) <= maxPastHeads {
			out.Past = append(out.Past, h.Texts())
		}
	}
	return json.Marshal(out)
}

func hashRow(h hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}

func headsRow(h kaijutsu.Heads) []string {
	if len(h) == 0 || len(h) > maxHeads {
		return nil
	}
	return h.Texts()
}

// decodeRecord reads what encode wrote, strictly.
func decodeRecord(data []byte) (record, error) {
	var in row
	if err := strict(data, &in); err != nil {
		return record{}, fmt.Errorf("record of a file: %w", err)
	}
	r, err := in.record()
	if err != nil {
		return record{}, fmt.Errorf("record of a file: %w", err)
	}
	return r, nil
}

func (in row) record() (r record, err error) {
	if in.V != recordVersion {
		return r, fmt.Errorf("v %d: this version reads %d: %w", in.V, recordVersion, kaijutsu.ErrInvalid)
	}
	if len(in.Past) > maxPast {
		return r, fmt.Errorf("past: %d entries, want at most %d: %w", len(in.Past), maxPast, kaijutsu.ErrInvalid)
	}
	if in.EOL != string(eolLF) && in.EOL != string(eolCRLF) {
		return r, fmt.Errorf("eol %.20q: want lf or crlf: %w", in.EOL, kaijutsu.ErrInvalid)
	}
	r = record{Exists: in.Exists, Shape: shape{eol(in.EOL), in.BOM}, Exec: in.Exec, Stamp: vfs.Stamp(in.Stamp), Closed: in.Closed, Fresh: in.Fresh, Path: in.Path}
	get := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	get(func() error { return checkPath(in.Path) })
	get(func() error { r.Block, err = blocks.ParseID(in.Block); return err })
	get(func() error { r.Text, err = hashOf(in.Text); return err })
	get(func() error { r.Disk, err = hashOf(in.Disk); return err })
	get(func() error { r.Heads, err = kaijutsu.ParseHeads(in.Heads); return err })
	get(func() error { r.Notice, err = optionalID(in.Notice); return err })
	get(func() error { r.Base, err = baseOfRow(in.Base, r.Text); return err })
	if p := in.Pending; p != nil {
		r.Pending = &pending{}
		get(func() error { r.Pending.Text, err = parseHash(p.Text); return err })
		get(func() error { r.Pending.Disk, err = parseHash(p.Disk); return err })
		get(func() error { r.Pending.Heads, err = kaijutsu.ParseHeads(p.Heads); return err })
	}
	if c := in.Conflict; c != nil {
		r.Conflict = &conflict{}
		get(func() error { r.Conflict.Block, err = blocks.ParseID(c.Block); return err })
		get(func() error { r.Conflict.Disk, err = hashOf(c.Disk); return err })
	}
	for _, texts := range in.Past {
		get(func() error {
			h, err := kaijutsu.ParseHeads(texts)
			r.Past = append(r.Past, h)
			return err
		})
	}
	return r, err
}

func deflated(s string) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(w, s)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// baseOfRow returns the text of a base, which has a hash.
func baseOfRow(data []byte, want hash) (*string, error) {
	if len(data) == 0 {
		return nil, nil
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxBaseBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("base: %w: %w", kaijutsu.ErrInvalid, err)
	case len(text) > maxBaseBytes:
		return nil, fmt.Errorf("base: over %d bytes: %w", maxBaseBytes, kaijutsu.ErrInvalid)
	case hashBytes(text) != want:
		return nil, fmt.Errorf("base: not the text that was agreed on: %w", kaijutsu.ErrInvalid)
	}
	base := string(text)
	return &base, nil
}

func hashOf(s string) (hash, error) {
	if s == "" {
		return hash{}, nil
	}
	return parseHash(s)
}

func optionalID(s string) (blocks.ID, error) {
	if s == "" {
		return "", nil
	}
	return blocks.ParseID(s)
}

// strict decodes one JSON value with known fields and nothing behind it.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", kaijutsu.ErrInvalid, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("more than one value: %w", kaijutsu.ErrInvalid)
	}
	return nil
}

// place is where an overlay is: what it was attached to last.
type place struct {
	Branch     string
	Head       git.Hash
	Doc        kaijutsu.DocumentID
	Generation uint64
}

type placeRow struct {
	V          int    `json:"v"`
	Branch     string `json:"branch"`
	Head       string `json:"head,omitempty"`
	Doc        string `json:"doc"`
	Generation uint64 `json:"generation"`
}

func (p place) encode() ([]byte, error) {
	return json.Marshal(placeRow{recordVersion, p.Branch, string(p.Head), p.Doc.String(), p.Generation})
}

func decodePlace(data []byte) (place, error) {
	var in placeRow
	if err := strict(data, &in); err != nil {
		return place{}, fmt.Errorf("record of a worktree: %w", err)
	}
	if in.V != recordVersion {
		return place{}, fmt.Errorf("record of a worktree: v %d: this version reads %d: %w", in.V, recordVersion, kaijutsu.ErrInvalid)
	}
	doc, err := kaijutsu.ParseDocumentID(in.Doc)
	if err != nil {
		return place{}, fmt.Errorf("record of a worktree: %w", err)
	}
	return place{in.Branch, git.Hash(in.Head), doc, in.Generation}, nil
}

// keys are the names of a mount's records.
type keys struct{ prefix string }

func keysOf(mount string) keys {
	h := sha256.Sum256([]byte(mount))
	return keys{"worktree/" + hex.EncodeToString(h[:10]) + "/"}
}

func (k keys) place() string                        { return k.prefix + "place" }
func (k keys) known(doc kaijutsu.DocumentID) string { return k.prefix + "doc/" + doc.String() }
func (k keys) files(doc kaijutsu.DocumentID) string { return k.prefix + "file/" + doc.String() + "/" }
func (k keys) file(doc kaijutsu.DocumentID, id blocks.ID) string {
	return k.files(doc) + string(id)
}

// Forget deletes what a node keeps of a mount that is gone. No overlay of it may
// be open.
func Forget(ctx context.Context, st *store.Store, mount string) error {
	var names []string
	for name, err := range st.Records(keysOf(mount).prefix) {
		if err != nil {
			return fmt.Errorf("forget worktree %s: %w", mount, err)
		}
		names = append(names, name)
	}
	for _, name := range names {
		if err := st.DeleteRecord(ctx, name); err != nil {
			return fmt.Errorf("forget worktree %s: %w", mount, err)
		}
	}
	return nil
}

// checkPath accepts a file's path as records hold it: clean, relative, and
// nothing of git's own.
func checkPath(name string) error {
	if name == "." || len(name) > maxPathBytes {
		return fmt.Errorf("path %.80q: want the path of a file, at most %d bytes: %w", name, maxPathBytes, kaijutsu.ErrInvalid)
	}
	clean, err := vfs.Clean(name)
	if err != nil {
		return fmt.Errorf("path %.80q: %w", name, err)
	}
	if clean != name {
		return fmt.Errorf("path %.80q: want it clean, %.80q: %w", name, clean, kaijutsu.ErrInvalid)
	}
	return notGits(name)
}

// notGits refuses names that are git's own on any file system: ".git" in any
// case, and what Windows and macOS take for the same.
func notGits(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		p := strings.ToLower(strings.TrimRight(part, ". "))
		p, _, _ = strings.Cut(p, ":")
		p = strings.Map(func(r rune) rune {
			if r == '\ufeff' || r >= '\u200b' && r <= '\u200f' || r >= '\u202a' && r <= '\u202e' || r >= '\u206a' && r <= '\u206f' {
				return -1
			}
			return r
		}, p)
		if p == ".git" || p == "git~1" {
			return fmt.Errorf("path %.80q: %q is git's own: %w", name, part, kaijutsu.ErrDenied)
		}
	}
	return nil
}
