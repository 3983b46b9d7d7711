package flowbus

import (
	"encoding/json"
	"fmt"

	"kaijutsu"
)

// Payload is the data of an event: a pointer to the struct of its kind.
type Payload interface {
	// check refuses what the kind does not allow.
	check(Kind) error
}

// maxState bounds what a presence carries, in bytes.
const maxState = 16 << 10

// Nothing is the payload of kinds that say it all.
type Nothing struct{}

// Row is a block as it shows: as block_list and the tail of a context have it.
type Row struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Role      string `json:"role"`
	Status    string `json:"status"`
	Parent    string `json:"parent,omitempty"`
	Depth     int    `json:"depth"`
	Form      string `json:"form"`
	Content   string `json:"content"`
	Meta      string `json:"meta,omitempty"`
	Author    string `json:"author"`
	Via       string `json:"via,omitempty"`
	Created   string `json:"created"`
	Deleted   bool   `json:"deleted,omitempty"`
	Collapsed bool   `json:"collapsed,omitempty"`
	Excluded  bool   `json:"excluded,omitempty"`
	Ephemeral bool   `json:"ephemeral,omitempty"`
}

// Inserted is a block that shows now, behind the block After: "" at the top.
type Inserted struct {
	After    string `json:"after"`
	Restored bool   `json:"restored,omitempty"` // it had shown before
	Row      Row    `json:"block"`
}

// Text is what changed in a block's text. Positions and lengths are Unicode
// code points; each splice sees what the ones before it made.
type Text struct {
	Splices []Splice `json:"splices"`
	Length  int      `json:"length"` // of the text after it
}

// Splice replaces Del code points at Pos by Ins.
type Splice struct {
	Pos int    `json:"pos"`
	Del int    `json:"delete"`
	Ins string `json:"insert"`
}

// Status is a block's new status.
type Status struct {
	Status string `json:"status"`
}

// Moved is where a block is now: behind the block After of the list without it,
// "" at the top.
type Moved struct {
	After  string `json:"after"`
	Parent string `json:"parent"`
	Depth  int    `json:"depth"`
}

// Meta is what a block is now: its kind, role and form, and its meta, a JSON
// object as text, "" for none.
type Meta struct {
	Kind string `json:"kind"`
	Role string `json:"role"`
	Form string `json:"form"`
	Meta string `json:"meta"`
}

// Flags are a block's flags, all of them.
type Flags struct {
	Collapsed bool `json:"collapsed"`
	Excluded  bool `json:"excluded"`
	Ephemeral bool `json:"ephemeral"`
}

// Titled is a context's title.
type Titled struct {
	Title string `json:"title"`
}

// Forked is a context that begins as another was at the heads From.
type Forked struct {
	Title string   `json:"title,omitempty"` // "": that of the other
	From  []string `json:"from,omitempty"`
}

// Drift is a transfer between contexts. That it was delivered is an event of the
// context that it went to, the rest of the one that it comes from; of what
// another kernel offers, all is of the one that it goes to. From and To are
// UUIDs, or addresses with their kernel before a colon.
type Drift struct {
	ID     string `json:"id"`
	From   string `json:"from"`
	To     string `json:"to,omitempty"`
	Block  string `json:"block,omitempty"`  // what it became
	Number uint64 `json:"number,omitempty"` // of an item of the queue
	Kind   string `json:"kind,omitempty"`   // push, pull, merge, distill or commit
	Reason string `json:"reason,omitempty"`
}

// Commit is a git commit that was made.
type Commit struct {
	Mount string `json:"mount"`
	Hash  string `json:"commit"`
	Ref   string `json:"ref,omitempty"`
	Files int    `json:"files"`
}

// Seat is somebody who is there. Its principal is the event's.
type Seat struct {
	Nick     string `json:"nick"`
	Instance string `json:"instance"`
	Door     string `json:"door"`
	Status   string `json:"status,omitempty"` // active, idle or away
	Reason   string `json:"reason,omitempty"` // why it left
}

// Presence is what somebody is doing, in the words of its program: a JSON
// object of at most 16 KiB. The newest of a seat counts.
type Presence struct {
	Nick     string          `json:"nick"`
	Instance string          `json:"instance"`
	Door     string          `json:"door,omitempty"`
	State    json.RawMessage `json:"state"`
}

// Resource is what a server of resources says has changed.
type Resource struct {
	Server string `json:"server"`
	URI    string `json:"uri,omitempty"`
}

// Setting is configuration that changed.
type Setting struct {
	Path   string `json:"path"`
	Source string `json:"source,omitempty"`
}

