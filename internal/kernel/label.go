package kernel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

const (
	labelRecord  = "kernel/label/"
	labelVersion = 1
)

// labelRow is the record of a label.
type labelRow struct {
	V   int       `json:"v"`
	Doc string    `json:"doc"`
	By  *whoRow   `json:"by,omitempty"`
	At  time.Time `json:"at"`
}

// labelled is what a label's record says: whose it is, since when. The zero
// value is that of a record that cannot be read.
type labelled struct {
	doc kaijutsu.DocumentID
	at  time.Time
}

var (
	labelWord = regexp.MustCompile(`^[a-z0-9][a-z0-9._+-]{0,62}$`)
	// idWord is what a label must not be, since the beginning or the end of an id
	// is: hex digits alone, or with the first dash of a UUID.
	idWord = regexp.MustCompile(`^([0-9a-f]{6,}|[0-9a-f]{8}-[0-9a-f-]*)$`)
)

// checkLabel refuses what is no label.
func checkLabel(label string) error {
	bad := func(reason string) error {
		return &op.FieldError{Field: "label", Reason: reason, Hint: "want 1 to 63 of a to z, 0 to 9 and . _ + -, the first a letter or a digit, such as release-notes"}
	}
	if !labelWord.MatchString(label) {
		return bad(fmt.Sprintf("%.80q is no label", label))
	}
	if _, full := fullID(label); full || idWord.MatchString(label) {
		return bad(fmt.Sprintf("%q looks like an id", label))
	}
	return nil
}

// SetLabel gives a context the label, which names it on this kernel from then
// on, instead of the one that it had; "" takes that away. An archived context
// keeps its label and may be given another. The error wraps kaijutsu.ErrConflict
// when another context has the label, or is seen to have got it on another node
// at the same moment. Of two that are given one label so, one has it in the end
// and the other has none, also where that is not seen in time.
func (k *Kernel) SetLabel(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, label string) (ContextInfo, error) {
	if err := k.need(c, doc, kaijutsu.RightEdit); err != nil {
		return ContextInfo{}, err
	}
	if _, err := k.Context(ctx, c, doc); err != nil {
		return ContextInfo{}, err // it is no context
	}
	leave, err := k.records.turn(ctx)
	if err != nil {
		return ContextInfo{}, err
	}
	defer leave()
	if label != "" {
		if err := k.freeLabel(ctx, c, label, doc); err != nil {
			return ContextInfo{}, err
		}
	}
	rs, err := k.labelRecords(c.By, label, doc)
	if err == nil && len(rs) > 0 {
		err = k.cfg.Records.Write(context.WithoutCancel(ctx), c.By, rs...)
	}
	if err != nil {
		return ContextInfo{}, fmt.Errorf("label context %s: %w", doc.Name(), err)
	}
	info, err := k.Context(ctx, c, doc)
	if err == nil && info.Label != label {
		err = fmt.Errorf("label %q: %w: somebody gave or took it at the same moment, on another node; see who has it, and try again", label, kaijutsu.ErrConflict)
	}
	return info, err
}

// Label returns the label of a context, "" when it has none.
func (k *Kernel) Label(doc kaijutsu.DocumentID) string {
	k.records.mu.RLock()
	defer k.records.mu.RUnlock()
	return k.records.labelLocked(doc)
}

// ByLabel returns the context that has a label, whoever may read it and on
// whichever node it is.
func (k *Kernel) ByLabel(label string) (kaijutsu.DocumentID, bool) {
	r := &k.records
	r.mu.RLock()
	defer r.mu.RUnlock()
	doc := r.labels[label].doc
	if doc.IsZero() || r.labelLocked(doc) != label {
		return kaijutsu.DocumentID{}, false
	}
	_, deleted := r.deleted[doc]
	return doc, !deleted
}

