package quarantine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// List is the quarantine of one store. A nil List is empty and takes nothing
// in.
type List struct {
	log   *slog.Logger
	store *store.Store
	now   func() time.Time

	listed atomic.Int64 // entries; 0 is the common case, and answered without mu

	mu      sync.RWMutex
	entries map[key]Entry // guarded by mu
	kept    int           // bytes kept of all; guarded by mu

	refused refusals
}

type key struct {
	doc    kaijutsu.DocumentID
	change kaijutsu.ChangeHash
}

// Open reads the list from the store. A record that makes no sense is logged
// and left alone. Without a store the list is empty, and lost with the process.
// now is the clock, nil for time.Now.
func Open(log *slog.Logger, s *store.Store, now func() time.Time) (*List, error) {
	if now == nil {
		now = time.Now
	}
	l := &List{log: log, store: s, now: now, entries: make(map[key]Entry)}
	if s == nil {
		return l, nil
	}
	for name, err := range s.Records(prefix) {
		if err != nil {
			return nil, fmt.Errorf("read the quarantine: %w", err)
		}
		if strings.Count(name, "/") != 2 { // bytes of a change
			continue
		}
		data, err := s.Record(name)
		if err != nil {
			return nil, fmt.Errorf("read the quarantine: %w", err)
		}
		e, err := decode(name, data)
		if err != nil {
			log.Error("quarantine entry makes no sense", "key", name, "err", err)
			continue
		}
		l.entries[key{e.Document, e.Change}] = e
		l.kept += min(e.Bytes, maxKept)
	}
	l.listed.Store(int64(len(l.entries)))
	return l, nil
}

// Add puts a change into quarantine, with its bytes as far as they are known.
// It is refused at once; the error, which wraps kaijutsu.ErrUnavailable, says
// that the disk has not taken it, so that it holds only until the process ends.
func (l *List) Add(ctx context.Context, e Entry, raw []byte) error {
	if l == nil {
		return nil
	}
	if e.At.IsZero() {
		e.At = l.now().UTC()
	}
	e.Why = strings.ToValidUTF8(e.Why[:min(len(e.Why), maxWhy)], "")
	e.Bytes = max(e.Bytes, len(raw))
	k := key{e.Document, e.Change}
	l.mu.Lock()
	_, known := l.entries[k]
	if !known && len(l.entries) >= 2*maxEntries {
		l.mu.Unlock()
		return fmt.Errorf("quarantine of %d changes is full: %w", 2*maxEntries, kaijutsu.ErrUnavailable)
	}
	write := len(l.entries) < maxEntries && l.kept+min(len(raw), maxKept) <= maxBytes
	l.entries[k] = e
	if !known && write {
		l.kept += min(len(raw), maxKept)
	}
	l.listed.Store(int64(len(l.entries)))
	l.mu.Unlock()
	if !write {
		return fmt.Errorf("quarantine of change %v: more than %d entries or %d bytes are kept: %w", e.Change, maxEntries, maxBytes, kaijutsu.ErrUnavailable)
	}
	return l.write(ctx, e, raw)
}

// Refused reports whether a change is in quarantine. It costs a few nanoseconds
// when nothing is.
func (l *List) Refused(doc kaijutsu.DocumentID, change kaijutsu.ChangeHash) bool {
	_, ok := l.Entry(doc, change)
	return ok
}

// Entry returns the entry of a change.
func (l *List) Entry(doc kaijutsu.DocumentID, change kaijutsu.ChangeHash) (Entry, bool) {
	if l == nil || l.listed.Load() == 0 {
		return Entry{}, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	e, ok := l.entries[key{doc, change}]
	return e, ok
}

// ReadOnly returns the oldest entry for which a document is served read-only.
func (l *List) ReadOnly(doc kaijutsu.DocumentID) (oldest Entry, is bool) {
	if l == nil || l.listed.Load() == 0 {
		return Entry{}, false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, e := range l.entries {
		if e.ReadOnly && e.Document == doc && (!is || e.At.Before(oldest.At)) {
			oldest, is = e, true
		}
	}
	return oldest, is
}

// Entries returns everything that is in quarantine and then what was refused,
// each oldest first.
func (l *List) Entries() []Entry {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	list := make([]Entry, 0, len(l.entries))
	for _, e := range l.entries {
		list = append(list, e)
	}
	l.mu.RUnlock()
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(a.At.Compare(b.At), a.Change.Compare(b.Change))
	})
	return append(list, l.refused.list()...)
}

// Count returns how many changes are in quarantine, those that a validator
// refused not counted; and how many of those there were since the start.
func (l *List) Count() (listed int, refused int64) {
	if l == nil {
		return 0, 0
	}
	return int(l.listed.Load()), l.refused.seen.Load()
}

// Release takes a change out of quarantine, with what was kept of it. The error
// wraps kaijutsu.ErrNotFound when it is not there.
func (l *List) Release(ctx context.Context, doc kaijutsu.DocumentID, change kaijutsu.ChangeHash) error {
	e, ok := l.Entry(doc, change)
	if !ok {
		return fmt.Errorf("change %v of document %s is not in quarantine; quarantine_list shows what is: %w", change, doc, kaijutsu.ErrNotFound)
	}
	if err := l.erase(ctx, e); err != nil {
		return fmt.Errorf("release change %v of document %s: %w", change, doc, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := key{doc, change}
	if _, ok := l.entries[k]; ok {
		delete(l.entries, k)
		l.kept -= min(e.Bytes, maxKept, l.kept)
	}
	l.listed.Store(int64(len(l.entries)))
	return nil
}

// Bytes returns what is kept of a change: at most the first MiB.
func (l *List) Bytes(doc kaijutsu.DocumentID, change kaijutsu.ChangeHash) ([]byte, error) {
	var out []byte
	if l == nil || l.store == nil {
		return nil, nil
	}
	for n := range (maxKept + maxPart - 1) / maxPart {
		part, err := l.store.Record(partName(doc, change, n))
		if errors.Is(err, kaijutsu.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return out, nil
}
