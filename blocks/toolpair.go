package blocks

import (
	"encoding/json"
	"fmt"

	"kaijutsu"
)

// A tool_result answers a tool_call: it hangs below the call and stands right
// behind it, its role is tool, its meta names the call as tool_call_id, and its
// status is error exactly when its meta says is_error.

// The keys of meta that pair calls and results.
const (
	metaCall  = "tool_call_id"
	metaError = "is_error"
)

// pair fills in and checks what a tool call or its result implies.
func (tx *Tx) pair(spec BlockSpec) (BlockSpec, error) {
	switch {
	case spec.Kind == KindToolCall:
		if spec.Status == "" {
			spec.Status = StatusRunning
		}
		if spec.Form == "" {
			spec.Form = FormBody // its input is there from the beginning
		}
		return spec, nil
	case spec.Kind != KindToolResult:
		return spec, nil
	case spec.Role != "" && spec.Role != RoleTool:
		return spec, kaijutsu.About("role", fmt.Errorf("role %.64q: a tool_result has role tool: %w", spec.Role, kaijutsu.ErrInvalid))
	}
	spec.Role = RoleTool
	meta, err := parseMeta(spec.Meta)
	if err != nil {
		return spec, err
	}
	if spec.Parent, err = tx.call(meta, spec.Parent); err != nil {
		return spec, kaijutsu.About("meta", err)
	}
	isError := meta.isTrue(metaError)
	switch {
	case spec.Status == "" && isError:
		spec.Status = StatusError
	case isError && spec.Status == StatusDone:
		return spec, kaijutsu.About("status", fmt.Errorf("status done: meta says is_error, so the status is error: %w", kaijutsu.ErrInvalid))
	case !isError && spec.Status == StatusError:
		meta.set(metaError, true)
	}
	spec.Meta = meta.String()
	return spec, nil
}

// call returns the parent of a result: the call that its meta names. A parent
// that is a call is entered into the meta.
func (tx *Tx) call(meta *metaObject, parent ID) (ID, error) {
	named, has := meta.str(metaCall)
	switch {
	case !has && meta.has(metaCall):
		return parent, fmt.Errorf("meta %s: want the id of a block: %w", metaCall, kaijutsu.ErrInvalid)
	case !has:
		if tx.isCall(parent) {
			meta.set(metaCall, string(parent))
		}
		return parent, nil
	case parent != "" && string(parent) != named:
		return parent, fmt.Errorf("meta %s %.64q: the parent is %s: want the same block: %w", metaCall, named, parent, kaijutsu.ErrInvalid)
	case !tx.isCall(ID(named)):
		return parent, fmt.Errorf("meta %s: tool_call %.64q: %w", metaCall, named, kaijutsu.ErrNotFound)
	}
	return ID(named), nil
}

// isCall reports whether a block is there and a tool_call.
func (tx *Tx) isCall(id ID) bool {
	d := tx.draft(id)
	return d != nil && tx.kind(d) == KindToolCall
}

// behindCall returns the place of one more result: right behind the call and
// the results that stand there.
func (tx *Tx) behindCall(call ID) Position {
	at := First()
	for s, ok := tx.next(call, nil); ok && tx.kind(tx.draft(s.id)) == KindToolResult; s, ok = tx.next(call, &s) {
		at = After(s.id)
	}
	return at
}

// besideCall returns the position that a block gets below a tool_call so that
// nothing stands between the call and its results. What asks for such a place
// goes right behind them; what cannot be right is refused.
func (tx *Tx) besideCall(kind Kind, parent ID, pos Position) (Position, error) {
	if !tx.isCall(parent) {
		return pos, nil
	}
	behind := tx.behindCall(parent)
	among := pos.anchor != "" && tx.leads(parent, pos.anchor)
	isResult := kind == KindToolResult
	switch {
	case isResult && (among || pos.where == first):
		return pos, nil
	case isResult && (pos.where == anywhere || pos.where == lastOf):
		return behind, nil
	case isResult:
		return pos, fmt.Errorf("next to block %s: a tool_result stands right behind its tool_call: put it first, or next to another result: %w", pos.anchor, kaijutsu.ErrInvalid)
	case among && pos.where == before:
		return pos, fmt.Errorf("before block %s: a tool_result stands right behind its tool_call: put it after the results: %w", pos.anchor, kaijutsu.ErrInvalid)
	case among || pos.where == first:
		return behind, nil
	}
	return pos, nil
}

// leads reports whether a block is one of the results right behind a call.
func (tx *Tx) leads(call, id ID) bool {
	for s, ok := tx.next(call, nil); ok && tx.kind(tx.draft(s.id)) == KindToolResult; s, ok = tx.next(call, &s) {
		if s.id == id {
			return true
		}
	}
	return false
}

// staysAtCall refuses to take a result away from the call that its meta names.
func (tx *Tx) staysAtCall(d *draft, parent ID) error {
	if tx.kind(d) != KindToolResult {
		return nil
	}
	call := ID(tx.str(d, fieldParent))
	if call == parent || !tx.isCall(call) {
		return nil
	}
	return kaijutsu.About("parent", fmt.Errorf("a tool_result hangs below its tool_call %s: %w", call, kaijutsu.ErrInvalid))
}

// metaObject is a JSON object whose values are left as they are.
type metaObject struct {
	text   string
	values map[string]json.RawMessage
}

// parseMeta reads meta, which may be empty.
func parseMeta(text string) (*metaObject, error) {
	if err := checkMeta(text); err != nil {
		return nil, err
	}
	m := &metaObject{text: text}
	if text == "" {
		return m, nil
	}
	if err := json.Unmarshal([]byte(text), &m.values); err != nil {
		return nil, fmt.Errorf("meta: want a JSON object: %w", kaijutsu.ErrInvalid)
	}
	return m, nil
}

// String returns the object as text: what it was read from, unless it changed.
func (m *metaObject) String() string { return m.text }

func (m *metaObject) has(key string) bool {
	v, ok := m.values[key]
	return ok && string(v) != "null"
}

// str returns the string under a key.
func (m *metaObject) str(key string) (s string, ok bool) {
	if !m.has(key) {
		return "", false
	}
	err := json.Unmarshal(m.values[key], &s)
	return s, err == nil
}

func (m *metaObject) isTrue(key string) bool { return string(m.values[key]) == "true" }

// set puts a string or a boolean under a key.
func (m *metaObject) set(key string, value any) {
	if m.values == nil {
		m.values = make(map[string]json.RawMessage)
	}
	m.values[key], _ = json.Marshal(value) // of these two nothing fails
	text, _ := json.Marshal(m.values)      // of values that were read as JSON
	m.text = string(text)
}
