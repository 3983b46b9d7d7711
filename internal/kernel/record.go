package kernel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/store"
)

const (
	contextRecord = "kernel/context/"
	recordVersion = 1
)

// record is what the kernel knows of a context beyond its document. It is
// replaced, never changed; the zero value is that of a context without one.
type record struct {
	by       kaijutsu.Principal
	created  time.Time
	archived time.Time // zero: it is not
	fork     Fork
}

// Fork says what a context was forked from; the zero value is none.
type Fork struct {
	From  kaijutsu.DocumentID
	Heads kaijutsu.Heads
}

type recordRow struct {
	V        int       `json:"v"`
	By       *whoRow   `json:"by,omitempty"`
	Created  time.Time `json:"created,omitzero"`
	Archived time.Time `json:"archived,omitzero"`
	Fork     *forkRow  `json:"fork,omitempty"`
}

type whoRow struct {
	Name string                 `json:"name"`
	Kind kaijutsu.PrincipalKind `json:"kind"`
}

type forkRow struct {
	From  string   `json:"from"`
	Heads []string `json:"heads"`
}

// records are the contexts' records, in memory and in the store.
type records struct {
	store   *store.Store
	writing chan struct{} // a token: one writer at a time

	mu  sync.RWMutex
	all map[kaijutsu.DocumentID]record // guarded by mu
}

// open reads the records.
func (r *records) open(st *store.Store) error {
	r.store, r.writing, r.all = st, make(chan struct{}, 1), make(map[kaijutsu.DocumentID]record)
	for name, err := range st.Records(contextRecord) {
		if err != nil {
			return err
		}
		value, err := st.Record(name)
		if err != nil {
			return err
		}
		doc, err := kaijutsu.ParseDocumentID(strings.TrimPrefix(name, contextRecord))
		if err != nil {
			return fmt.Errorf("record %q: %w", name, err)
		}
		if r.all[doc], err = decodeRecord(value); err != nil {
			return fmt.Errorf("record %q: %w", name, err)
		}
	}
	return nil
}

func (r *records) get(doc kaijutsu.DocumentID) record {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.all[doc]
}

func (r *records) archived(doc kaijutsu.DocumentID) bool { return !r.get(doc).archived.IsZero() }

// update replaces the record of a document by what change makes of it, on disk
// first. It is carried out also when the caller goes meanwhile.
func (r *records) update(ctx context.Context, doc kaijutsu.DocumentID, change func(*record)) error {
	select {
	case r.writing <- struct{}{}:
		defer func() { <-r.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	rec := r.get(doc)
	change(&rec)
	value, err := json.Marshal(rowOf(rec))
	if err == nil {
		err = r.store.PutRecord(context.WithoutCancel(ctx), contextRecord+doc.String(), value)
	}
	if err != nil {
		return fmt.Errorf("write the record of context %s: %w", doc.Name(), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[doc] = rec
	return nil
}

// forget deletes the record of a document.
func (r *records) forget(ctx context.Context, doc kaijutsu.DocumentID) error {
	select {
	case r.writing <- struct{}{}:
		defer func() { <-r.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := r.store.DeleteRecord(context.WithoutCancel(ctx), contextRecord+doc.String()); err != nil {
		return fmt.Errorf("delete the record of context %s: %w", doc.Name(), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, doc)
	return nil
}

func rowOf(rec record) recordRow {
	row := recordRow{V: recordVersion, Created: rec.created, Archived: rec.archived}
	if !rec.by.IsZero() {
		row.By = &whoRow{rec.by.Name, rec.by.Kind}
	}
	if !rec.fork.From.IsZero() {
		row.Fork = &forkRow{From: rec.fork.From.String(), Heads: rec.fork.Heads.Texts()}
	}
	return row
}

// decodeRecord reads a record of our version; nothing in it is passed over.
func decodeRecord(value []byte) (record, error) {
	var v struct {
		V int `json:"v"`
	}
	if err := json.Unmarshal(value, &v); err != nil {
		return record{}, fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
	}
	if v.V != recordVersion {
		return record{}, fmt.Errorf("it is of version %d, this server reads %d: %w: a newer one has written it; run that", v.V, recordVersion, kaijutsu.ErrInvalid)
	}
	var row recordRow
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&row); err != nil {
		return record{}, fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
	}
	rec := record{created: row.Created, archived: row.Archived}
	if row.By != nil {
		rec.by = kaijutsu.Principal{Name: row.By.Name, Kind: row.By.Kind}
	}
	if row.Fork == nil {
		return rec, nil
	}
	var err error
	if rec.fork.From, err = kaijutsu.ParseDocumentID(row.Fork.From); err != nil {
		return record{}, err
	}
	if rec.fork.Heads, err = kaijutsu.ParseHeads(row.Fork.Heads); err != nil {
		return record{}, err
	}
	return rec, nil
}
