package torture

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"kaijutsu"
)

// event is an event as a stranger reads it: only what the checker needs.
type event struct {
	Type    string   `json:"type"`
	Context string   `json:"context"`
	Block   string   `json:"block"`
	Version uint64   `json:"version"`
	Part    int      `json:"part"`
	Parts   int      `json:"parts"`
	Change  string   `json:"change"`
	Heads   []string `json:"heads"`
	Node    string   `json:"node"`
	Data    struct {
		After     string   `json:"after"`
		Row       row      `json:"block"`
		Parent    string   `json:"parent"`
		Depth     int      `json:"depth"`
		Splices   []splice `json:"splices"`
		Length    int      `json:"length"`
		Status    string   `json:"status"`
		Meta      string   `json:"meta"`
		Kind      string   `json:"kind"`
		Role      string   `json:"role"`
		Form      string   `json:"form"`
		Collapsed bool     `json:"collapsed"`
		Excluded  bool     `json:"excluded"`
		Ephemeral bool     `json:"ephemeral"`
	} `json:"data"`
}

// splice replaces Del code points at Pos by Ins.
type splice struct {
	Pos int    `json:"pos"`
	Del int    `json:"delete"`
	Ins string `json:"insert"`
}

func decodeEvent(data string) (event, error) {
	var e event
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return e, fmt.Errorf("event %.200q: %w: %w", data, kaijutsu.ErrInvalid, err)
	}
	return e, nil
}

// mirror is the list of blocks that a context's events add up to.
type mirror struct{ rows []row }

// apply takes one event. What does not fit is an error, not a guess.
func (m *mirror) apply(e *event) error {
	switch e.Type {
	case "block.inserted":
		if m.index(e.Block) >= 0 {
			return m.wrong(e, "it is there already")
		}
		return m.put(e, e.Data.After, e.Data.Row)
	case "block.text", "block.status", "block.moved", "block.deleted", "block.meta", "block.flags":
	default:
		return nil // it is about no block
	}
	i := m.index(e.Block)
	if i < 0 {
		return m.wrong(e, "there is no such block")
	}
	r := &m.rows[i]
	switch e.Type {
	case "block.text":
		text, err := spliced(r.Content, e.Data.Splices)
		if err != nil {
			return m.wrong(e, err.Error())
		}
		if n := utf8.RuneCountInString(text); n != e.Data.Length {
			return m.wrong(e, fmt.Sprintf("the text has %d code points, the event says %d", n, e.Data.Length))
		}
		r.Content = text
	case "block.status":
		r.Status = e.Data.Status
	case "block.moved":
		moved := *r
		moved.Parent, moved.Depth = e.Data.Parent, e.Data.Depth
		m.rows = slices.Delete(m.rows, i, i+1)
		return m.put(e, e.Data.After, moved)
	case "block.deleted":
		m.rows = slices.Delete(m.rows, i, i+1)
	case "block.meta":
		r.Kind, r.Role, r.Form, r.Meta = e.Data.Kind, e.Data.Role, e.Data.Form, e.Data.Meta
	case "block.flags":
		r.Collapsed, r.Excluded, r.Ephemeral = e.Data.Collapsed, e.Data.Excluded, e.Data.Ephemeral
	}
	return nil
}

func (m *mirror) index(id string) int {
	return slices.IndexFunc(m.rows, func(r row) bool { return r.ID == id })
}

// put inserts a row behind the block after, "" at the top.
func (m *mirror) put(e *event, after string, r row) error {
	i := -1
	if after != "" {
		if i = m.index(after); i < 0 {
			return m.wrong(e, fmt.Sprintf("there is no block %s to go behind", after))
		}
	}
	m.rows = slices.Insert(m.rows, i+1, r)
	return nil
}

func (m *mirror) wrong(e *event, why string) error {
	return fmt.Errorf("version %d, part %d of %d, %s of block %s: %s: %w", e.Version, e.Part, e.Parts, e.Type, e.Block, why, kaijutsu.ErrInvalid)
}

// spliced applies splices one after the other.
func spliced(text string, splices []splice) (string, error) {
	runes := []rune(text)
	for _, s := range splices {
		if s.Pos < 0 || s.Del < 0 || s.Pos+s.Del > len(runes) {
			return "", fmt.Errorf("a splice at %d takes out %d of %d code points: %w", s.Pos, s.Del, len(runes), kaijutsu.ErrInvalid)
		}
		runes = slices.Replace(runes, s.Pos, s.Pos+s.Del, []rune(s.Ins)...)
	}
	return string(runes), nil
}

// difference says where the mirror is not the list; "" when it is.
func (m *mirror) difference(want []row) string {
	for i := range max(len(m.rows), len(want)) {
		switch {
		case i >= len(m.rows):
			return fmt.Sprintf("block %d, %s, is missing", i+1, want[i].ID)
		case i >= len(want):
			return fmt.Sprintf("block %d, %s, is not listed", i+1, m.rows[i].ID)
		}
		if got, want := m.rows[i], want[i]; got != want {
			if got.ID == want.ID && got.Content != want.Content {
				return fmt.Sprintf("the text of block %d, %s, differs: %d bytes, want %d", i+1, got.ID, len(got.Content), len(want.Content))
			}
			got.Content, want.Content = "", ""
			return fmt.Sprintf("block %d is %+v, want %+v", i+1, got, want)
		}
	}
	return ""
}
