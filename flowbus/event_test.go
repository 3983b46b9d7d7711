package flowbus

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kaijutsu"
)

var updateGoldens = flag.Bool("update", false, "write the golden files of events")

var goldenContext = kaijutsu.ContextID{0x01, 0x91, 0x2b, 0x3c, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1}

// samples is an event of each kind, with everything that it may hold.
func samples() []Event {
	row := Row{
		ID: "b1", Kind: "tool_call", Role: "model", Status: "running", Parent: "b0", Depth: 1, Form: "body", Content: "ls <a> & \"b\"\n😀",
		Meta: `{"tool_name":"shell"}`, Author: "amy", Via: "relay", Created: "2026-11-21T10:00:00Z", Collapsed: true, Excluded: true, Ephemeral: true,
	}
	data := map[Kind]Payload{
		BlockInserted: &Inserted{After: "b0", Restored: true, Row: row},
		BlockText:     &Text{Splices: []Splice{{Pos: 3, Del: 2, Ins: "é"}, {Pos: 0, Ins: "a"}}, Length: 12},
		BlockStatus:   &Status{Status: "done"}, BlockMoved: &Moved{After: "b2", Parent: "b0", Depth: 1}, BlockDeleted: &Nothing{},
		BlockMeta: &Meta{Kind: "tool_call", Role: "model", Form: "body", Meta: `{"a":1}`}, BlockFlags: &Flags{Collapsed: true, Excluded: true, Ephemeral: true},
		ContextCreated: &Titled{Title: "Plan"}, ContextForked: &Forked{Title: "Plan B", From: []string{strings.Repeat("ab", 32)}},
		ContextRenamed: &Titled{Title: "Plan C"}, ContextAdvanced: &Nothing{},
		ContextArchived: &Nothing{}, ContextRestored: &Nothing{}, ContextDeleted: &Nothing{},
		DriftStaged: &Drift{ID: "d1", From: "c1"}, DriftDelivered: &Drift{ID: "d1", From: "c1"}, DriftCancelled: &Drift{ID: "d1", From: "c1", Reason: "amy"},
		DriftFailed: &Drift{ID: "d1", From: "c1", To: "b:plan", Number: 3, Kind: "push", Block: "b1", Reason: "refused"},
		CommitMade:  &Commit{Mount: "src", Hash: "f00d", Ref: "main", Files: 3},
		SeatJoined:  &Seat{Nick: "vim", Instance: "i1", Door: "sync", Status: "active"}, SeatLeft: &Seat{Nick: "vim", Instance: "i1", Door: "sync", Reason: "expired"},
		SeatStatus:      &Seat{Nick: "vim", Instance: "i1", Door: "sync", Status: "away"},
		SeatPresence:    &Presence{Nick: "vim", Instance: "i1", Door: "sync", State: json.RawMessage(`{"cursor":{"block":"b1","pos":4}}`)},
		ResourceUpdated: &Resource{Server: "files", URI: "file:///a"}, ResourceListChanged: &Resource{Server: "files"},
		ConfigChanged: &Setting{Path: "kernel.toml", Source: "disk"}, ProgressUpdate: &Progress{Token: "t1", Progress: 3, Total: 10, Message: "3 of 10"},
		ElicitationRequest:  &Elicitation{ID: "b1", Message: "Deploy?", Schema: json.RawMessage(`{"type":"object"}`), Expires: "2026-11-21T10:05:00Z"},
		ElicitationAnswered: &Answer{ID: "b1", Action: "decline", Reason: "expired"},
		LogMessage:          &Log{Level: "warn", Logger: "llm", Message: "slow"},
		NodeJoined:          &Node{ID: "n2"}, NodeLeft: &Node{ID: "n2", Reason: "silent"},
	}
	var all []Event
	for _, k := range Kinds() {
		e := Event{
			Kernel: "main", Kind: k, Node: "n1", Time: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
			Principal: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}, Via: kaijutsu.Principal{Name: "relay", Kind: kaijutsu.Service}, Data: data[k],
		}
		t := traitOf[k]
		if t.context {
			e.Context = goldenContext
		}
		if t.block {
			e.Block = "b1"
		}
		if t.source == FromChanges {
			e.Version, e.Part, e.Parts = 42, 1, 2
			e.Heads, e.Change = kaijutsu.NewHeads(kaijutsu.ChangeHash{1}, kaijutsu.ChangeHash{2}), kaijutsu.ChangeHash{2}
		} else {
			e.Time = e.Time.Add(123 * time.Millisecond)
		}
		all = append(all, e)
	}
	return all
}

