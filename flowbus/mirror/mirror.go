package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Block is a row of the list.
type Block struct {
	ID, Kind, Role, Status, Parent, Form, Content, Meta, Author, Via, Created string
	Depth                                                                     int
	Collapsed, Excluded, Ephemeral                                            bool
}

// Mirror is a context at a version: the blocks that show, in document order.
type Mirror struct {
	Version     uint64
	Heads       []string
	Title       string
	Blocks      []Block
	part, parts int    // of the version, which is whole when they are equal
	last        string // the id of the last event
}

type event struct {
	Type, Block string
	Version     uint64 // 0: it is not about the document
	Part, Parts int
	Heads       []string
	Data        struct {
		Block              // of a row that is there: what is new of it
		Row          Block `json:"block"` // of one that was not: all of it
		After, Title string
		Length       int
		Splices      []struct {
			Pos, Delete int // in code points
			Insert      string
		}
	}
}

// Apply takes in an event. After an error the mirror has to begin again: it never guesses.
func (m *Mirror) Apply(name, data string) error {
	var e event
	switch name {
	case "hello", "end", "reset": // behind a reset comes a snapshot
		return nil
	case "snapshot":
		*m = Mirror{}
		return json.Unmarshal([]byte(data), m)
	}
	if err := json.Unmarshal([]byte(data), &e); err != nil || e.Version == 0 {
		return err
	}
	more := e.Version == m.Version && e.Part == m.part+1 && m.part < m.parts
	if next := e.Version == m.Version+1 && e.Part == 1 && m.part == m.parts; !more && !next {
		return fmt.Errorf("%d.%d comes behind %d.%d of %d", e.Version, e.Part, m.Version, m.part, m.parts)
	}
	m.Version, m.part, m.parts, m.Heads = e.Version, e.Part, e.Parts, e.Heads
	d, b, i := e.Data, &Block{}, m.index(e.Block)
	if e.Block != "" && (i < 0) != (e.Type == "block.inserted") {
		return fmt.Errorf("%s: block %s stands at %d", e.Type, e.Block, i)
	}
	if i >= 0 {
		b = &m.Blocks[i]
	}
	switch e.Type {
	case "block.inserted":
		return m.insert(d.Row, d.After)
	case "block.moved":
		row := *b
		row.Parent, row.Depth = d.Parent, d.Depth
		m.Blocks = slices.Delete(m.Blocks, i, i+1)
		return m.insert(row, d.After)
	case "block.deleted":
		m.Blocks = slices.Delete(m.Blocks, i, i+1)
	case "block.text":
		text := []rune(b.Content)
		for _, s := range d.Splices {
			if s.Pos < 0 || s.Delete < 0 || s.Pos+s.Delete > len(text) {
				return fmt.Errorf("block %s: %+v of %d characters", b.ID, s, len(text))
			}
			text = slices.Replace(text, s.Pos, s.Pos+s.Delete, []rune(s.Insert)...)
		}
		if b.Content = string(text); len(text) != d.Length {
			return fmt.Errorf("block %s has %d characters, not %d", b.ID, len(text), d.Length)
		}
	case "block.status":
		b.Status = d.Status
	case "block.meta":
		b.Kind, b.Role, b.Form, b.Meta = d.Kind, d.Role, d.Form, d.Meta
	case "block.flags":
		b.Collapsed, b.Excluded, b.Ephemeral = d.Collapsed, d.Excluded, d.Ephemeral
	case "context.created", "context.forked", "context.renamed", "context.advanced":
		if d.Title != "" || e.Type == "context.renamed" {
			m.Title = d.Title
		}
	default:
		return fmt.Errorf("%s is not known", e.Type)
	}
	return nil
}

func (m *Mirror) index(id string) int {
	return slices.IndexFunc(m.Blocks, func(b Block) bool { return b.ID == id })
}

// insert puts a row right behind another one, or in front of all.
func (m *Mirror) insert(b Block, after string) error {
	at := m.index(after)
	if at < 0 && after != "" {
		return fmt.Errorf("block %s stands behind %s, which is not there", b.ID, after)
	}
	m.Blocks = slices.Insert(m.Blocks, at+1, b)
	return nil
}

// Follow reads the server-sent events that a request asks for, from where the
// mirror is on, until the stream ends. It calls show at each version.
func (m *Mirror) Follow(req *http.Request, show func()) error {
	req.Header.Set("Last-Event-ID", m.last)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	frame := map[string]string{"id": m.last}
	for lines := bufio.NewReader(resp.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return fmt.Errorf("%s, then %w", resp.Status, err) // half a frame does not count
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if frame[field] = value; line != "\n" || frame["event"] == "" {
			continue
		}
		if err := m.Apply(frame["event"], frame["data"]); err != nil {
			*m = Mirror{}
			return err
		}
		m.last, frame["event"] = frame["id"], ""
		if m.Version > 0 && m.part == m.parts {
			show()
		}
	}
}