// Progress is how far something is. Total 0 means that nobody knows.
type Progress struct {
	Token    string  `json:"token"`
	Progress float64 `json:"progress"`
	Total    float64 `json:"total,omitempty"`
	Message  string  `json:"message,omitempty"`
}

// Elicitation is a question that waits for somebody's answer until Expires.
type Elicitation struct {
	ID      string          `json:"id"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema,omitempty"` // of the answer: a JSON object
	Expires string          `json:"expires,omitempty"`
}

// Answer is what came of a question: accept, decline or cancel, and why:
// answered, denied, cancelled, expired or unavailable. They are the words of
// the operations elicit and elicit_answer.
type Answer struct {
	ID     string `json:"id"`
	Action string `json:"action"`
	Reason string `json:"reason"`
}

// Log is a message for people.
type Log struct {
	Level   string `json:"level"` // debug, info, warn or error
	Logger  string `json:"logger,omitempty"`
	Message string `json:"message"`
}

// Node is a server that comes or goes.
type Node struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// refused says what is wrong with a payload.
func refused(k Kind, field, want string) error {
	return fmt.Errorf("event %s: data.%s: %w: want %s", k, field, kaijutsu.ErrInvalid, want)
}

// named refuses a text that is empty or too long to name anything.
func named(k Kind, field, value string) error {
	if value == "" || len(value) > 1000 {
		return refused(k, field, "1 to 1,000 bytes")
	}
	return nil
}

// object refuses what is no JSON object of at most so many bytes.
func object(k Kind, field string, raw json.RawMessage, most int) error {
	if len(raw) == 0 || raw[0] != '{' || len(raw) > most {
		return refused(k, field, fmt.Sprintf("a JSON object of at most %d bytes", most))
	}
	return nil
}

// among refuses a word that is none of some.
func among(k Kind, field, value string, words ...string) error {
	for _, w := range words {
		if w == value {
			return nil
		}
	}
	return refused(k, field, fmt.Sprintf("one of %q", words))
}

func (*Nothing) check(Kind) error { return nil }
func (*Meta) check(Kind) error    { return nil }
func (*Flags) check(Kind) error   { return nil }
func (*Titled) check(Kind) error  { return nil }
func (*Forked) check(Kind) error  { return nil }

func (p *Inserted) check(k Kind) error {
	if p.Row.Depth < 0 {
		return refused(k, "block.depth", "0 or more")
	}
	return named(k, "block.id", p.Row.ID)
}

func (p *Text) check(k Kind) error {
	if p.Length < 0 {
		return refused(k, "length", "0 or more")
	}
	for _, s := range p.Splices {
		if s.Pos < 0 || s.Del < 0 {
			return refused(k, "splices", "positions and lengths of 0 or more")
		}
	}
	return nil
}

func (p *Status) check(k Kind) error { return named(k, "status", p.Status) }

func (p *Moved) check(k Kind) error {
	if p.Depth < 0 {
		return refused(k, "depth", "0 or more")
	}
	return nil
}

func (p *Drift) check(k Kind) error { return named(k, "id", p.ID) }

func (p *Commit) check(k Kind) error { return named(k, "commit", p.Hash) }

func (p *Seat) check(k Kind) error {
	if p.Status != "" {
		if err := among(k, "status", p.Status, "active", "idle", "away"); err != nil {
			return err
		}
	}
	return named(k, "instance", p.Instance)
}

func (p *Presence) check(k Kind) error {
	if err := object(k, "state", p.State, maxState); err != nil {
		return err
	}
	return named(k, "instance", p.Instance)
}

func (p *Resource) check(k Kind) error {
	if k == ResourceUpdated {
		return named(k, "uri", p.URI)
	}
	return nil
}

func (p *Setting) check(k Kind) error { return named(k, "path", p.Path) }

func (p *Progress) check(k Kind) error { return named(k, "token", p.Token) }

func (p *Elicitation) check(k Kind) error {
	if p.Schema != nil {
		if err := object(k, "schema", p.Schema, MaxNodeEvent); err != nil {
			return err
		}
	}
	return named(k, "id", p.ID)
}

func (p *Answer) check(k Kind) error {
	if err := among(k, "action", p.Action, "accept", "decline", "cancel"); err != nil {
		return err
	}
	if err := among(k, "reason", p.Reason, "answered", "denied", "cancelled", "expired", "unavailable"); err != nil {
		return err
	}
	return named(k, "id", p.ID)
}

func (p *Log) check(k Kind) error {
	return among(k, "level", p.Level, "debug", "info", "warn", "error")
}

func (p *Node) check(k Kind) error { return named(k, "id", p.ID) }
