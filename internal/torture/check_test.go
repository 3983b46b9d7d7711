package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kaijutsu"
)

// of is an event in short: version.part/parts and its change.
func of(version uint64, part, parts int, change string) *event {
	return &event{Type: "context.advanced", Context: "c", Version: version, Part: part, Parts: parts, Change: change}
}

// TestTrack feeds a follower's track what may and may not come.
func TestTrack(t *testing.T) {
	tests := []struct {
		name   string
		events []*event
		want   string // in the error of the last
	}{
		{"in order", []*event{of(8, 1, 1, "a"), of(9, 1, 2, "b"), of(9, 2, 2, "b"), of(10, 1, 1, "c")}, ""},
		{"a version is left out", []*event{of(8, 1, 1, "a"), of(10, 1, 1, "c")}, "missing"},
		{"the first is left out", []*event{of(9, 1, 1, "b")}, "missing"},
		{"a version comes again", []*event{of(8, 1, 1, "a"), of(9, 1, 1, "b"), of(8, 1, 1, "a")}, "doubled"},
		{"an event comes again", []*event{of(8, 1, 1, "a"), of(8, 1, 1, "a")}, "doubled"},
		{"a part comes again", []*event{of(8, 1, 2, "a"), of(8, 1, 2, "a")}, "doubled"},
		{"a part is left out", []*event{of(8, 1, 3, "a"), of(8, 3, 3, "a")}, "doubled"},
		{"the last part is left out", []*event{of(8, 1, 2, "a"), of(9, 1, 1, "b")}, "missing"},
		{"the first part is left out", []*event{of(8, 2, 2, "a")}, "missing"},
		{"a change has two versions", []*event{of(8, 1, 1, "a"), of(9, 1, 1, "a")}, "doubled"},
		{"a version has two changes", []*event{of(8, 1, 2, "a"), of(8, 2, 2, "b")}, "doubled"},
		{"a part beyond the parts", []*event{of(8, 2, 1, "a")}, "part 2 of 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := &track{base: 7, version: 7, changes: make(map[string]uint64)}
			for i, e := range tt.events {
				err := tr.next(e)
				last := i == len(tt.events)-1
				switch {
				case !last && err != nil:
					t.Fatalf("event %d: %v", i+1, err)
				case last && tt.want == "" && err != nil, last && tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
					t.Errorf("last event: got %v, want an error with %q", err, tt.want)
				}
			}
		})
	}
}

// TestMirror applies events to a list of two blocks.
func TestMirror(t *testing.T) {
	start := []row{{ID: "a", Content: "añb"}, {ID: "b"}}
	tests := []struct {
		name, event string
		want        string // the list as ids with their contents, or an error
	}{
		{"inserted first", `{"type":"block.inserted","block":"c","data":{"after":"","block":{"id":"c","content":"x"}}}`, "c=x a=añb b="},
		{"inserted behind", `{"type":"block.inserted","block":"c","data":{"after":"a","block":{"id":"c"}}}`, "a=añb c= b="},
		{"inserted twice", `{"type":"block.inserted","block":"b","data":{"after":"a","block":{"id":"b"}}}`, "there already"},
		{"inserted nowhere", `{"type":"block.inserted","block":"c","data":{"after":"z","block":{"id":"c"}}}`, "no block z"},
		{"text in code points", `{"type":"block.text","block":"a","data":{"splices":[{"pos":2,"delete":1},{"pos":0,"insert":"😀"}],"length":3}}`, "a=😀añ b="},
		{"text of another length", `{"type":"block.text","block":"a","data":{"splices":[{"pos":0,"insert":"x"}],"length":3}}`, "4 code points"},
		{"text past the end", `{"type":"block.text","block":"a","data":{"splices":[{"pos":3,"delete":1}],"length":3}}`, "takes out 1 of 3"},
		{"moved", `{"type":"block.moved","block":"b","data":{"after":"","depth":0}}`, "b= a=añb"},
		{"moved behind itself", `{"type":"block.moved","block":"b","data":{"after":"b","depth":0}}`, "no block b"},
		{"deleted", `{"type":"block.deleted","block":"a"}`, "b="},
		{"deleted, unknown", `{"type":"block.deleted","block":"z"}`, "no such block"},
		{"of no block", `{"type":"context.renamed","data":{"title":"x"}}`, "a=añb b="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := decodeEvent(tt.event)
			if err != nil {
				t.Fatal(err)
			}
			m := mirror{rows: append([]row(nil), start...)}
			var got []string
			if err := m.apply(&e); err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				return
			}
			for _, r := range m.rows {
				got = append(got, r.ID+"="+r.Content)
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("list = %q, want %q", got, tt.want)
			}
			if m.difference(m.rows) != "" || m.difference(append(m.rows, row{})) == "" || m.difference(nil) == "" {
				t.Error("difference does not tell equal lists from others")
			}
		})
	}
}

