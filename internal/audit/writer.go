package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// writer appends to the newest file. It belongs to the log's goroutine.
type writer struct {
	cfg   Config
	f     *os.File
	size  int64
	began time.Time
	dirty bool
}

const (
	namePrefix = "audit-"
	nameSuffix = ".jsonl"
	nameTime   = "20060102T150405.000Z"
	// fileAge begins a new file every day, so that what is kept ends by the day.
	fileAge = 24 * time.Hour
)

// write appends an entry. After an error the file is opened anew with the next.
func (w *writer) write(e Entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if w.f != nil && (w.size+int64(len(b)) > w.cfg.MaxBytes || e.At.Sub(w.began) >= fileAge) {
		if err := errors.Join(w.sync(), w.close()); err != nil {
			return err
		}
	}
	if w.f == nil {
		if err := w.open(e.At, int64(len(b))); err != nil {
			return err
		}
	}
	n, err := w.f.Write(b)
	w.size += int64(n)
	w.dirty = true
	if err != nil {
		return errors.Join(err, w.close())
	}
	return nil
}

// open takes the newest file, or begins one, and deletes what is too old.
func (w *writer) open(now time.Time, need int64) error {
	names, err := files(w.cfg.Dir)
	if err != nil {
		return err
	}
	name := namePrefix + now.UTC().Format(nameTime) + nameSuffix
	if n := len(names); n > 0 {
		last := names[n-1]
		info, err := os.Stat(filepath.Join(w.cfg.Dir, last))
		if began, ok := beganAt(last); err == nil && ok && (last >= name || info.Size()+need <= w.cfg.MaxBytes && now.Sub(began) < fileAge) {
			name = last // also when the clock went back: names are in the order of writing
		}
	}
	f, err := os.OpenFile(filepath.Join(w.cfg.Dir, name), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	if err == nil && info.Size() > 0 {
		err = endLine(f, info.Size())
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	w.f, w.size = f, info.Size()
	w.began, _ = beganAt(name)
	w.prune(now)
	return nil
}

// endLine ends a line that a crash has torn.
func endLine(f *os.File, size int64) error {
	var last [1]byte
	if _, err := f.ReadAt(last[:], size-1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	_, err := f.Write([]byte("\n"))
	return err
}

// prune deletes files that nobody needs any more. A file ends where the next
// begins.
func (w *writer) prune(now time.Time) {
	names, err := files(w.cfg.Dir)
	if err != nil {
		return
	}
	for i, name := range names[:max(0, len(names)-1)] {
		ends, ok := beganAt(names[i+1])
		if len(names)-i > w.cfg.MaxFiles || ok && now.Sub(ends) > w.cfg.Keep {
			_ = os.Remove(filepath.Join(w.cfg.Dir, name)) // it is tried again with the next file
		}
	}
}

func (w *writer) sync() error {
	if w.f == nil || !w.dirty {
		return nil
	}
	w.dirty = false
	if err := w.f.Sync(); err != nil {
		return errors.Join(fmt.Errorf("sync: %w", err), w.close())
	}
	return nil
}

func (w *writer) close() error {
	if w.f == nil {
		return nil
	}
	f := w.f
	w.f = nil
	return f.Close()
}

// files returns the names of a log's files, the oldest first.
func files(dir string) ([]string, error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range all {
		if _, ok := beganAt(f.Name()); ok && f.Type().IsRegular() {
			names = append(names, f.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// beganAt returns when a file was begun; false: it is none of a log.
func beganAt(name string) (time.Time, bool) {
	text, ok := strings.CutPrefix(name, namePrefix)
	if ok {
		text, ok = strings.CutSuffix(text, nameSuffix)
	}
	if !ok {
		return time.Time{}, false
	}
	t, err := time.Parse(nameTime, text)
	return t, err == nil
}
