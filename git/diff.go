package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/textdiff"
)

// Side is a side of a comparison: a revision, or one of the two below.
type Side string

// The sides that are no revisions.
const (
	SideWorktree Side = ":worktree"
	SideIndex    Side = ":index"
	SideEmpty    Side = ":empty" // nothing at all
)

// DiffOptions says what is compared; the zero value compares HEAD with the
// worktree's tracked files.
type DiffOptions struct {
	From, To Side                             // default HEAD, and SideWorktree
	Paths    []string                         // only these files and what is below these directories; nil: all
	Text     func(path string) ([]byte, bool) // as in StatusOptions
	Limit    int                              // bytes of all Unified together; what is over it has none; default 8 MiB
}

// FileDiff is a changed file.
type FileDiff struct {
	Path, OldPath    string // OldPath where it was renamed without other changes
	From, To         Mode   // 0: not there
	Unified          string // what git apply reads; "" for binary files and over the limit
	Added, Deleted   int    // lines
	Binary, TooLarge bool
}

const (
	defaultDiffLimit = 8 << 20
	maxDiffFile      = 16 << 20 // bytes of one side of a file that is compared
)

// sideFile is a file on one side: by its object, or by a function that reads
// it.
type sideFile struct {
	mode Mode
	hash Hash
	read func() ([]byte, error) // nil: it is the object
}

// Diff compares two sides and returns the changed files by path. Line endings
// are those that git stores. A file that is only in the worktree and that the
// index does not know is left out.
func (w *Worktree) Diff(ctx context.Context, o DiffOptions) ([]FileDiff, error) {
	if o.From == "" {
		o.From = "HEAD"
	}
	if o.To == "" {
		o.To = SideWorktree
	}
	from, err := w.side(ctx, o.From, o)
	if err != nil {
		return nil, fmt.Errorf("diff: %w", err)
	}
	to, err := w.side(ctx, o.To, o)
	if err != nil {
		return nil, fmt.Errorf("diff: %w", err)
	}
	d := differ{ctx: ctx, w: w, attrs: w.attributes(), from: from, to: to, left: o.Limit}
	if d.left <= 0 {
		d.left = defaultDiffLimit
	}
	return d.run()
}

// side returns the files of a side that were asked for.
func (w *Worktree) side(ctx context.Context, s Side, o DiffOptions) (map[string]sideFile, error) {
	files := map[string]sideFile{}
	switch s {
	case SideEmpty:
		return files, nil
	case SideIndex, SideWorktree:
		x, err := w.cachedIndex()
		if err != nil {
			return nil, err
		}
		for i := range x.Entries {
			if e := &x.Entries[i]; (e.Stage == 0 || e.Stage == 2) && underPaths(o.Paths, e.Path) && !(e.IntentToAdd && s == SideIndex) {
				files[e.Path] = sideFile{mode: e.Mode, hash: e.Hash}
			}
		}
		if s == SideWorktree {
			err = w.overlayDisk(ctx, files, o)
		}
		return files, err
	}
	h, err := w.Resolve(string(s))
	if err != nil {
		if _, head, headErr := w.repo.resolveRef(w.gitdir, "HEAD"); s == "HEAD" && headErr == nil && head == "" {
			return files, nil
		}
		return nil, err
	}
	tree, err := w.repo.treeOf(h)
	if err != nil {
		return nil, err
	}
	enter := func(dir string, _ Hash) bool {
		return underPaths(o.Paths, strings.TrimSuffix(dir, "/")) ||
			slices.ContainsFunc(o.Paths, func(p string) bool { return strings.HasPrefix(p, dir) })
	}
	err = w.repo.walkTree(tree, enter, func(f treeFile) error {
		if underPaths(o.Paths, f.Path) {
			files[f.Path] = sideFile{mode: f.Mode, hash: f.Hash}
		}
		return ctx.Err()
	})
	return files, err
}

