package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// deletedRecord says that a context was deleted. It stays for ever: a node that
// was away, or an editor that was, must not bring the context back.
const deletedRecord = "kernel/deleted/"

var errClosing = fmt.Errorf("the server is stopping: %w", kaijutsu.ErrUnavailable)

type deletedRow struct {
	V  int       `json:"v"`
	By *whoRow   `json:"by,omitempty"`
	At time.Time `json:"at"`
}

// Delete removes a context for good, on every node: its history, its record and
// its label.
// The grants in it stay: they say who is told of it. It must be archived, unless force says otherwise. Syncing it
// again is refused. When it returns nil, it is gone here; nodes that are away
// delete it when they come back.
func (k *Kernel) Delete(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, force bool) error {
	if err := k.need(c, doc, kaijutsu.RightOwn); err != nil {
		return err
	}
	if !force && !k.records.archived(doc) {
		return fmt.Errorf("context %s: %w: it is in use; archive it first, or force", doc.Name(), kaijutsu.ErrConflict)
	}
	value, err := json.Marshal(deletedRow{V: recordVersion, By: &whoRow{c.By.Name, c.By.Kind}, At: k.cfg.Now().UTC().Truncate(time.Millisecond)})
	if err != nil {
		return err
	}
	leave, err := k.records.turn(ctx)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	rs, err := k.labelRecords(c.By, "", doc) // the label is free again
	if err == nil {
		err = k.cfg.Records.Write(ctx, c.By, append(rs,
			records.Record{Name: deletedRecord + doc.String(), Value: value},
			records.Record{Name: contextRecord + doc.String()},
		)...)
	}
	leave()
	if err != nil {
		return fmt.Errorf("delete context %s: %w", doc.Name(), err)
	}
	return k.chores.await(ctx, k.chores.delete(doc))
}

// Deleted reports whether a context was deleted, here or on another node.
func (k *Kernel) Deleted(doc kaijutsu.DocumentID) bool { return k.records.isDeleted(doc) }

// followDeleted takes over that a context was deleted, whoever has done it. That
// record counts for ever, also when it goes or cannot be read.
func (k *Kernel) followDeleted(name string, value []byte) {
	doc, err := kaijutsu.ParseDocumentID(strings.TrimPrefix(name, deletedRecord))
	if err != nil || k.ofNodes(doc) {
		k.log.Error("record passed over: it is of no context", "record", name, "err", err)
		return
	}
	if value == nil {
		return
	}
	k.records.setDeleted(doc)
	k.watches.wake()
	if k.shelf.has(doc) {
		k.chores.delete(doc)
	}
}

// remove deletes a document here and forgets what is in memory of it.
func (k *Kernel) remove(ctx context.Context, doc kaijutsu.DocumentID) error {
	k.appends.drop(doc)
	err := k.cfg.Repo.Delete(ctx, doc)
	if err == nil || errors.Is(err, kaijutsu.ErrNotFound) {
		k.shelf.remove(doc)
	}
	return err
}
