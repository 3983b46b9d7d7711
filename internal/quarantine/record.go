package quarantine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
)

const prefix = "quarantine/"

// record is an entry as it is on disk. Fields are only added.
type record struct {
	V        int       `json:"v"`
	Bytes    int       `json:"bytes"`
	ByName   string    `json:"by_name,omitempty"`
	ByKind   string    `json:"by_kind,omitempty"`
	At       time.Time `json:"at"`
	Why      string    `json:"why"`
	Kind     string    `json:"kind"`
	ReadOnly bool      `json:"read_only,omitempty"`
	Closed   bool      `json:"closed,omitempty"`
}

func entryName(doc kaijutsu.DocumentID, change kaijutsu.ChangeHash) string {
	return prefix + doc.String() + "/" + change.String()
}

func partName(doc kaijutsu.DocumentID, change kaijutsu.ChangeHash, n int) string {
	return fmt.Sprintf("%s/%02d", entryName(doc, change), n)
}

func decode(name string, data []byte) (Entry, error) {
	doc, change, _ := strings.Cut(strings.TrimPrefix(name, prefix), "/")
	var e Entry
	var err error
	if e.Document, err = kaijutsu.ParseDocumentID(doc); err != nil {
		return e, err
	}
	if e.Change, err = kaijutsu.ParseChangeHash(change); err != nil {
		return e, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return e, fmt.Errorf("%w: %w", kaijutsu.ErrInvalid, err)
	}
	e.By = kaijutsu.Principal{Name: r.ByName, Kind: kaijutsu.PrincipalKind(r.ByKind)}
	e.Bytes, e.At, e.Why, e.Kind, e.ReadOnly, e.Closed = r.Bytes, r.At, r.Why, r.Kind, r.ReadOnly, r.Closed
	return e, nil
}

// write puts an entry and the bytes on disk; the entry last, so that one that is
// there has its bytes.
func (l *List) write(ctx context.Context, e Entry, raw []byte) error {
	if l.store == nil {
		return nil
	}
	raw = raw[:min(len(raw), maxKept)]
	for n := 0; len(raw) > 0; n++ {
		part := raw[:min(len(raw), maxPart)]
		raw = raw[len(part):]
		if err := l.store.PutRecord(ctx, partName(e.Document, e.Change, n), part); err != nil {
			return l.unwritten(err)
		}
	}
	data, err := json.Marshal(record{1, e.Bytes, e.By.Name, string(e.By.Kind), e.At, e.Why, e.Kind, e.ReadOnly, e.Closed})
	if err == nil {
		err = l.store.PutRecord(ctx, entryName(e.Document, e.Change), data)
	}
	return l.unwritten(err)
}

func (l *List) unwritten(err error) error {
	if err == nil || errors.Is(err, kaijutsu.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", kaijutsu.ErrUnavailable, err)
}

// erase takes an entry off the disk, first.
func (l *List) erase(ctx context.Context, e Entry) error {
	if l.store == nil {
		return nil
	}
	if err := l.store.DeleteRecord(ctx, entryName(e.Document, e.Change)); err != nil {
		return err
	}
	for n := range (min(e.Bytes, maxKept) + maxPart - 1) / maxPart {
		if err := l.store.DeleteRecord(ctx, partName(e.Document, e.Change, n)); err != nil {
			return err
		}
	}
	return nil
}
