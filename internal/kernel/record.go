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
	"kaijutsu/flowbus"
	"kaijutsu/internal/records"
)

const (
	contextRecord = "kernel/context/"
	// recordVersion is what records say that hold what every release knows;
	// modelVersion those that hold a model. A record says the lowest that it can,
	// so that nodes of older releases read all they are able to.
	recordVersion = 1
	modelVersion  = 2
)

// record is what the kernel knows of a context beyond its document. It is
// replaced, never changed; the zero value is that of a context without one.
type record struct {
	by       kaijutsu.Principal
	created  time.Time
	archived time.Time          // zero: it is not
	moved    kaijutsu.Principal // who archived it, or took it back, last
	fork     Fork
	model    Model
}

// Fork says what a context was forked from; the zero value is none.
type Fork struct {
	From  kaijutsu.DocumentID
	Heads kaijutsu.Heads
}

// Model is what the agent of a context runs on; the zero value is unknown.
type Model struct {
	Provider string // such as "anthropic"; empty: not said
	Name     string
}

type recordRow struct {
	V        int       `json:"v"`
	By       *whoRow   `json:"by,omitempty"`
	Created  time.Time `json:"created,omitzero"`
	Archived time.Time `json:"archived,omitzero"`
	Moved    *whoRow   `json:"archived_by,omitempty"` // or who took it back
	Fork     *forkRow  `json:"fork,omitempty"`
	Model    *modelRow `json:"model,omitempty"` // from version 2 on
}

type whoRow struct {
	Name string                 `json:"name"`
	Kind kaijutsu.PrincipalKind `json:"kind"`
}

type modelRow struct {
	Provider string `json:"provider,omitempty"`
	Name     string `json:"name"`
}

type forkRow struct {
	From  string   `json:"from"`
	Heads []string `json:"heads"`
}

// contextRecords are the contexts' records in memory. They follow the kernel's,
// whichever node has written them.
type contextRecords struct {
	table   *records.Table
	writing chan struct{} // a token: one writer at a time

	mu      sync.RWMutex
	all     map[kaijutsu.DocumentID]record   // guarded by mu
	deleted map[kaijutsu.DocumentID]struct{} // guarded by mu; for good, on every node
	labels  map[string]labelled              // guarded by mu; by label
	// labelsOf are the labels whose records name a context. Guarded by mu.
	labelsOf map[kaijutsu.DocumentID][]string
	unread   map[string]struct{} // guarded by mu; names of records that cannot be read
}

// openRecords moves the records that a server kept in its store before nodes
// shared them, reads all of them, and follows them from then on.
func (k *Kernel) openRecords() error {
	r, table := &k.records, k.cfg.Records
	r.table, r.writing = table, make(chan struct{}, 1)
	r.all, r.deleted = make(map[kaijutsu.DocumentID]record), make(map[kaijutsu.DocumentID]struct{})
	r.labels, r.labelsOf = make(map[string]labelled), make(map[kaijutsu.DocumentID][]string)
	r.unread = make(map[string]struct{})
	err := table.Move(context.Background(), k.cfg.Store, contextRecord, func(name string, value []byte) error {
		_, _, err := decodeContext(name, value)
		return err
	})
	if err != nil {
		return err
	}
	tell := k.cfg.Tell
	k.cfg.Tell = nil // what was is no event
	for name, value := range table.All(contextRecord) {
		k.followContext(name, value)
	}
	k.cfg.Tell = tell
	for name, value := range table.All(deletedRecord) {
		k.followDeleted(name, value)
	}
	for name, value := range table.All(labelRecord) {
		k.followLabel(name, value)
	}
	k.unwatch = append(k.unwatch, table.Watch(contextRecord, k.followContext), table.Watch(deletedRecord, k.followDeleted), table.Watch(labelRecord, k.followLabel))
	return nil
}

// followContext takes a context's record over, whoever has written it; nil: it
// is gone. Of one that cannot be read nothing is known, and it is closed as an
// archived one is, in case that is what it says.
func (k *Kernel) followContext(name string, value []byte) {
	r := &k.records
	doc, rec, err := decodeContext(name, value)
	if doc.IsZero() {
		k.log.Error("record passed over: it is of no context", "record", name, "err", err)
		return
	}
	if err != nil {
		k.log.Error("context record not read: the context is closed", "record", name, "err", err)
		rec = record{archived: createdOf(doc)}
		if rec.archived.IsZero() {
			rec.archived = time.Unix(0, 0).UTC()
		}
	}
	r.mu.Lock()
	was := r.all[doc]
	if value == nil {
		delete(r.all, doc)
	} else {
		r.all[doc] = rec
	}
	if err != nil {
		r.unread[name] = struct{}{}
	} else {
		delete(r.unread, name)
	}
	r.mu.Unlock()
	if value != nil {
		k.cfg.Access.Stand(doc) // who may read it came before
	}
	if value != nil && was.archived.IsZero() != rec.archived.IsZero() {
		k.chores.review(doc)
		k.watches.wake()
		kind := flowbus.ContextRestored
		if !rec.archived.IsZero() {
			kind = flowbus.ContextArchived
		}
		k.tell(k.event(kind, rec.moved, doc, &flowbus.Nothing{}))
	}
}