// TestGoldenEvents holds the codec against files that have to decode for ever.
func TestGoldenEvents(t *testing.T) {
	for _, e := range samples() {
		t.Run(string(e.Kind), func(t *testing.T) {
			b, err := Encode(&e)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "events", string(e.Kind)+".json")
			if *updateGoldens {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, append(b, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if want = bytes.TrimSpace(want); !bytes.Equal(b, want) {
				t.Errorf("Encode = %s, want %s", b, want)
			}
			got, err := Decode(want)
			if err != nil || !reflect.DeepEqual(got, e) {
				t.Errorf("Decode = %+v, %v, want %+v", got, err, e)
			}
		})
	}
}

// TestDecodeIsStrict changes one thing of an event that is good.
func TestDecodeIsStrict(t *testing.T) {
	good := map[string]string{}
	for _, e := range samples() {
		b, err := Encode(&e)
		if err != nil {
			t.Fatal(err)
		}
		good[string(e.Kind)] = string(b)
	}
	for _, tt := range []struct {
		name, kind, old, new string
		want                 error
	}{
		{"nothing", "block.text", good["block.text"], "", kaijutsu.ErrInvalid},
		{"no object", "block.text", good["block.text"], `[]`, kaijutsu.ErrInvalid},
		{"cut off", "block.text", `}}`, `}`, kaijutsu.ErrInvalid},
		{"something behind it", "block.deleted", `"node":"n1"}`, `"node":"n1"} {}`, kaijutsu.ErrInvalid},
		{"an unknown type", "block.text", `"type":"block.text"`, `"type":"block.ate"`, kaijutsu.ErrInvalid},
		{"another type", "block.text", `"type":"block.text"`, `"type":"block.moved"`, kaijutsu.ErrInvalid},
		{"an unknown field", "block.text", `"node":`, `"knot":1,"node":`, kaijutsu.ErrInvalid},
		{"an unknown field of data", "block.text", `"length":12`, `"length":12,"width":1`, kaijutsu.ErrInvalid},
		{"a field twice", "block.text", `"node":`, `"node":"n2","node":`, kaijutsu.ErrInvalid},
		{"a field twice in data", "block.text", `"length":12`, `"length":12,"Length":13`, kaijutsu.ErrInvalid},
		{"a subject of another context", "block.text", `kj.main.ctx.01912b3c-0000-7000-8000-000000000001`, `kj.main.ctx.01912b3c-0000-7000-8000-000000000002`, kaijutsu.ErrInvalid},
		{"a subject of another kernel", "log.message", `"subject":"kj.main.`, `"subject":"kj.other.`, kaijutsu.ErrInvalid},
		{"a kernel with a dot", "log.message", `"kernel":"main"`, `"kernel":"ma.in"`, kaijutsu.ErrInvalid},
		{"a context that is none", "block.text", `"context":"01912b3c`, `"context":"0191zb3c`, kaijutsu.ErrInvalid},
		{"no block", "block.text", `"block":"b1",`, ``, kaijutsu.ErrInvalid},
		{"a long block", "block.text", `"block":"b1"`, `"block":"` + strings.Repeat("b", 65) + `"`, kaijutsu.ErrInvalid},
		{"no version", "block.text", `"version":42,`, ``, kaijutsu.ErrInvalid},
		{"a version of what has none", "seat.joined", `"time"`, `"version":1,"time"`, kaijutsu.ErrInvalid},
		{"a change of what is of no context", "log.message", `"time"`, `"change":"` + strings.Repeat("02", 32) + `","time"`, kaijutsu.ErrInvalid},
		{"heads of what comes of no change", "elicitation.request", `"time"`, `"heads":["` + strings.Repeat("02", 32) + `"],"time"`, kaijutsu.ErrInvalid},
		{"a part beyond", "block.text", `"part":1`, `"part":3`, kaijutsu.ErrInvalid},
		{"heads that are none", "block.text", `"heads":["01`, `"heads":["0g`, kaijutsu.ErrInvalid},
		{"nobody", "block.text", `{"name":"amy"`, `{"name":""`, kaijutsu.ErrInvalid},
		{"a god", "block.text", `"kind":"person"`, `"kind":"god"`, kaijutsu.ErrInvalid},
		{"a time that is none", "block.text", `"time":"2026`, `"time":"x`, kaijutsu.ErrInvalid},
		{"a negative position", "block.text", `"pos":3`, `"pos":-3`, kaijutsu.ErrInvalid},
		{"a text for a number", "block.text", `"pos":3`, `"pos":"3"`, kaijutsu.ErrInvalid},
		{"an unknown status of a seat", "seat.status", `"away"`, `"asleep"`, kaijutsu.ErrInvalid},
		{"a presence that is no object", "seat.presence", `{"cursor":{"block":"b1","pos":4}}`, `[1]`, kaijutsu.ErrInvalid},
		{"a large presence", "seat.presence", `"b1"`, `"` + strings.Repeat("b", maxState) + `"`, kaijutsu.ErrInvalid},
		{"deep", "seat.presence", `{"block":"b1","pos":4}`, strings.Repeat("[", 40) + strings.Repeat("]", 40), kaijutsu.ErrInvalid},
		{"an unknown answer", "elicitation.answered", `"decline"`, `"declined"`, kaijutsu.ErrInvalid},
		{"an unknown reason of an answer", "elicitation.answered", `"expired"`, `"nobody answered"`, kaijutsu.ErrInvalid},
		{"no UTF-8", "log.message", `slow`, "\xff", kaijutsu.ErrInvalid},
		{"too large", "log.message", `slow`, strings.Repeat(" ", MaxEvent), kaijutsu.ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(good[tt.kind], tt.old, tt.new, 1)
			if text == good[tt.kind] {
				t.Fatalf("%s has no %s", text, tt.old)
			}
			if e, err := Decode([]byte(text)); !errors.Is(err, tt.want) {
				t.Errorf("Decode = %+v, %v, want %v", e, err, tt.want)
			}
		})
	}
}