// TestMarks counts marks that are lost and doubled.
func TestMarks(t *testing.T) {
	marks := map[string]bool{"⟦a.1⟧": true, "⟦a.2⟧": true, "⟦a.3⟧": false, "⟦a.4⟧": false, "⟦a.5⟧": true}
	lost, doubled := countMarks(marks, []string{"⟦a.1⟧⟦a.4⟧ and ⟦a.5", "x⟦a.4⟧", "¶"})
	if lost != 2 || doubled != 1 {
		t.Errorf("countMarks = %d lost, %d doubled, want 2 and 1", lost, doubled)
	}
}

// TestMissing counts acknowledged changes that a node does not have.
func TestMissing(t *testing.T) {
	acked := map[kaijutsu.ChangeHash]string{{1}: "amy", {2}: "ben"}
	n, example := missing(acked, map[kaijutsu.ChangeHash]struct{}{{1}: {}, {3}: {}})
	if n != 1 || !strings.HasSuffix(example, "of ben") {
		t.Errorf("missing = %d, %q, want 1, of ben", n, example)
	}
}

// TestFollower reads a stream that ends in the middle of a change and goes on
// behind the last event's id on the next connection, as one in the middle of
// which a server is killed.
func TestFollower(t *testing.T) {
	asked := make(chan string, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last := r.Header.Get("Last-Event-ID")
		asked <- last
		line := func(id, name string, v any) {
			data, err := json.Marshal(v)
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", id, name, data)
		}
		switch last {
		case "":
			line("1", "snapshot", map[string]any{"version": 4, "blocks": []row{{ID: "a"}}})
			line("2", "event", of(5, 1, 2, "x"))
			fmt.Fprint(w, "id: 3\nevent: event\ndata: {\"type\"") // cut off
		case "2":
			line("3", "event", of(5, 2, 2, "x"))
			line("4", "event", of(6, 1, 1, "y"))
		default:
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	defer srv.Close()
	f := newFollower(&node{name: "A", base: srv.URL}, &target{id: "c"})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); f.run(ctx) }()
	if !f.await(t.Context(), "c", 6) {
		t.Error("version 6 has not come")
	}
	for _, want := range []string{"", "2", "4"} {
		if got := <-asked; got != want {
			t.Errorf("asked with the id %q, want %q", got, want)
		}
	}
	cancel()
	<-done
	if len(f.problems) > 0 || f.events != 3 || f.mirror.difference([]row{{ID: "a"}}) != "" {
		t.Errorf("problems %q, %d events, mirror %v", f.problems, f.events, f.mirror.rows)
	}
}

// TestLog finds a panic and a race in a log, and no more.
func TestLog(t *testing.T) {
	var r Report
	checkLog(&r, "A", "level=INFO msg=ok\nlevel=ERROR msg=disk\nWARNING: DATA RACE\npanic: oh\n")
	if len(r.Problems) != 2 || len(r.Notes) != 1 {
		t.Errorf("problems %q, notes %q, want two and one", r.Problems, r.Notes)
	}
}
