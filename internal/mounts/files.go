package mounts

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/vfs"
)

const (
	// maxText is the most bytes of text that one answer holds, maxBytes of a file
	// that is no text.
	maxText  = 1 << 20
	maxBytes = 1 << 20
	// maxWhole is the most bytes of a file of which lines are read, or that is
	// written.
	maxWhole = 16 << 20
)

// ReadSpec says what to read.
type ReadSpec struct {
	Path        string
	First, Last int // lines, from 1; 0: from the first, to the last
}

// File is a file, or lines of it.
type File struct {
	Info   vfs.Info
	Text   string
	Base64 bool // Text is the base64 of the file's bytes, which are no text
	// Lines is how many there are, First and Last which of them Text holds.
	Lines, First, Last int
	Truncated          bool // there are lines behind Last that were asked for
	// Hash is of the whole file, for WriteSpec.IfHash.
	Hash string
	// Context and Block hold the file, at Heads; zero: it is no block.
	Context kaijutsu.DocumentID
	Block   blocks.ID
	Heads   kaijutsu.Heads
}

// ReadFile reads a file. A text file of a git mount is a block from then on.
func (m *Mounts) ReadFile(ctx context.Context, c op.Call, spec ReadSpec) (_ File, err error) {
	defer m.veil(c, &err)
	if spec.First < 0 || spec.Last < 0 || spec.Last != 0 && spec.Last < spec.First {
		return File{}, &op.FieldError{Field: "lines", Reason: fmt.Sprintf("there are no lines %d to %d", spec.First, spec.Last), Hint: "they count from 1"}
	}
	t, err := m.table(c)
	if err != nil {
		return File{}, err
	}
	s, rel, err := t.find(spec.Path)
	if err == nil && s.opened != nil && s.overlay != nil && rel != "." {
		f, err := s.overlay.OpenFile(ctx, c, rel)
		if err == nil && f.Block != "" {
			f.Info.Path = s.path + "/" + f.Path
			out := File{Info: f.Info, Hash: or(f.Info.Hash, vfs.HashOf([]byte(f.Content))), Context: f.Doc, Block: f.Block, Heads: f.Heads}
			return out, out.lines(f.Content, spec)
		}
		if err != nil && !errors.Is(err, kaijutsu.ErrTooLarge) && !errors.Is(err, kaijutsu.ErrUnavailable) {
			return File{}, t.missing(ctx, spec.Path, err)
		}
	}
	data, info, err := t.Read(ctx, c.By, spec.Path, maxWhole)
	if err != nil {
		return File{}, t.missing(ctx, spec.Path, err)
	}
	out := File{Info: info, Hash: or(info.Hash, vfs.HashOf(data)), Context: info.Document, Block: blocks.ID(info.Block)}
	if !info.Binary && !vfs.IsBinary(data) {
		return out, out.lines(string(data), spec)
	}
	if spec.First != 0 || spec.Last != 0 {
		return File{}, &op.FieldError{Field: "lines", Reason: "the file is no text", Hint: "read it without lines"}
	}
	if len(data) > maxBytes {
		return File{}, about("path", fmt.Errorf("file %s has %d bytes and is no text: %w: at most %d are read", info.Path, len(data), kaijutsu.ErrTooLarge, maxBytes))
	}
	out.Info.Binary, out.Base64, out.Text = true, true, base64.StdEncoding.EncodeToString(data)
	return out, nil
}

// lines fills in the lines of a text that are asked for, as many as one answer
// holds.
func (f *File) lines(text string, spec ReadSpec) error {
	f.Lines = strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		f.Lines++
	}
	first, last := max(spec.First, 1), f.Lines
	if spec.Last != 0 {
		last = min(spec.Last, f.Lines)
	}
	if spec.First > f.Lines && spec.First > 1 {
		return &op.FieldError{Field: "lines", Reason: fmt.Sprintf("the file has %d lines", f.Lines), Hint: "ask for some of those"}
	}
	for range first - 1 {
		_, text, _ = strings.Cut(text, "\n")
	}
	end, n := 0, first-1
	for n < last {
		next := strings.IndexByte(text[end:], '\n') + 1
		if next == 0 {
			next = len(text) - end
		}
		if end+next > maxText {
			if f.Truncated = true; n >= first {
				break
			}
			next = len(cutText(text[end:], maxText)) // a line that is longer than an answer
			end, n = end+next, n+1
			break
		}
		end, n = end+next, n+1
	}
	f.Text, f.First, f.Last = text[:end], first, n
	return nil
}

// cutText cuts a text to so many bytes, between characters.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// about names the parameter that an error is about, unless it says so itself.
func about(field string, err error) error {
	var wrong *op.FieldError
	if err == nil || errors.As(err, &wrong) {
		return err
	}
	return kaijutsu.About(field, err)
}

