package blocks

import (
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// draft is a block as a transaction sees it, or the root map.
type draft struct {
	id     opID // of its map; zero for the root map
	key    ID
	block  *blockMap // what the model has; nil for a new one and the root map
	fields []entry   // as in blockMap; the block's own until written is true
	wrote  bool
}

// draft returns a block as the transaction sees it, nil if there is none.
func (tx *Tx) draft(id ID) *draft {
	if d := tx.drafts[id]; d != nil {
		return d
	}
	b := tx.model.blocks[id]
	if b == nil {
		return nil
	}
	return tx.keep(&draft{id: b.id, key: id, block: b, fields: b.fields})
}

func (tx *Tx) keep(d *draft) *draft {
	if tx.drafts == nil {
		tx.drafts = make(map[ID]*draft)
	}
	tx.drafts[d.key] = d
	return d
}

// rootDraft returns the root map: its title as fieldText, the id of the
// context as fieldBody.
func (tx *Tx) rootDraft() *draft {
	if tx.root == nil {
		tx.root = &draft{fields: slices.Concat(tx.model.title, tx.model.context), wrote: true}
	}
	return tx.root
}

// existing returns the draft of a block that a caller named.
func (tx *Tx) existing(id ID) (*draft, error) {
	if tx.over {
		return nil, errOver
	}
	if _, err := ParseID(string(id)); err != nil {
		return nil, err
	}
	d := tx.draft(id)
	if d == nil {
		return nil, fmt.Errorf("block %s: %w", id, kaijutsu.ErrNotFound)
	}
	return d, nil
}

// page returns the map that is to hold a block.
func (tx *Tx) page(id ID) (*pageMap, error) {
	if tx.over {
		return nil, errOver
	}
	p := tx.model.shownPage(pageOf(string(id)))
	if p == nil {
		return nil, fmt.Errorf("the document has no page %q and is no context: %w", id.Page(), kaijutsu.ErrInvalid)
	}
	return p, nil
}

// makeBlock puts the map of a new block into a page.
func (tx *Tx) makeBlock(p *pageMap, id ID) *draft {
	made := tx.stage(amfile.Op{Action: amfile.MakeMap, Obj: tx.name(p.id), Key: string(id)})
	return tx.keep(&draft{id: made, key: id, wrote: true})
}

// keyOf returns the map key of a field.
func (d *draft) keyOf(f field) string {
	if d.id.counter > 0 {
		return f.key()
	}
	if f == fieldText {
		return keyTitle
	}
	return keyContext
}

// set puts a scalar into a field.
func (tx *Tx) set(d *draft, f field, v amfile.Value) {
	e := entry{field: f}
	e.kind, e.str = scalar(v)
	tx.replace(d, amfile.Op{Action: amfile.Put, Value: v}, e)
}

// setString puts a string into a field.
func (tx *Tx) setString(d *draft, f field, s string) {
	tx.replace(d, amfile.Op{Action: amfile.Put, Value: amfile.StringValue(s)}, entry{field: f, kind: valueString, str: s})
}

// make puts a new Text or list into a field.
func (tx *Tx) make(d *draft, f field, list bool) *textDraft {
	s := &sequence{field: f, list: list, owner: d.block, clean: true}
	op := amfile.Op{Action: amfile.MakeText}
	if list {
		op.Action = amfile.MakeList
	}
	s.id = tx.replace(d, op, entry{field: f, kind: valueObject, seq: s})
	return tx.text(s)
}

// remove takes away all that shows in a field.
func (tx *Tx) remove(d *draft, f field) {
	if last(d.fields, f) != nil {
		tx.replace(d, amfile.Op{Action: amfile.Delete}, entry{field: f})
	}
}

// own makes the fields of a draft its own, to be changed.
func (d *draft) own() {
	if !d.wrote {
		d.fields, d.wrote = slices.Clone(d.fields), true
	}
}

// replace stages a write to a field, which supersedes all that shows there,
// and enters what it puts.
func (tx *Tx) replace(d *draft, op amfile.Op, e entry) opID {
	d.own()
	from := len(tx.preds)
	at := 0
	d.fields = slices.DeleteFunc(d.fields, func(old entry) bool {
		if old.field < e.field {
			at++
		}
		if old.field == e.field {
			tx.preds = append(tx.preds, tx.name(old.id))
		}
		return old.field == e.field
	})
	op.Obj, op.Key = tx.name(d.id), d.keyOf(e.field)
	op.Pred = tx.preds[from:len(tx.preds):len(tx.preds)]
	e.id = tx.stage(op)
	if op.Action != amfile.Delete {
		d.fields = slices.Insert(d.fields, at, e)
	}
	return e.id
}

// flag reports whether a field is true.
func (d *draft) flag(f field) bool {
	e := last(d.fields, f)
	return e != nil && e.kind == valueTrue
}

// str returns the string in a field, "" if it holds none.
func (tx *Tx) str(d *draft, f field) string {
	s, _ := tx.stringOf(last(d.fields, f))
	return s
}

// stringOf returns the string that an entry holds, a scalar or a Text.
func (tx *Tx) stringOf(e *entry) (string, bool) {
	switch {
	case e == nil:
		return "", false
	case e.seq != nil && !e.seq.list:
		return tx.text(e.seq).content(), true
	}
	return e.str, e.kind == valueString
}

// kind returns what a block is.
func (tx *Tx) kind(d *draft) Kind {
	if s := tx.str(d, fieldKind); s != "" {
		return Kind(s)
	}
	return KindText
}

// form returns the form of a block's content and the entry that holds it.
func (tx *Tx) form(d *draft) (Form, *entry) {
	return formsOf(d.fields).form()
}

// contentOf returns what a block holds, and in which form.
func (tx *Tx) contentOf(d *draft) (string, Form) {
	form, e := tx.form(d)
	switch form {
	case FormText, FormChunks:
		return tx.text(e.seq).content(), form
	case FormBody:
		s, _ := tx.stringOf(e)
		return s, form
	}
	return "", ""
}

// Content returns what a block holds as the transaction sees it, and in which
// form. The error wraps kaijutsu.ErrNotFound when there is no such block.
func (tx *Tx) Content(id ID) (string, Form, error) {
	d, err := tx.existing(id)
	if err != nil {
		return "", "", fmt.Errorf("read content: %w", err)
	}
	s, form := tx.contentOf(d)
	return s, form, nil
}
