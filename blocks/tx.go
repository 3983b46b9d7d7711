package blocks

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// The most that one call writes. What editors write is not bound by it.
const (
	maxRecordBytes = 1 << 20 // a body or chunk
	maxTextRunes   = 50_000  // into a text, in code points
	maxMetaBytes   = 64 << 10
	maxTitleBytes  = 4 << 10
	maxTxBytes     = amfile.MaxChunkBytes / 2 // in one transaction
)

// Tx is a change in the making. It is good until the function that Commit
// runs returns. Its methods check everything before they write; should a write
// fail all the same, Commit fails.
type Tx struct {
	engine engine
	model  *Model
	actor  kaijutsu.ActorID
	placed []sibling // blocks of this transaction, and those it displaced
	bytes  int       // written so far
	failed error     // a write that failed
}

// BlockSpec describes a new block. Its zero fields take the defaults.
type BlockSpec struct {
	ID       ID       // required; never used before
	Parent   ID       // default the root; implied by Before and After
	Position Position // default Last
	Kind     Kind     // default KindText
	Role     Role     // default RoleUser
	Status   Status   // default StatusDone
	// Form is the field that holds the content; default FormText for what a
	// user writes, else FormChunks until the status is terminal, else FormBody.
	Form    Form
	Content string
	Meta    string // a JSON object; default none
}

// withDefaults returns the spec with its defaults filled in, or an error that
// names the field that is wrong.
func (s BlockSpec) withDefaults() (BlockSpec, error) {
	if s.Kind == "" {
		s.Kind = KindText
	}
	if s.Role == "" {
		s.Role = RoleUser
	}
	if s.Status == "" {
		s.Status = StatusDone
	}
	if s.Form == "" {
		switch {
		case s.Role == RoleUser:
			s.Form = FormText
		case s.Status.Terminal():
			s.Form = FormBody
		default:
			s.Form = FormChunks
		}
	}
	switch {
	case !isID(string(s.ID)):
		return s, fmt.Errorf("id %.64q: want a UUID of %d lower-case characters: %w", s.ID, idChars, kaijutsu.ErrInvalid)
	case s.Parent != "" && !isID(string(s.Parent)):
		return s, fmt.Errorf("parent %.64q: want a UUID of %d lower-case characters: %w", s.Parent, idChars, kaijutsu.ErrInvalid)
	case !s.Kind.valid():
		return s, fmt.Errorf("kind %.64q: want at most %d lower-case letters and underscores: %w", s.Kind, maxKindBytes, kaijutsu.ErrInvalid)
	case !s.Role.valid():
		return s, fmt.Errorf("role %.64q: want user, model, system or tool: %w", s.Role, kaijutsu.ErrInvalid)
	case s.Status.rank() == 0:
		return s, statusError(s.Status)
	case s.Form != FormText && s.Form != FormBody && s.Form != FormChunks:
		return s, fmt.Errorf("form %.64q: want text, body or chunks: %w", s.Form, kaijutsu.ErrInvalid)
	}
	if err := checkMeta(s.Meta); err != nil {
		return s, err
	}
	return s, checkContent(s.Form, s.Content)
}

func statusError(s Status) error {
	return fmt.Errorf("status %.64q: want pending, running, done, error or cancelled: %w", s, kaijutsu.ErrInvalid)
}

// checkMeta accepts a JSON object, or nothing.
func checkMeta(meta string) error {
	switch {
	case meta == "":
		return nil
	case len(meta) > maxMetaBytes:
		return fmt.Errorf("meta of %d bytes: at most %d: %w", len(meta), maxMetaBytes, kaijutsu.ErrTooLarge)
	case !utf8.ValidString(meta) || !json.Valid([]byte(meta)) || !strings.HasPrefix(strings.TrimLeft(meta, " \t\r\n"), "{"):
		return fmt.Errorf("meta: want a JSON object: %w", kaijutsu.ErrInvalid)
	}
	return nil
}

// checkContent accepts what one call may write into a field.
func checkContent(form Form, s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("content is not UTF-8: %w", kaijutsu.ErrInvalid)
	}
	if form == FormText {
		if n := utf8.RuneCountInString(s); n > maxTextRunes {
			return fmt.Errorf("text of %d characters: at most %d at a time: %w", n, maxTextRunes, kaijutsu.ErrTooLarge)
		}
		return nil
	}
	if len(s) > maxRecordBytes {
		return fmt.Errorf("content of %d bytes: at most %d at a time: %w", len(s), maxRecordBytes, kaijutsu.ErrTooLarge)
	}
	return nil
}