// Unread returns how many records of contexts there are that cannot be read.
func (k *Kernel) Unread() int {
	k.records.mu.RLock()
	defer k.records.mu.RUnlock()
	return len(k.records.unread)
}

// tell tells those who follow at this node what every node finds in the records.
func (k *Kernel) tell(e flowbus.Event) {
	if k.cfg.Tell != nil && e.Context != (kaijutsu.ContextID{}) {
		k.cfg.Tell(e)
	}
}

func (r *contextRecords) get(doc kaijutsu.DocumentID) record {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.all[doc]
}

func (r *contextRecords) archived(doc kaijutsu.DocumentID) bool { return !r.get(doc).archived.IsZero() }

func (r *contextRecords) isDeleted(doc kaijutsu.DocumentID) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, deleted := r.deleted[doc]
	return deleted
}

func (r *contextRecords) setDeleted(doc kaijutsu.DocumentID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deleted[doc] = struct{}{}
}

// turn waits for the turn to write; leave gives it to the next.
func (r *contextRecords) turn(ctx context.Context) (leave func(), err error) {
	select {
	case r.writing <- struct{}{}:
		return func() { <-r.writing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// update replaces the record of a document by what change makes of it. When it
// returns, that is on disk and in memory. It is carried out also when the caller
// goes meanwhile.
func (r *contextRecords) update(ctx context.Context, by kaijutsu.Principal, doc kaijutsu.DocumentID, change func(*record)) error {
	leave, err := r.turn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return r.put(ctx, by, doc, change)
}

// put is update with other records, in one change, by who has the turn.
func (r *contextRecords) put(ctx context.Context, by kaijutsu.Principal, doc kaijutsu.DocumentID, change func(*record), with ...records.Record) error {
	rec := r.get(doc)
	change(&rec)
	value, err := json.Marshal(rowOf(rec))
	if err == nil {
		err = r.table.Write(context.WithoutCancel(ctx), by, append(with, records.Record{Name: contextRecord + doc.String(), Value: value})...)
	}
	if err != nil {
		return fmt.Errorf("write the record of context %s: %w", doc.Name(), err)
	}
	return nil
}

// decodeContext reads a context's record and its name; nil: it is gone. The
// document is zero when the name is none.
func decodeContext(name string, value []byte) (kaijutsu.DocumentID, record, error) {
	doc, err := kaijutsu.ParseDocumentID(strings.TrimPrefix(name, contextRecord))
	if err != nil || value == nil {
		return doc, record{}, err
	}
	rec, err := decodeRecord(value)
	return doc, rec, err
}

func rowOf(rec record) recordRow {
	row := recordRow{V: recordVersion, Created: rec.created, Archived: rec.archived}
	if !rec.by.IsZero() {
		row.By = &whoRow{rec.by.Name, rec.by.Kind}
	}
	if !rec.moved.IsZero() {
		row.Moved = &whoRow{rec.moved.Name, rec.moved.Kind}
	}
	if !rec.fork.From.IsZero() {
		row.Fork = &forkRow{From: rec.fork.From.String(), Heads: rec.fork.Heads.Texts()}
	}
	if rec.model != (Model{}) {
		row.V, row.Model = modelVersion, &modelRow{rec.model.Provider, rec.model.Name}
	}
	return row
}

// decodeRecord reads a record of a version that we know; nothing in it is passed
// over.
func decodeRecord(value []byte) (record, error) {
	var v struct {
		V int `json:"v"`
	}
	if err := json.Unmarshal(value, &v); err != nil {
		return record{}, fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
	}
	if v.V < recordVersion || v.V > modelVersion {
		return record{}, fmt.Errorf("it is of version %d, this server reads %d to %d: %w: a newer one has written it; run that", v.V, recordVersion, modelVersion, kaijutsu.ErrInvalid)
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
	if row.Moved != nil {
		rec.moved = kaijutsu.Principal{Name: row.Moved.Name, Kind: row.Moved.Kind}
	}
	var err error
	if row.Model != nil {
		if rec.model = (Model{row.Model.Provider, row.Model.Name}); v.V < modelVersion {
			return record{}, fmt.Errorf("a record of version %d has a model: %w", v.V, kaijutsu.ErrInvalid)
		}
		if err = rec.model.check(); err != nil {
			return record{}, err
		}
	}
	if row.Fork == nil {
		return rec, nil
	}
	if rec.fork.From, err = kaijutsu.ParseDocumentID(row.Fork.From); err != nil {
		return record{}, err
	}
	if rec.fork.Heads, err = kaijutsu.ParseHeads(row.Fork.Heads); err != nil {
		return record{}, err
	}
	return rec, nil
}
