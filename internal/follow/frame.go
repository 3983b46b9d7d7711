package follow

import (
	"bytes"
	"encoding/json"
	"fmt"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

// Item is something that a follower is told. Its bytes are shared by all and
// must not be written to.
type Item struct {
	// Name is the kind of an event, or Hello, Snapshot or Reset.
	Name string
	// Data is JSON: of an event what flowbus.Decode reads.
	Data []byte
	// Frame is the whole of it as a server-sent event (HTML standard,
	// "server-sent events"), behind Head.
	Frame []byte
	// Head is what of it is this follower's own; mostly nothing.
	Head []byte
	// ID is where to go on behind it; "" when it leaves that as it is.
	ID string
}

// The names of items that are no events.
const (
	// Hello comes first: {"node","kernel","version","id"}.
	Hello = "hello"
	// Snapshot is a context as it was at a version. What comes after it is newer.
	Snapshot = "snapshot"
	// Reset says that the stream cannot go on where it was asked to, and why: who
	// mirrors something begins again with what comes next.
	Reset = "reset"
)

// frameOf makes an item of JSON without line feeds.
func frameOf(name, id string, data []byte) Item {
	b := make([]byte, 0, len(id)+len(name)+len(data)+len("id: \nevent: \ndata: \n\n"))
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(append(append(b, "event: "...), name...), "\ndata: "...)
	from := len(b)
	b = append(append(b, data...), "\n\n"...)
	return Item{Name: name, ID: id, Frame: b, Data: b[from : len(b)-2 : len(b)-2]}
}

// itemOf makes an item of anything.
func itemOf(name, id string, v any) Item {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("follow: %s: %v", name, err)) // only structs of strings and numbers come here
	}
	return frameOf(name, id, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// snapshot is a context as followers get it.
type snapshot struct {
	Kernel  string        `json:"kernel"`
	Context string        `json:"context"`
	Node    string        `json:"node"`
	Version uint64        `json:"version"`
	Heads   []string      `json:"heads"`
	Title   string        `json:"title"`
	Blocks  []flowbus.Row `json:"blocks"`
}

// state is a context as it is at a version.
type state struct {
	version uint64
	heads   kaijutsu.Heads
	title   string
	rows    []repo.Block // nil when nobody asked
}

func (h *Hub) snapshotOf(id kaijutsu.ContextID, s state) Item {
	out := snapshot{
		Kernel: h.cfg.Kernel, Context: id.String(), Node: h.cfg.Node,
		Version: s.version, Heads: s.heads.Texts(), Title: s.title, Blocks: make([]flowbus.Row, len(s.rows)),
	}
	for i := range s.rows {
		out.Blocks[i] = rowOf(s.rows[i])
	}
	return itemOf(Snapshot, "", out)
}

type hello struct {
	Node    string `json:"node"`
	Kernel  string `json:"kernel"`
	Context string `json:"context,omitempty"`
	Version uint64 `json:"version,omitempty"` // the newest, when the stream is of one context
	ID      string `json:"id"`
}

type reset struct {
	Reason string `json:"reason"`
	Since  string `json:"since,omitempty"` // what cannot be gone on from
	// Context is the one that it is of, when the stream is of many and goes on.
	Context string `json:"context,omitempty"`
}