// overlayDisk replaces the files of the index that are different on disk.
func (w *Worktree) overlayDisk(ctx context.Context, files map[string]sideFile, o DiffOptions) error {
	changed, err := w.Status(ctx, StatusOptions{Paths: o.Paths, Text: o.Text})
	if err != nil {
		return err
	}
	attrs := w.attributes()
	for _, st := range changed {
		f, known := files[st.Path]
		switch {
		case !known:
		case st.Unstaged == Deleted && st.Conflict == "" || st.Conflict != "" && st.Disk == 0:
			delete(files, st.Path)
		case st.Unstaged != Unmodified && st.Disk != Submodule && st.Disk != Tree:
			old := f.hash
			files[st.Path] = sideFile{mode: st.Disk, read: func() ([]byte, error) { return w.repoForm(st.Path, old, attrs, o) }}
		}
	}
	return nil
}

// repoForm reads a file of the worktree as git would store it.
func (w *Worktree) repoForm(path string, old Hash, attrs *attrSource, o DiffOptions) ([]byte, error) {
	if o.Text != nil {
		if data, ok := o.Text(path); ok {
			return data, nil
		}
	}
	name := filepath.Join(w.dir, filepath.FromSlash(path))
	if fi, err := os.Lstat(name); err == nil && fi.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(name)
		return []byte(target), err
	}
	data, err := readFile(name, maxDiffFile, syscall.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	return attrs.attr(path).toRepo(data, func() []byte { return w.repo.blobOrNil(old) }), nil
}

// differ compares files.
type differ struct {
	ctx      context.Context
	w        *Worktree
	attrs    *attrSource
	from, to map[string]sideFile
	left     int
	out      []FileDiff
}

