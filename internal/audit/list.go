package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kaijutsu/internal/op"
)

// Filter says which entries are wanted; zero fields want all.
type Filter struct {
	Principal string
	Action    string // a name, or a family as "token_*"
	Outcome   string
	From      string
	Since     time.Time // at or after
	Until     time.Time // before
	Limit     int       // the newest so many; default 100
}

func (f Filter) wants(e Entry) bool {
	switch {
	case f.Principal != "" && f.Principal != e.Principal,
		f.Action != "" && !op.Denied([]string{f.Action}, e.Action),
		f.Outcome != "" && f.Outcome != e.Outcome,
		f.From != "" && f.From != e.From,
		!f.Since.IsZero() && e.At.Before(f.Since),
		!f.Until.IsZero() && !e.At.Before(f.Until):
		return false
	}
	return true
}

// maxLine bounds a line that is read; longer ones are none of ours.
const maxLine = 64 << 10

// List returns the newest entries that are wanted, the oldest of them first,
// what was just added among them, and whether there are more. Lines that cannot
// be read are passed over.
func (l *Log) List(ctx context.Context, f Filter) (entries []Entry, more bool, err error) {
	if l == nil {
		return nil, false, nil
	}
	l.flush()
	if f.Limit <= 0 {
		f.Limit = 100
	}
	names, err := files(l.cfg.Dir)
	if err != nil {
		return nil, false, err
	}
	for _, name := range slices.Backward(names) {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if began, _ := beganAt(name); !f.Until.IsZero() && !began.Before(f.Until) {
			continue
		}
		some, err := read(filepath.Join(l.cfg.Dir, name), f)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has just become too old
		}
		if err != nil {
			return nil, false, err
		}
		entries = append(some, entries...)
		if len(entries) > f.Limit {
			return entries[len(entries)-f.Limit:], true, nil
		}
		if began, _ := beganAt(name); !f.Since.IsZero() && began.Before(f.Since) {
			break
		}
	}
	return entries, false, nil
}

// read returns the entries of a file that are wanted, at most the newest of
// them and one more.
func read(path string, f Filter) ([]Entry, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []Entry
	in := bufio.NewReaderSize(file, maxLine)
	for {
		b, prefix, err := in.ReadLine()
		if err != nil {
			break // the end, or as far as the disk gives it
		}
		if prefix {
			for prefix && err == nil {
				_, prefix, err = in.ReadLine()
			}
			continue
		}
		var e Entry
		if json.Unmarshal(b, &e) != nil || !bytes.HasPrefix(b, []byte("{")) || !f.wants(e) {
			continue
		}
		out = append(out, e)
		if len(out) > 2*f.Limit+1 {
			out = slices.Delete(out, 0, len(out)-f.Limit-1)
		}
	}
	return out, nil
}
