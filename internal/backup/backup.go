package backup

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"kaijutsu"
)

// Backup is a backup that is read: a directory or a tar file. It is safe for
// concurrent use.
type Backup struct {
	path string
	files
}

// Open opens a backup for reading. The error wraps kaijutsu.ErrNotFound when
// there is none.
func Open(name string) (*Backup, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open backup %s: there is none: %w", name, kaijutsu.ErrNotFound)
	case err != nil:
		return nil, fmt.Errorf("open backup: %w", err)
	case info.IsDir():
		return &Backup{path: name, files: dirFiles(name)}, nil
	}
	in, err := openTar(name)
	if err != nil {
		return nil, fmt.Errorf("open backup %s: %w", name, err)
	}
	return &Backup{path: name, files: in}, nil
}

// Close lets go of the files.
func (b *Backup) Close() error { return b.files.Close() }

// Run is a run of a backup, as its manifest says, or why that cannot be read.
type Run struct {
	Number int
	*Manifest
	Err error
}

// Runs lists the runs, oldest first. The error wraps kaijutsu.ErrNotFound when
// there are none.
func (b *Backup) Runs() ([]Run, error) {
	dirs, err := b.dirs()
	if err != nil {
		return nil, fmt.Errorf("list runs of %s: %w", b.path, err)
	}
	var runs []Run
	for _, dir := range dirs {
		n, ok := runOf(dir)
		if !ok {
			continue
		}
		raw, err := readFile(b.files, dir+"/"+manifestName)
		if errors.Is(err, fs.ErrNotExist) {
			if b.pruned(dir) {
				continue
			}
			err = fmt.Errorf("%s is missing: %w", manifestName, kaijutsu.ErrInvalid)
		}
		r := Run{Number: n}
		if err == nil {
			r.Manifest, err = decodeManifest(raw)
		}
		if err == nil && r.Run != n {
			err = fmt.Errorf("the manifest is that of run %d: %w", r.Run, kaijutsu.ErrInvalid)
		}
		if err != nil {
			r.Manifest, r.Err = nil, fmt.Errorf("run %d: %w", n, err)
		}
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s holds no backup: %w", b.path, kaijutsu.ErrNotFound)
	}
	slices.SortFunc(runs, func(a, b Run) int { return cmp.Compare(a.Number, b.Number) })
	return runs, nil
}

// pruned reports whether a directory without a manifest is there only for parts
// that other runs need.
func (b *Backup) pruned(dir string) bool {
	for _, name := range []string{prunedName, indexName} {
		in, _, err := b.open(dir + "/" + name)
		if err == nil {
			_ = in.Close() // it was only looked for
			return name == prunedName
		}
	}
	return true
}

// Run returns a run by its number, 0 for the latest. The latest must be
// readable: an older one is not taken for it.
func (b *Backup) Run(number int) (Run, error) {
	runs, err := b.Runs()
	if err != nil {
		return Run{}, err
	}
	at := len(runs) - 1
	if number > 0 {
		at = slices.IndexFunc(runs, func(r Run) bool { return r.Number == number })
	}
	if at < 0 {
		return Run{}, fmt.Errorf("%s has no run %d: kj backup ls shows those that it has: %w", b.path, number, kaijutsu.ErrNotFound)
	}
	return runs[at], runs[at].Err
}

// Check reads every file that a run needs and compares it with the manifest; the
// error names all that are missing or not what was written, and wraps
// kaijutsu.ErrInvalid.
func (b *Backup) Check(r Run, seen map[string]bool) error {
	var bad []error
	for _, f := range r.files() {
		if seen[f.Name+f.SHA256] {
			continue
		}
		if err := b.checkFile(f); err != nil {
			bad = append(bad, err)
			continue
		}
		if seen != nil {
			seen[f.Name+f.SHA256] = true
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("run %d is damaged: %w", r.Number, errors.Join(bad...))
	}
	return nil
}

func (b *Backup) checkFile(f File) error {
	in, _, err := b.open(f.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: %w", f.Name, kaijutsu.ErrInvalid)
	}
	if err != nil {
		return err
	}
	defer in.Close()
	h := sha256.New()
	n, err := io.Copy(h, in)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", f.Name, err)
	case n != f.Bytes:
		return fmt.Errorf("%s has %d bytes, want %d: %w", f.Name, n, f.Bytes, kaijutsu.ErrInvalid)
	case hex.EncodeToString(h.Sum(nil)) != f.SHA256:
		return fmt.Errorf("%s: %w: %w", f.Name, errDigest, kaijutsu.ErrInvalid)
	}
	return nil
}

// sizes compares only the sizes of the files that a run needs.
func (b *Backup) sizes(m *Manifest) error {
	for _, f := range m.files() {
		in, size, err := b.open(f.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is missing: %w", f.Name, kaijutsu.ErrInvalid)
		case err != nil:
			return err
		}
		_ = in.Close() // it was only looked at
		if size != f.Bytes {
			return fmt.Errorf("%s has %d bytes, want %d: %w", f.Name, size, f.Bytes, kaijutsu.ErrInvalid)
		}
	}
	return nil
}

// Index reads what a run holds.
func (b *Backup) Index(r Run) (*Index, error) {
	raw, err := readFile(b.files, r.Index.Name)
	if err != nil {
		return nil, fmt.Errorf("run %d: %w", r.Number, err)
	}
	if got := sum(raw); hex.EncodeToString(got[:]) != r.Index.SHA256 {
		return nil, fmt.Errorf("run %d: %s: %w: %w", r.Number, r.Index.Name, errDigest, kaijutsu.ErrInvalid)
	}
	x, err := readIndex(bytes.NewReader(raw), len(r.Parts))
	if err != nil {
		return nil, fmt.Errorf("run %d: %w", r.Number, err)
	}
	return x, nil
}
