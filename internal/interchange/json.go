package interchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
)

type jsonContext struct {
	Kaijutsu int         `json:"kaijutsu"`
	Title    string      `json:"title"`
	Blocks   []jsonBlock `json:"blocks"`
}

type jsonBlock struct {
	ID      blocks.ID     `json:"id,omitempty"`
	Parent  blocks.ID     `json:"parent,omitempty"`
	Depth   *int          `json:"depth,omitempty"`
	Kind    blocks.Kind   `json:"kind,omitempty"`
	Role    blocks.Role   `json:"role,omitempty"`
	Status  blocks.Status `json:"status,omitempty"`
	Form    *blocks.Form  `json:"form,omitempty"`
	Content string        `json:"content"`
	Meta    string        `json:"meta,omitempty"`

	Collapsed bool `json:"collapsed,omitempty"`
	Excluded  bool `json:"excluded,omitempty"`
	Ephemeral bool `json:"ephemeral,omitempty"`

	Author  string     `json:"author,omitempty"`
	Created *time.Time `json:"created,omitempty"`
}

// WriteJSON writes a context as JSON. The error wraps kaijutsu.ErrInvalid when
// something in it is not UTF-8.
func WriteJSON(w io.Writer, c Context) error {
	if err := checkWritable(c); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	out := jsonContext{Kaijutsu: version, Title: c.Title, Blocks: make([]jsonBlock, len(c.Blocks))}
	for i, b := range c.Blocks {
		out.Blocks[i] = jsonBlock{
			ID: b.ID, Parent: b.Parent, Depth: &c.Blocks[i].Depth, Kind: b.Kind, Role: b.Role, Status: b.Status,
			Form: &c.Blocks[i].Form, Content: b.Content, Meta: b.Meta,
			Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral, Author: b.Author,
		}
		if !b.Created.IsZero() {
			created := b.Created.UTC()
			out.Blocks[i].Created = &created
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(out)
}

// ReadJSON reads what WriteJSON wrote. Of a block only the content must be
// there. The error wraps kaijutsu.ErrInvalid and names the line.
func ReadJSON(data []byte) (Context, error) {
	c, err := readJSON(data)
	if err != nil {
		return Context{}, fmt.Errorf("read JSON: %w", err)
	}
	return c, nil
}

func readJSON(data []byte) (Context, error) {
	if !utf8.Valid(data) {
		return Context{}, fmt.Errorf("line %d: not UTF-8: %w", lineOf(data, int64(validPrefix(data))), kaijutsu.ErrInvalid)
	}
	var in struct {
		Kaijutsu int               `json:"kaijutsu"`
		Title    string            `json:"title"`
		Blocks   []json.RawMessage `json:"blocks"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return Context{}, jsonError(data, 0, d, err)
	}
	if rest := bytes.TrimSpace(data[d.InputOffset():]); len(rest) > 0 {
		return Context{}, fmt.Errorf("line %d: %.20q follows the context: %w", lineOf(data, int64(len(data)-len(rest))), rest, kaijutsu.ErrInvalid)
	}
	if in.Kaijutsu != version {
		return Context{}, fmt.Errorf("\"kaijutsu\" is %d: want %d, the version of the format: %w", in.Kaijutsu, version, kaijutsu.ErrInvalid)
	}
	c := Context{Title: in.Title, Blocks: make([]Block, 0, len(in.Blocks))}
	places := newPlacer()
	at := int64(0)
	for i, raw := range in.Blocks {
		at += int64(max(0, bytes.Index(data[at:], raw)))
		b, err := readJSONBlock(data, at, raw, places)
		if err == nil {
			if err = places.add(b, fmt.Sprintf("place %d", i+1)); err != nil {
				err = fmt.Errorf("line %d: %w", lineOf(data, at), err)
			}
		}
		if err != nil {
			return Context{}, fmt.Errorf("block %d: %w", i+1, err)
		}
		c.Blocks = append(c.Blocks, b)
		at += int64(len(raw))
	}
	return c, nil
}

func readJSONBlock(data []byte, at int64, raw []byte, places *placer) (Block, error) {
	var in jsonBlock
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return Block{}, jsonError(data, at, d, err)
	}
	b := Block{
		ID: in.ID, Parent: in.Parent, Kind: in.Kind, Role: in.Role, Status: in.Status,
		Content: in.Content, Meta: in.Meta, Collapsed: in.Collapsed, Excluded: in.Excluded, Ephemeral: in.Ephemeral, Author: in.Author,
	}
	if in.Created != nil {
		b.Created = *in.Created
	}
	if in.Form != nil {
		b.Form = *in.Form
	}
	err := checkBlock(&b)
	if in.Form == nil {
		b.Form = defaultForm(b.Role, b.Status)
		err = checkBlock(&b)
	}
	if err != nil {
		return Block{}, fmt.Errorf("line %d: %w", lineOf(data, at), err)
	}
	if b.Depth = places.impliedDepth(b); in.Depth != nil {
		b.Depth = *in.Depth
	}
	return b, nil
}

// jsonError names the line of an error that came up while d read data from
// offset at on.
func jsonError(data []byte, at int64, d *json.Decoder, err error) error {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at += syntax.Offset
	case errors.As(err, &typed):
		return fmt.Errorf("line %d: %s is a JSON %s: want %s: %w", lineOf(data, at+typed.Offset), typed.Field, typed.Value, jsonKind(typed), kaijutsu.ErrInvalid)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		at = int64(len(data))
	default:
		at += d.InputOffset()
	}
	return fmt.Errorf("line %d: %v: %w", lineOf(data, at), err, kaijutsu.ErrInvalid)
}

// jsonKind says what a field wants in words of JSON.
func jsonKind(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "slice":
		return "an array"
	case "struct":
		return "an object"
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	}
	return "a string"
}

// lineOf returns the 1-based line of an offset.
func lineOf(data []byte, at int64) int {
	return 1 + bytes.Count(data[:min(max(at, 0), int64(len(data)))], []byte("\n"))
}

// validPrefix returns where data stops being UTF-8.
func validPrefix(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}
