package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

const snapshot = `{"version":5,"heads":["aa"],"title":"t","blocks":[{"id":"a","kind":"text","role":"user","status":"done","depth":0,"form":"text","content":"a😀é"},{"id":"b","depth":0}]}`

// streams are what a server might say behind a snapshot, and how it ends: the
// ids and contents of the blocks, or part of the error.
var streams = []struct{ name, events, want, wrong string }{
	{"nothing", ``, "a=a😀é b=", ""},
	{"typed behind an astral character", `{"type":"block.text","block":"a","version":6,"part":1,"parts":1,"data":{"splices":[{"pos":2,"insert":"𝒳"},{"pos":4,"delete":0,"insert":"!"}],"length":5}}`, "a=a😀𝒳é! b=", ""},
	{"deleted across one", `{"type":"block.text","block":"a","version":6,"part":1,"parts":1,"data":{"splices":[{"pos":0,"delete":2}],"length":1}}`, "a=é b=", ""},
	{"inserted at the top", `{"type":"block.inserted","block":"c","version":6,"part":1,"parts":1,"data":{"after":"","block":{"id":"c","content":"x"}}}`, "c=x a=a😀é b=", ""},
	{"moved and deleted", `{"type":"block.moved","block":"a","version":6,"part":1,"parts":2,"data":{"after":"b","depth":1}}
{"type":"block.deleted","block":"b","version":6,"part":2,"parts":2}`, "a=a😀é", ""},
	{"of no document", `{"type":"seat.joined","data":{"nick":"amy"}}`, "a=a😀é b=", ""},
	{"nothing shows otherwise", `{"type":"context.advanced","version":6,"part":1,"parts":1}`, "a=a😀é b=", ""},
	{"a version is missing", `{"type":"context.advanced","version":7,"part":1,"parts":1}`, "", "7.1 comes behind 5.0 of 0"},
	{"a version twice", `{"type":"context.advanced","version":5,"part":1,"parts":1}`, "", "5.1 comes behind 5.0 of 0"},
	{"a part is missing", `{"type":"block.deleted","block":"a","version":6,"part":1,"parts":2}
{"type":"context.advanced","version":7,"part":1,"parts":1}`, "", "7.1 comes behind 6.1 of 2"},
	{"an unknown block", `{"type":"block.status","block":"x","version":6,"part":1,"parts":1,"data":{"status":"done"}}`, "", "block x stands at -1"},
	{"inserted twice", `{"type":"block.inserted","block":"a","version":6,"part":1,"parts":1,"data":{"after":"","block":{"id":"a"}}}`, "", "block a stands at 0"},
	{"an unknown place", `{"type":"block.moved","block":"a","version":6,"part":1,"parts":1,"data":{"after":"x","depth":0}}`, "", "behind x, which is not there"},
	{"past the end", `{"type":"block.text","block":"a","version":6,"part":1,"parts":1,"data":{"splices":[{"pos":3,"delete":1}],"length":2}}`, "", "of 3 characters"},
	{"another length", `{"type":"block.text","block":"a","version":6,"part":1,"parts":1,"data":{"splices":[{"pos":1,"insert":"x"}],"length":5}}`, "", "5"},
	{"an unknown event", `{"type":"block.exploded","block":"a","version":6,"part":1,"parts":1}`, "", "block.exploded is not known"},
}

func TestMirrorNeverGuesses(t *testing.T) {
	for _, tt := range streams {
		t.Run(tt.name, func(t *testing.T) {
			m := &Mirror{}
			err := m.Apply("snapshot", snapshot)
			for _, e := range strings.Split(tt.events, "\n") {
				if e != "" && err == nil {
					err = m.Apply("event", e)
				}
			}
			var rows []string
			for _, b := range m.Blocks {
				rows = append(rows, b.ID+"="+b.Content)
			}
			check(t, strings.Join(rows, " "), err, tt.want, tt.wrong)
		})
	}
}

func check(t *testing.T, got string, err error, want, wrong string) {
	t.Helper()
	switch {
	case wrong == "" && (err != nil || got != want):
		t.Errorf("the mirror shows %q, %v, want %q", got, err, want)
	case wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)):
		t.Errorf("the error is %v, want one that says %q", err, wrong)
	}
}

const script = `
import { Mirror } from "./mirror.mjs"
for (const [snapshot, events] of JSON.parse(process.argv[1])) {
  const m = new Mirror("http://127.0.0.1", "x")
  let error = ""
  try {
    m.apply("snapshot", JSON.parse(snapshot))
    for (const e of events.split("\n")) if (e) m.apply("event", JSON.parse(e))
  } catch (err) {
    error = err.message
  }
  console.log(JSON.stringify({ shows: m.blocks.map(b => b.id + "=" + (b.content ?? "")).join(" "), error }))
}
`

func TestMirrorInJavaScriptNeverGuesses(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("KJ_REQUIRE_NODE") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	var in [][2]string
	for _, tt := range streams {
		in = append(in, [2]string{snapshot, tt.events})
	}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "--input-type=module", "-e", script, string(b))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, tt := range streams {
		t.Run(tt.name, func(t *testing.T) {
			var got struct{ Shows, Error string }
			if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
				t.Fatal(err)
			}
			var err error
			if got.Error != "" {
				err = errors.New(got.Error)
			}
			check(t, got.Shows, err, tt.want, tt.wrong)
		})
	}
}

// TestMirrorComesAgain lets a stream end in the midst of an event: the mirror
// asks for what is behind the last whole one, and after nonsense for all.
func TestMirrorComesAgain(t *testing.T) {
	answers := []string{
		"retry: 1000\n\nevent: hello\ndata: {\"version\":5}\n\nid: n.0.5.0\nevent: snapshot\ndata: " + snapshot + "\n\nid: n.0.6.1\nevent: block.deleted\ndata: {\"type\":\"block.deleted\",\"bl",
		": still here\n\nid: n.0.6.1\nevent: block.deleted\ndata: {\"type\":\"block.deleted\",\"block\":\"a\",\"version\":6,\"part\":1,\"parts\":1}\n\nid: n.0.8.1\nevent: x\ndata: {\"version\":8}\n\n",
		"",
	}
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID"))
		_, _ = w.Write([]byte(answers[len(asked)-1]))
	}))
	defer s.Close()
	req, err := http.NewRequest(http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, shown := &Mirror{}, []uint64{}
	for range answers {
		if err := m.Follow(req, func() { shown = append(shown, m.Version) }); err == nil {
			t.Error("the stream has no end")
		}
	}
	if want := []string{"", "n.0.5.0", ""}; !reflect.DeepEqual(asked, want) {
		t.Errorf("asked for what is behind %q, want %q", asked, want)
	}
	if want := []uint64{5, 6}; !reflect.DeepEqual(shown, want) {
		t.Errorf("showed versions %v, want %v", shown, want)
	}
}