// WriteSpec says what to write.
type WriteSpec struct {
	Path, Text string
	Base64     bool  // Text is the base64 of the bytes
	Exec       *bool // nil keeps what it is
	Exclusive  bool  // refuse to write over a file
	Parents    bool  // make directories that are missing
	IfHash     string
}

// WriteFile makes a text the whole of a file, in the caller's name. What it
// returns has no Text.
func (m *Mounts) WriteFile(ctx context.Context, c op.Call, spec WriteSpec) (_ File, err error) {
	defer m.veil(c, &err)
	data := []byte(spec.Text)
	if spec.Base64 {
		var err error
		if data, err = base64.StdEncoding.DecodeString(spec.Text); err != nil {
			return File{}, &op.FieldError{Field: "content_base64", Reason: "it is no base64"}
		}
	}
	if len(data) > maxWhole {
		return File{}, kaijutsu.About("content", fmt.Errorf("content of %d bytes: %w: at most %d", len(data), kaijutsu.ErrTooLarge, maxWhole))
	}
	t, err := m.table(c)
	if err != nil {
		return File{}, err
	}
	info, err := t.Write(ctx, c.By, spec.Path, data, vfs.WriteOptions{Exec: spec.Exec, Exclusive: spec.Exclusive, Parents: spec.Parents, IfHash: spec.IfHash})
	if err != nil {
		return File{}, about("path", err)
	}
	return File{Info: info, Hash: or(info.Hash, vfs.HashOf(data)), Context: info.Document, Block: blocks.ID(info.Block)}, nil
}

// ListDir lists a directory: what is in it, and the mounts below it.
func (m *Mounts) ListDir(ctx context.Context, c op.Call, path string) (_ []vfs.Info, err error) {
	defer m.veil(c, &err)
	t, err := m.table(c)
	if err != nil {
		return nil, err
	}
	out, err := t.List(ctx, path)
	return out, t.missing(ctx, path, err)
}

// Stat says what stands at a path.
func (m *Mounts) Stat(ctx context.Context, c op.Call, path string) (_ vfs.Info, err error) {
	defer m.veil(c, &err)
	t, err := m.table(c)
	if err != nil {
		return vfs.Info{}, err
	}
	out, err := t.Stat(ctx, path)
	return out, t.missing(ctx, path, err)
}

// RemoveFile removes a file, or a directory, with what is in it if recursive.
func (m *Mounts) RemoveFile(ctx context.Context, c op.Call, path string, recursive bool) (err error) {
	defer m.veil(c, &err)
	t, err := m.table(c)
	if err != nil {
		return err
	}
	return t.missing(ctx, path, t.Remove(ctx, c.By, path, recursive))
}

// Rename moves a file or directory within a mount. A file block stays the same
// block.
func (m *Mounts) Rename(ctx context.Context, c op.Call, from, to string) (err error) {
	defer m.veil(c, &err)
	t, err := m.table(c)
	if err != nil {
		return err
	}
	return about("from", t.Rename(ctx, c.By, from, to))
}

// Mkdir makes a directory, and those above it that are missing.
func (m *Mounts) Mkdir(ctx context.Context, c op.Call, path string) (err error) {
	defer m.veil(c, &err)
	t, err := m.table(c)
	if err != nil {
		return err
	}
	return about("path", t.Mkdir(ctx, c.By, path))
}

// Search finds lines of files. What git ignores is passed over in git mounts,
// unless the path names it.
func (m *Mounts) Search(ctx context.Context, c op.Call, spec vfs.SearchSpec) (_ vfs.Found, err error) {
	defer m.veil(c, &err)
	t, err := m.table(c)
	if err != nil {
		return vfs.Found{}, err
	}
	if s, _, err := t.find(spec.Path); err == nil && s.unavailable() != nil {
		return vfs.Found{}, about("path", s.unavailable())
	}
	if spec.Skip == nil {
		spec.Skip = func(at vfs.Mounted, rel string, dir bool) bool {
			s := t.mounts[at.Path]
			return s.opened != nil && s.tree != nil && rel != "." && !below(spec.Path, at.Path+"/"+rel) && (rel == ".git" || s.tree.Ignored(rel, dir))
		}
	}
	return t.Search(ctx, spec)
}

// Resolve ends the conflict of a file by taking what its block holds, what the
// disk holds, or both merged: block, disk or merged.
func (m *Mounts) Resolve(ctx context.Context, c op.Call, path, take string) (err error) {
	defer m.veil(c, &err)
	if take != "block" && take != "disk" && take != "merged" {
		return &op.FieldError{Field: "take", Reason: fmt.Sprintf("there is no %.64q", take), Hint: "want block, disk or merged"}
	}
	s, rel, err := m.gitAt(c, path, kaijutsu.RightEdit)
	if err != nil {
		return about("path", err)
	}
	if !s.rw {
		return about("path", fmt.Errorf("resolve %s: %s: %w", path, s.path, vfs.ErrReadOnly))
	}
	return about("path", s.overlay.Resolve(ctx, c, rel, take))
}