// TestWhatSomebodyDidIsAboutAChange: it says which, and has no version of it.
func TestWhatSomebodyDidIsAboutAChange(t *testing.T) {
	e := Event{
		Kernel: "main", Context: goldenContext, Block: "b1", Kind: ElicitationAnswered, Change: kaijutsu.ChangeHash{2}, Node: "n1",
		Time: time.Unix(1, 0).UTC(), Data: &Answer{ID: "b1", Action: "accept", Reason: "answered"},
	}
	b, err := Encode(&e)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Decode(b); err != nil || got.Change != e.Change || got.Version != 0 {
		t.Errorf("Decode = %+v, %v, want the change", got, err)
	}
}

// TestEncodeRefusesWhatDecodeWould keeps wrong events in.
func TestEncodeRefusesWhatDecodeWould(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Event)
	}{
		{"an unknown kind", func(e *Event) { e.Kind = "block.ate" }},
		{"the data of another kind", func(e *Event) { e.Data = &Status{Status: "done"} }},
		{"no data", func(e *Event) { e.Data = nil }},
		{"no kernel", func(e *Event) { e.Kernel = "" }},
		{"no context", func(e *Event) { e.Context = kaijutsu.ContextID{} }},
		{"no parts", func(e *Event) { e.Parts = 0 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := samples()[1]
			tt.change(&e)
			if b, err := Encode(&e); !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("Encode = %s, %v, want ErrInvalid", b, err)
			}
		})
	}
}

// FuzzDecodeEvent: what is decoded encodes to what decodes to the same.
func FuzzDecodeEvent(f *testing.F) {
	for _, e := range samples() {
		b, err := Encode(&e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Decode(b)
		if err != nil {
			if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Fatalf("Decode(%q) = %v", b, err)
			}
			return
		}
		again, err := Encode(&e)
		if err != nil {
			t.Fatalf("Encode of what was decoded of %q: %v", b, err)
		}
		back, err := Decode(again)
		if err != nil || !reflect.DeepEqual(back, e) {
			t.Fatalf("Decode(%q) = %+v, %v, want %+v", again, back, err, e)
		}
	})
}
