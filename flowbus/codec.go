package flowbus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"kaijutsu"
)

// Limits of encoded events, in bytes.
const (
	// MaxNodeEvent bounds an event that travels between nodes.
	MaxNodeEvent = 64 << 10
	// MaxEvent bounds an event that is decoded: a block that is inserted comes
	// with all of its content.
	MaxEvent = 64 << 20
)

// wireEvent is an event as JSON.
type wireEvent struct {
	Subject   string          `json:"subject"`
	Type      string          `json:"type"`
	Kernel    string          `json:"kernel"`
	Context   string          `json:"context,omitempty"`
	Block     string          `json:"block,omitempty"`
	Version   uint64          `json:"version,omitempty"`
	Part      int             `json:"part,omitempty"`
	Parts     int             `json:"parts,omitempty"`
	Heads     []string        `json:"heads,omitempty"`
	Change    string          `json:"change,omitempty"`
	Principal *wirePrincipal  `json:"principal,omitempty"`
	Via       *wirePrincipal  `json:"via,omitempty"`
	Time      string          `json:"time"`
	Node      string          `json:"node,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

type wirePrincipal struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Encode returns the event as one line of JSON, without a line feed. What is
// empty is left out. The error wraps kaijutsu.ErrInvalid.
func Encode(e *Event) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	w := wireEvent{
		Subject: e.Subject(), Type: string(e.Kind), Kernel: e.Kernel, Block: e.Block,
		Version: e.Version, Part: e.Part, Parts: e.Parts, Principal: wireOf(e.Principal), Via: wireOf(e.Via),
		Time: e.Time.UTC().Format(time.RFC3339Nano), Node: e.Node,
	}
	if e.Context != (kaijutsu.ContextID{}) {
		w.Context = e.Context.String()
	}
	if len(e.Heads) > 0 {
		w.Heads = e.Heads.Texts()
	}
	if e.Change != (kaijutsu.ChangeHash{}) {
		w.Change = e.Change.String()
	}
	if _, nothing := e.Data.(*Nothing); !nothing {
		data, err := line(e.Data)
		if err != nil {
			return nil, fmt.Errorf("encode event %s: %w: %w", e.Kind, kaijutsu.ErrInvalid, err)
		}
		w.Data = data
	}
	b, err := line(&w)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w: %w", e.Kind, kaijutsu.ErrInvalid, err)
	}
	return b, nil
}

// line returns v as JSON on one line. What HTML would read otherwise is not
// escaped: it is text that people see.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func wireOf(p kaijutsu.Principal) *wirePrincipal {
	if p.IsZero() {
		return nil
	}
	return &wirePrincipal{p.Name, string(p.Kind)}
}

// Decode reads what Encode writes, strictly: a kind or a field that there is
// not, a field that is there twice, a subject that says otherwise than the
// event, and anything behind it are refused. The error wraps
// kaijutsu.ErrInvalid, or ErrTooLarge above MaxEvent.
func Decode(b []byte) (Event, error) {
	if len(b) > MaxEvent {
		return Event{}, fmt.Errorf("event of %d bytes: %w: at most %d", len(b), kaijutsu.ErrTooLarge, MaxEvent)
	}
	if !utf8.Valid(b) {
		return Event{}, fmt.Errorf("event: %w: it is not UTF-8", kaijutsu.ErrInvalid)
	}
	if err := once(b); err != nil {
		return Event{}, fmt.Errorf("event: %w: %w", kaijutsu.ErrInvalid, err)
	}
	var w wireEvent
	if err := strict(b, &w); err != nil {
		return Event{}, fmt.Errorf("event: %w: %w", kaijutsu.ErrInvalid, err)
	}
	e, err := w.event()
	if err != nil {
		return Event{}, fmt.Errorf("event of type %.64q: %w", w.Type, err)
	}
	return e, nil
}

// event takes what was decoded apart.
func (w *wireEvent) event() (e Event, err error) {
	t := traitOf[Kind(w.Type)]
	if t == nil {
		return e, fmt.Errorf("%w: there is no such type", kaijutsu.ErrInvalid)
	}
	e = Event{Kernel: w.Kernel, Kind: t.kind, Block: w.Block, Version: w.Version, Part: w.Part, Parts: w.Parts, Node: w.Node, Data: t.empty()}
	if w.Context != "" {
		if e.Context, err = kaijutsu.ParseContextID(w.Context); err != nil {
			return e, err
		}
	}
	if e.Heads, err = kaijutsu.ParseHeads(w.Heads); err != nil {
		return e, err
	}
	if len(e.Heads) == 0 {
		e.Heads = nil
	}
	if w.Change != "" {
		if e.Change, err = kaijutsu.ParseChangeHash(w.Change); err != nil {
			return e, err
		}
	}
	if e.Principal, err = w.Principal.principal(); err != nil {
		return e, err
	}
	if e.Via, err = w.Via.principal(); err != nil {
		return e, err
	}
	if e.Time, err = time.Parse(time.RFC3339Nano, w.Time); err != nil {
		return e, fmt.Errorf("time: %w: %w", kaijutsu.ErrInvalid, err)
	}
	e.Time = e.Time.UTC()
	data := w.Data
	if data == nil {
		data = json.RawMessage("{}")
	}
	if err := strict(data, e.Data); err != nil {
		return e, fmt.Errorf("data: %w: %w", kaijutsu.ErrInvalid, err)
	}
	if err := e.check(); err != nil {
		return e, err
	}
	if got := e.Subject(); got != w.Subject {
		return e, fmt.Errorf("subject %.100q: %w: it is %s", w.Subject, kaijutsu.ErrInvalid, got)
	}
	return e, nil
}

func (w *wirePrincipal) principal() (p kaijutsu.Principal, err error) {
	if w == nil {
		return p, nil
	}
	p = kaijutsu.Principal{Name: w.Name, Kind: kaijutsu.PrincipalKind(w.Kind)}
	switch p.Kind {
	case kaijutsu.Person, kaijutsu.Agent, kaijutsu.Service:
	default:
		return p, fmt.Errorf("principal of kind %.64q: %w: want person, agent or service", w.Kind, kaijutsu.ErrInvalid)
	}
	if w.Name == "" || len(w.Name) > 64 {
		return p, fmt.Errorf("principal of %d bytes: %w: want 1 to 64", len(w.Name), kaijutsu.ErrInvalid)
	}
	return p, nil
}

// check holds an event against what is always so of its kind.
func (e *Event) check() error {
	t := traitOf[e.Kind]
	bad := func(field, want string) error {
		return fmt.Errorf("event %.64q: %s: %w: want %s", e.Kind, field, kaijutsu.ErrInvalid, want)
	}
	derived := t != nil && t.source == FromChanges
	switch {
	case t == nil:
		return bad("type", "a kind that there is")
	case e.Data == nil || fmt.Sprintf("%T", e.Data) != fmt.Sprintf("%T", t.empty()):
		return bad("data", fmt.Sprintf("%T", t.empty()))
	case t.context && e.Context == (kaijutsu.ContextID{}):
		return bad("context", "one")
	case t.block && e.Block == "":
		return bad("block", "one")
	case len(e.Block) > 64:
		return bad("block", "at most 64 bytes")
	case len(e.Node) > 64:
		return bad("node", "at most 64 bytes")
	case derived && (e.Version == 0 || e.Part < 1 || e.Part > e.Parts):
		return bad("version", "a version, and a part of the parts from 1")
	case !derived && (e.Version != 0 || e.Part != 0 || e.Parts != 0 || len(e.Heads) > 0):
		return bad("version", "none, for it comes of no change")
	case e.Change != (kaijutsu.ChangeHash{}) && !derived && (t.source != FromAnyone || e.Context == (kaijutsu.ContextID{})):
		return bad("change", "none, for it comes of none and is about none")
	case e.Time.Year() < 1 || e.Time.Year() > 9999:
		return bad("time", "a year of four digits")
	}
	if err := CheckKernel(e.Kernel); err != nil {
		return err
	}
	return e.Data.check(e.Kind)
}

// strict decodes b into v: no unknown fields, nothing behind it.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind it")
	}
	return nil
}

// maxDepth bounds how deep the objects and arrays of an event are.
const maxDepth = 32

// once refuses an object that has a field twice, also where they differ in
// upper and lower case only, which encoding/json takes for the same.
func once(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	type level struct {
		fields map[string]bool // nil in an array
		value  bool            // the next token is the value of a field
	}
	var levels []level
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		top := len(levels) - 1
		if text, ok := token.(string); ok && top >= 0 && levels[top].fields != nil && !levels[top].value {
			if text = strings.ToLower(text); levels[top].fields[text] {
				return fmt.Errorf("field %.64q is there twice", text)
			}
			levels[top].fields[text], levels[top].value = true, true
			continue
		}
		if top >= 0 {
			levels[top].value = false
		}
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{fields: make(map[string]bool)})
		case json.Delim('['):
			levels = append(levels, level{})
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:top]
		}
		if len(levels) > maxDepth {
			return fmt.Errorf("it is more than %d levels deep", maxDepth)
		}
	}
}