// SetTitle changes the title, touching only the characters that differ.
func (tx *Tx) SetTitle(title string) error {
	if len(title) > maxTitleBytes {
		return fmt.Errorf("set title of %d bytes: at most %d: %w", len(title), maxTitleBytes, kaijutsu.ErrTooLarge)
	}
	if !utf8.ValidString(title) {
		return fmt.Errorf("set title: not UTF-8: %w", kaijutsu.ErrInvalid)
	}
	if err := tx.use(len(title)); err != nil {
		return fmt.Errorf("set title: %w", err)
	}
	return tx.wrote("set title", tx.setTitle(title))
}

func (tx *Tx) setTitle(title string) error {
	v, err := tx.engine.get(nil, keyTitle)
	if err != nil {
		return err
	}
	if v.kind != engineText {
		if v.obj, err = tx.engine.putObject(nil, keyTitle, engineText); err != nil {
			return err
		}
	}
	now, err := tx.engine.text(v.obj)
	if err != nil || now == title {
		return err
	}
	pos, del, ins := difference(now, title)
	return tx.engine.splice(v.obj, pos, del, ins)
}

// difference returns the splice, in code points, that turns a into b.
func difference(a, b string) (pos, del int, ins string) {
	x, y := []rune(a), []rune(b)
	for pos < len(x) && pos < len(y) && x[pos] == y[pos] {
		pos++
	}
	tail := 0
	for tail < len(x)-pos && tail < len(y)-pos && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	return pos, len(x) - pos - tail, string(y[pos : len(y)-tail])
}

