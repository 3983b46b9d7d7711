package httpdoor

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// notes is something small to operate on: named texts.
type notes struct {
	mu    sync.Mutex
	texts map[string]string // guarded by mu
}

type noteIn struct {
	Note string `json:"note_id" jsonschema:"The note" rule:"minlen=1,maxlen=20"`
}

type noteOut struct {
	Note    string `json:"note_id"`
	Text    string `json:"text"`
	By      string `json:"by"`
	Context string `json:"context,omitempty"`
}

type writeIn struct {
	noteIn
	Text string `json:"text,omitempty" jsonschema:"What it says from now on" rule:"maxlen=5000000"`
	Mode string `json:"mode,omitempty" rule:"enum=replace|append,default=replace"`
}

// set returns the operations on notes.
func (n *notes) set(gates op.Gates) *op.Set {
	write := op.Define(op.Spec{
		Name: "note_write", Summary: "Write a note", Description: "Makes the note when it is not there.", Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: []op.Example{{Text: "Say <hello> & more", In: `{"note_id":"a","text":"<hello> & more"}`}},
	}, func(_ context.Context, c op.Call, in writeIn) (noteOut, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if in.Mode == "append" {
			in.Text = n.texts[in.Note] + in.Text
		}
		n.texts[in.Note] = in.Text
		return noteOut{in.Note, in.Text, c.By.Name, c.Context}, nil
	})
	read := op.Define(op.Spec{Name: "note_read", Summary: "Read a note", Right: kaijutsu.RightRead}, func(_ context.Context, c op.Call, in noteIn) (noteOut, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		text, ok := n.texts[in.Note]
		if !ok {
			return noteOut{}, fmt.Errorf("note %q: %w", in.Note, kaijutsu.ErrNotFound)
		}
		return noteOut{in.Note, text, c.By.Name, c.Context}, nil
	})
	burn := op.Define(op.Spec{Name: "note_burn", Summary: "Burn every note", Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Destroys},
		func(context.Context, op.Call, struct{}) (struct{}, error) { panic("no fire") })
	return op.NewSet(gates, write, read, burn)
}

// serve returns a server of the door over notes. Who asks is in the header
// As; "stranger" is nobody.
func serve(t testing.TB, cfg Config) *httptest.Server {
	t.Helper()
	if cfg.Set == nil {
		cfg.Set = (&notes{texts: make(map[string]string)}).set(op.Gates{})
	}
	if cfg.Identify == nil {
		cfg.Identify = identify
	}
	server := httptest.NewServer(New(cfg))
	t.Cleanup(server.Close)
	return server
}

func identify(r *http.Request) (op.Call, error) {
	name := r.Header.Get("As")
	call := op.Call{By: kaijutsu.Principal{Name: name, Kind: kaijutsu.Agent}, Right: kaijutsu.RightEdit, Context: "first"}
	switch name {
	case "":
		call.By.Name = "amy"
	case "owner":
		call.Right = kaijutsu.RightOwn
	case "reader":
		call.Deny = []string{"note_write"}
	case "stranger":
		return op.Call{}, noToken{}
	}
	return call, nil
}

type noToken struct{}

func (noToken) Error() string     { return "no token: denied" }
func (noToken) Unwrap() error     { return kaijutsu.ErrDenied }
func (noToken) Challenge() string { return "Bearer" }

// ask sends a request and returns the answer. Headers are "Name: value".
func ask(t testing.TB, server *httptest.Server, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

var quiet = slog.New(slog.DiscardHandler)
