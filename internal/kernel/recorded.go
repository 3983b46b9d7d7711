package kernel

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/amfile"
)

// Recorded returns what the changes from+1 to to of the kernel's records say
// happened to contexts: that they were archived, taken back, or deleted. When it
// returns, that is so here.
func (k *Kernel) Recorded(ctx context.Context, from, to uint64) ([]flowbus.Event, error) {
	if err := k.cfg.Records.Settle(ctx); err != nil {
		return nil, err
	}
	var events []flowbus.Event
	for from < to {
		changes, err := k.cfg.Repo.Changes(ctx, k.cfg.Records.Doc(), from, int(min(to-from, 1024)))
		if err != nil || len(changes) == 0 {
			return events, err
		}
		from += uint64(len(changes))
		for _, c := range changes {
			for i := range c.Ops {
				if e, ok := k.recordedIn(&c.Ops[i]); ok {
					events = append(events, e)
				}
			}
		}
	}
	return events, nil
}

// recordedIn returns what one record says, if it is of what is told.
func (k *Kernel) recordedIn(o *amfile.Op) (flowbus.Event, bool) {
	value, text := o.Value.Str()
	if !text || o.Action != amfile.Put || o.Obj.Counter != 0 {
		return flowbus.Event{}, false
	}
	if name, ok := strings.CutPrefix(o.Key, deletedRecord); ok {
		doc, err := kaijutsu.ParseDocumentID(name)
		var row deletedRow
		if err != nil || json.Unmarshal([]byte(value), &row) != nil {
			return flowbus.Event{}, false
		}
		var by kaijutsu.Principal
		if row.By != nil {
			by = kaijutsu.Principal{Name: row.By.Name, Kind: row.By.Kind}
		}
		return k.recordedEvent(flowbus.ContextDeleted, by, doc, row.At)
	}
	if !strings.HasPrefix(o.Key, contextRecord) {
		return flowbus.Event{}, false
	}
	doc, rec, err := decodeContext(o.Key, []byte(value))
	if err != nil || doc.IsZero() {
		return flowbus.Event{}, false
	}
	return k.recordedOf(doc, rec)
}

// RecordedLast returns the last that was recorded of a context, if it ever was
// archived.
func (k *Kernel) RecordedLast(doc kaijutsu.DocumentID) (flowbus.Event, bool) {
	return k.recordedOf(doc, k.records.get(doc))
}

func (k *Kernel) recordedOf(doc kaijutsu.DocumentID, rec record) (flowbus.Event, bool) {
	switch {
	case !rec.archived.IsZero():
		return k.recordedEvent(flowbus.ContextArchived, rec.moved, doc, rec.archived)
	case !rec.moved.IsZero():
		return k.recordedEvent(flowbus.ContextRestored, rec.moved, doc, time.Time{})
	}
	return flowbus.Event{}, false
}

// recordedEvent is one such event; a time of zero is now.
func (k *Kernel) recordedEvent(kind flowbus.Kind, by kaijutsu.Principal, doc kaijutsu.DocumentID, at time.Time) (flowbus.Event, bool) {
	e := k.event(kind, by, doc, &flowbus.Nothing{})
	if !at.IsZero() && at.Year() > 0 && at.Year() < 10000 {
		e.Time = at.UTC()
	}
	return e, e.Context != (kaijutsu.ContextID{})
}