// freeLabel refuses what is no label, and one that another context than doc has.
func (k *Kernel) freeLabel(ctx context.Context, c op.Call, label string, doc kaijutsu.DocumentID) error {
	if err := checkLabel(label); err != nil {
		return err
	}
	k.records.mu.RLock()
	had, there := k.records.labels[label]
	k.records.mu.RUnlock()
	if there && had.doc.IsZero() {
		return fmt.Errorf("label %q: %w: its record cannot be read; choose another", label, kaijutsu.ErrConflict)
	}
	holder, held := k.ByLabel(label)
	switch {
	case !held || holder == doc:
		return nil
	case !k.MayRead(c, holder):
		return fmt.Errorf("label %q: %w: another context has it; choose another", label, kaijutsu.ErrConflict)
	}
	name := k.shortFor(c, holder)
	if s, err := k.summary(ctx, holder); err == nil {
		name = k.called(c, s)
	}
	return fmt.Errorf("label %q: %w: context %s has it; take it away there first, or choose another", label, kaijutsu.ErrConflict, name)
}

// labelRecords returns what gives a context a label and takes others of its own
// away; "" is none. The caller has the turn to write.
func (k *Kernel) labelRecords(by kaijutsu.Principal, label string, doc kaijutsu.DocumentID) ([]records.Record, error) {
	var rs []records.Record
	k.records.mu.RLock()
	for _, l := range k.records.labelsOf[doc] {
		if l != label {
			rs = append(rs, records.Record{Name: labelRecord + l})
		}
	}
	same := label == "" || k.records.labelLocked(doc) == label
	k.records.mu.RUnlock()
	if same {
		return rs, nil
	}
	value, err := json.Marshal(labelRow{V: labelVersion, Doc: doc.String(), By: &whoRow{by.Name, by.Kind}, At: k.cfg.Now().UTC().Truncate(time.Millisecond)})
	return append(rs, records.Record{Name: labelRecord + label, Value: value}), err
}

// followLabel takes a label's record over, whoever has written it; nil: it is
// gone.
func (k *Kernel) followLabel(name string, value []byte) {
	label := strings.TrimPrefix(name, labelRecord)
	var now labelled
	if value != nil {
		var err error
		if now, err = decodeLabel(label, value); err != nil {
			k.log.Error("label not read: nobody has it", "record", name, "err", err)
		}
	}
	r := &k.records
	r.mu.Lock()
	if was := r.labels[label].doc; was != now.doc {
		r.labelsOf[was] = slices.DeleteFunc(r.labelsOf[was], func(l string) bool { return l == label })
		if len(r.labelsOf[was]) == 0 {
			delete(r.labelsOf, was)
		}
		if !now.doc.IsZero() {
			r.labelsOf[now.doc] = append(r.labelsOf[now.doc], label)
		}
	}
	if value == nil {
		delete(r.labels, label)
	} else {
		r.labels[label] = now
	}
	r.mu.Unlock()
	k.watches.wake()
}

// labelLocked returns the label of a context: nodes that do not hear each other
// may have written records of several, and the latest counts on all of them.
func (r *contextRecords) labelLocked(doc kaijutsu.DocumentID) string {
	best := ""
	for _, l := range r.labelsOf[doc] {
		if at := r.labels[l].at.Compare(r.labels[best].at); best == "" || at > 0 || at == 0 && l > best {
			best = l
		}
	}
	return best
}

// decodeLabel reads the record of a label; nothing in it is passed over.
func decodeLabel(label string, value []byte) (labelled, error) {
	if err := checkLabel(label); err != nil {
		return labelled{}, err
	}
	var row labelRow
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&row); err != nil {
		return labelled{}, fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
	}
	if row.V != labelVersion {
		return labelled{}, fmt.Errorf("it is of version %d, this server reads %d: %w: a newer one has written it; run that", row.V, labelVersion, kaijutsu.ErrInvalid)
	}
	doc, err := kaijutsu.ParseDocumentID(row.Doc)
	return labelled{doc, row.At}, err
}