func (d *differ) run() ([]FileDiff, error) {
	renames := d.renames()
	paths := make([]string, 0, len(d.from)+len(d.to))
	for p, a := range d.from {
		if b, ok := d.to[p]; !ok || a.mode != b.mode || a.hash != b.hash || b.read != nil || a.read != nil {
			paths = append(paths, p)
		}
	}
	for p := range d.to {
		if _, ok := d.from[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	gone := map[string]bool{}
	for _, old := range renames {
		gone[old] = true
	}
	for _, p := range paths {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		if gone[p] {
			continue
		}
		f, err := d.file(p, renames[p])
		if err != nil {
			return nil, fmt.Errorf("diff of %q: %w", p, err)
		}
		if f != nil {
			d.out = append(d.out, *f)
		}
	}
	return d.out, nil
}

// renames pairs files that are gone with new ones of the same object: new path
// to old.
func (d *differ) renames() map[string]string {
	gone := map[Hash][]string{}
	for p, a := range d.from {
		if _, ok := d.to[p]; !ok && a.mode.IsFile() && a.hash != "" && a.hash != emptyBlob {
			gone[a.hash] = append(gone[a.hash], p)
		}
	}
	pairs := map[string]string{}
	if len(gone) == 0 {
		return pairs
	}
	var fresh []string
	for p, b := range d.to {
		if _, ok := d.from[p]; !ok && b.mode.IsFile() && len(gone[b.hash]) > 0 {
			fresh = append(fresh, p)
		}
	}
	slices.Sort(fresh)
	for _, p := range fresh {
		old := gone[d.to[p].hash]
		if len(old) == 0 {
			continue
		}
		slices.Sort(old)
		pairs[p], gone[d.to[p].hash] = old[0], old[1:]
	}
	return pairs
}

func (d *differ) file(path, old string) (*FileDiff, error) {
	a, b := d.from[path], d.to[path]
	if old != "" {
		a = d.from[old]
	}
	f := &FileDiff{Path: path, OldPath: old, From: a.mode, To: b.mode}
	x, errA := d.content(&a)
	y, errB := d.content(&b)
	if errA != nil || errB != nil {
		if errA != nil && !tooLargeError(errA) || errB != nil && !tooLargeError(errB) {
			return nil, firstError(errA, errB)
		}
		f.TooLarge = true
		return f, nil
	}
	if a.mode == b.mode && old == "" && bytes.Equal(x, y) {
		return nil, nil
	}
	if b.hash == "" && b.mode != 0 {
		b.hash = BlobHash(y)
	}
	if a.hash == "" && a.mode != 0 {
		a.hash = BlobHash(x)
	}
	f.Binary = d.binary(path, x) || d.binary(path, y)
	if f.Binary {
		return f, nil
	}
	var body strings.Builder
	diffs := [][2]string{{string(x), string(y)}}
	if a.mode != 0 && b.mode != 0 && changeCode(a.mode, b.mode) == TypeChanged {
		diffs = [][2]string{{string(x), ""}, {"", string(y)}} // git shows a deletion and a creation
	}
	for i, pair := range diffs {
		if len(diffs) == 2 {
			from, to := a, b
			if i == 0 {
				to = sideFile{}
			} else {
				from = sideFile{}
			}
			body.WriteString(diffHeader(path, "", from, to))
		} else {
			body.WriteString(diffHeader(path, old, a, b))
		}
		unified := textdiff.Unified(pair[0], pair[1], path)
		f.countLines(unified)
		body.WriteString(withNames(unified, path, old, pair[0] == "" && (a.mode == 0 || len(diffs) == 2), pair[1] == "" && (b.mode == 0 || len(diffs) == 2)))
	}
	if body.Len() > d.left {
		f.TooLarge = true
		return f, nil
	}
	d.left -= body.Len()
	f.Unified = body.String()
	return f, nil
}

func tooLargeError(err error) bool { return errors.Is(err, kaijutsu.ErrTooLarge) }

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *differ) content(f *sideFile) ([]byte, error) {
	switch {
	case f.mode == 0:
		return nil, nil
	case f.read != nil:
		return f.read()
	case f.mode == Submodule:
		return []byte("Subproject commit " + string(f.hash) + "\n"), nil
	}
	_, data, err := d.w.repo.readObject(f.hash, maxDiffFile)
	return data, err
}

// binary reports whether git shows no lines of such a file.
func (d *differ) binary(path string, data []byte) bool {
	switch states := d.attrs.lookup(path); states[attrDiff] {
	case attrUnset:
		return true
	case attrSet:
		return !utf8.Valid(data)
	}
	head := data[:min(len(data), 8000)]
	return bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(data)
}

// diffHeader writes the lines of git in front of a unified diff.
func diffHeader(path, old string, a, b sideFile) string {
	if old == "" {
		old = path
	}
	var h strings.Builder
	fmt.Fprintf(&h, "diff --git %s %s\n", quoteC("a/"+old), quoteC("b/"+path))
	switch {
	case a.mode == 0:
		fmt.Fprintf(&h, "new file mode %v\n", b.mode)
	case b.mode == 0:
		fmt.Fprintf(&h, "deleted file mode %v\n", a.mode)
	case a.mode != b.mode:
		fmt.Fprintf(&h, "old mode %v\nnew mode %v\n", a.mode, b.mode)
	}
	if old != path {
		fmt.Fprintf(&h, "similarity index 100%%\nrename from %s\nrename to %s\n", quoteC(old), quoteC(path))
	}
	if a.hash != b.hash {
		fmt.Fprintf(&h, "index %s..%s", logHash(a.hash), logHash(b.hash))
		if a.mode == b.mode {
			fmt.Fprintf(&h, " %v", a.mode)
		}
		h.WriteByte('\n')
	}
	return h.String()
}

// withNames puts the file names of git into the first two lines of a diff.
func withNames(unified, path, old string, created, deleted bool) string {
	_, rest, ok := strings.Cut(unified, "\n")
	if !ok {
		return unified
	}
	_, rest, _ = strings.Cut(rest, "\n")
	if old == "" {
		old = path
	}
	from, to := quoteC("a/"+old), quoteC("b/"+path)
	if created {
		from = "/dev/null"
	}
	if deleted {
		to = "/dev/null"
	}
	// git ends names with spaces in a tab, so that dates cannot be part of them.
	if strings.ContainsRune(from, ' ') && !created {
		from += "\t"
	}
	if strings.ContainsRune(to, ' ') && !deleted {
		to += "\t"
	}
	return "--- " + from + "\n+++ " + to + "\n" + rest
}

// countLines counts the lines that a unified diff adds and deletes.
func (f *FileDiff) countLines(unified string) {
	inHunk := false
	for line := range strings.Lines(unified) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		case inHunk && line[0] == '+':
			f.Added++
		case inHunk && line[0] == '-':
			f.Deleted++
		}
	}
}