// InsertBlock makes a block. The error wraps kaijutsu.ErrInvalid when the spec
// is wrong, ErrNotFound when the parent or the block next to it does not
// exist, ErrConflict when the id is taken, also by a deleted block.
func (tx *Tx) InsertBlock(spec BlockSpec) error {
	doing := "insert block " + string(spec.ID)
	spec, err := spec.withDefaults()
	if err != nil {
		return fmt.Errorf("insert block: %w", err)
	}
	page, err := tx.page(spec.ID)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	taken, err := tx.engine.get(page, string(spec.ID))
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if taken.kind != engineNothing {
		return fmt.Errorf("%s: the id is taken: %w", doing, kaijutsu.ErrConflict)
	}
	at, err := tx.place(spec.Parent, spec.Position)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.use(len(spec.Content) + len(spec.Meta)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.wrote(doing, tx.insert(page, spec, at)); err != nil {
		return err
	}
	tx.placed = append(tx.placed, sibling{id: spec.ID, parent: at.parent, order: at.order, own: true, depth: at.depth})
	return nil
}

// insert writes a new block, and the new keys of those it displaces.
func (tx *Tx) insert(page engineObject, spec BlockSpec, at placing) error {
	for _, s := range at.displaced {
		b, err := tx.block(s.id)
		if err != nil {
			return err
		}
		if err := tx.engine.putString(b, fieldOrder.key(), s.order); err != nil {
			return err
		}
		tx.displacedTo(s)
	}
	b, err := tx.engine.putObject(page, string(spec.ID), engineMap)
	if err != nil {
		return err
	}
	for _, kv := range [...]struct {
		field field
		value string
	}{
		{fieldKind, string(spec.Kind)},
		{fieldRole, string(spec.Role)},
		{fieldParent, string(at.parent)},
		{fieldOrder, at.order},
		{fieldStatus, string(spec.Status)},
		{fieldMeta, spec.Meta},
	} {
		if kv.value == "" {
			continue
		}
		if err := tx.engine.putString(b, kv.field.key(), kv.value); err != nil {
			return err
		}
	}
	return tx.putContent(b, spec.Form, spec.Content)
}

// displacedTo notes the new place of a block that had to make room.
func (tx *Tx) displacedTo(s sibling) {
	for i := range tx.placed {
		if tx.placed[i].id == s.id {
			tx.placed[i] = s
			return
		}
	}
	tx.placed = append(tx.placed, s)
}

// putContent writes the content of a block that has none.
func (tx *Tx) putContent(b engineObject, form Form, s string) error {
	switch form {
	case FormBody:
		return tx.engine.putString(b, fieldBody.key(), s)
	case FormChunks:
		l, err := tx.engine.putObject(b, fieldChunks.key(), engineList)
		if err != nil || s == "" {
			return err
		}
		return tx.engine.push(l, s)
	}
	t, err := tx.engine.putObject(b, fieldText.key(), engineText)
	if err != nil || s == "" {
		return err
	}
	return tx.engine.splice(t, 0, 0, s)
}

// AppendText adds s at the end of a block: to the characters of a text, or as
// one more chunk. The error wraps kaijutsu.ErrConflict when the block is a
// finished record, which has to be thawed first, or deleted.
func (tx *Tx) AppendText(id ID, s string) error {
	doing := "append to block " + string(id)
	b, err := tx.existing(id)
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	form, target, err := tx.form(b)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if form == FormBody {
		return fmt.Errorf("%s: it is a finished record; thaw it to edit its text: %w", doing, kaijutsu.ErrConflict)
	}
	if m := tx.model.blocks[id]; m != nil && m.deleted {
		return fmt.Errorf("%s: it is deleted; restore it first: %w", doing, kaijutsu.ErrConflict)
	}
	if err := checkContent(form, s); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.use(len(s)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if s == "" {
		return nil
	}
	switch form {
	case FormChunks:
		err = tx.engine.push(target, s)
	case FormText:
		err = tx.engine.splice(target, tx.engine.size(target), 0, s)
	default:
		err = tx.putContent(b, FormText, s)
	}
	return tx.wrote(doing, err)
}

// form returns the form of a block's content and the object that holds it.
func (tx *Tx) form(b engineObject) (Form, engineObject, error) {
	text, err := tx.engine.get(b, fieldText.key())
	if err != nil || text.kind == engineText {
		return FormText, text.obj, err
	}
	body, err := tx.engine.get(b, fieldBody.key())
	if err != nil || body.kind == engineString || body.kind == engineText {
		return FormBody, body.obj, err
	}
	chunks, err := tx.engine.get(b, fieldChunks.key())
	if err != nil || chunks.kind == engineList {
		return FormChunks, chunks.obj, err
	}
	return "", nil, nil
}

// SetStatus says how far the work on a block is. A terminal status makes one
// body of its chunks, if they fit into one. The error wraps
// kaijutsu.ErrConflict when the block is done already and the status is not a
// terminal one.
func (tx *Tx) SetStatus(id ID, status Status) error {
	doing := "set status of block " + string(id)
	if status.rank() == 0 {
		return fmt.Errorf("set status: %w", statusError(status))
	}
	b, err := tx.existing(id)
	if err != nil {
		return fmt.Errorf("set status: %w", err)
	}
	now, settled, err := tx.status(b)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if now.Terminal() && !status.Terminal() {
		return fmt.Errorf("%s to %s: it is %s already: %w", doing, status, now, kaijutsu.ErrConflict)
	}
	if now != status || !settled {
		if err := tx.wrote(doing, tx.engine.putString(b, fieldStatus.key(), string(status))); err != nil {
			return err
		}
	}
	if !status.Terminal() {
		return nil
	}
	return tx.seal(doing, b)
}

// status returns the status that a block shows, and whether it is the only one.
func (tx *Tx) status(b engineObject) (best Status, settled bool, err error) {
	values, err := tx.engine.all(b, fieldStatus.key())
	for _, v := range values {
		if s := Status(v.str); s.rank() > 0 && s.rank() >= best.rank() {
			best = s
		}
	}
	return best, len(values) == 1, err
}

// seal makes one body of a block's chunks.
func (tx *Tx) seal(doing string, b engineObject) error {
	form, list, err := tx.form(b)
	if err != nil || form != FormChunks {
		return err
	}
	parts, err := tx.engine.strings(list)
	if err != nil {
		return err
	}
	body := strings.Join(parts, "")
	if len(body) > maxRecordBytes {
		return nil
	}
	if err := tx.use(len(body)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.engine.putString(b, fieldBody.key(), body); err != nil {
		return tx.wrote(doing, err)
	}
	return tx.wrote(doing, tx.engine.remove(b, fieldChunks.key()))
}

// page returns the map that holds a block, or is to hold it.
func (tx *Tx) page(id ID) (engineObject, error) {
	var page engineObject
	for _, key := range [...]string{keyPages, id.Page()} {
		v, err := tx.engine.get(page, key)
		if err != nil {
			return nil, err
		}
		if v.kind != engineMap {
			return nil, fmt.Errorf("the document has no map %q and is no context: %w", key, kaijutsu.ErrInvalid)
		}
		page = v.obj
	}
	return page, nil
}

// block returns the map of a block.
func (tx *Tx) block(id ID) (engineObject, error) {
	page, err := tx.page(id)
	if err != nil {
		return nil, err
	}
	v, err := tx.engine.get(page, string(id))
	if err == nil && v.kind != engineMap {
		err = fmt.Errorf("block %s: %w", id, kaijutsu.ErrNotFound)
	}
	return v.obj, err
}

// existing returns the map of a block that a caller named.
func (tx *Tx) existing(id ID) (engineObject, error) {
	if _, err := ParseID(string(id)); err != nil {
		return nil, err
	}
	return tx.block(id)
}

// use counts bytes to be written against what one change may hold.
func (tx *Tx) use(n int) error {
	if tx.bytes+n > maxTxBytes {
		return fmt.Errorf("%d bytes in one change: at most %d: %w", tx.bytes+n, maxTxBytes, kaijutsu.ErrTooLarge)
	}
	tx.bytes += n
	return nil
}

// wrote notes a write that failed.
func (tx *Tx) wrote(doing string, err error) error {
	if err == nil {
		return nil
	}
	tx.failed = fmt.Errorf("%s: %w", doing, err)
	return tx.failed
}
