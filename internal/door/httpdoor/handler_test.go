package httpdoor

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/op"
)

func TestCall(t *testing.T) {
	server := serve(t, Config{Log: quiet})
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     string // the body; a regular expression where it begins with ^
	}{
		{name: "a result is the bytes of the set", path: "/v1/ops/note_write", body: `{"note_id":"a","text":"<b> & c é"}`,
			status: 200, want: `{"note_id":"a","text":"<b> & c é","by":"amy","context":"first"}`},
		{name: "any content type", path: "/v1/ops/note_read", body: ` {"note_id":"a"}`, headers: []string{"Content-Type: text/plain"},
			status: 200, want: `{"note_id":"a","text":"<b> & c é","by":"amy","context":"first"}`},
		{name: "the context of a header", path: "/v1/ops/note_read", body: `{"note_id":"a"}`, headers: []string{"Kaijutsu-Context: second"},
			status: 200, want: `{"note_id":"a","text":"<b> & c é","by":"amy","context":"second"}`},
		{name: "the context of the address", path: "/v1/ops/note_read?context=third", body: `{"note_id":"a"}`,
			status: 200, want: `{"note_id":"a","text":"<b> & c é","by":"amy","context":"third"}`},
		{name: "two contexts", path: "/v1/ops/note_read?context=third", body: `{"note_id":"a"}`, headers: []string{"Kaijutsu-Context: second"},
			status: 400, want: `{"error":{"kind":"invalid","message":"header Kaijutsu-Context says \"second\" and ?context= says \"third\": invalid: name one context"}}`},
		{name: "an empty body is an empty object", path: "/v1/ops/note_read", body: " \n",
			status: 400, want: `^\{"error":\{"kind":"invalid","message":"note_id: .*","field":"note_id".*\}\}$`},
		{name: "an unknown parameter", path: "/v1/ops/note_read", body: `{"note_id":"a","colour":1}`,
			status: 400, want: `^\{"error":\{"kind":"invalid".*"field":"colour"`},
		{name: "not JSON", path: "/v1/ops/note_read", body: `{"note_id`, status: 400, want: `^\{"error":\{"kind":"invalid","message":"parameters: `},
		{name: "what is not there", path: "/v1/ops/note_read", body: `{"note_id":"<z>"}`,
			status: 404, want: `{"error":{"kind":"not_found","message":"note \"<z>\": not found"}}`},
		{name: "an operation that is not there", path: "/v1/ops/note_reed", status: 404,
			want: `{"error":{"kind":"not_found","message":"operation \"note_reed\": not found; did you mean \"note_read\"?"}}`},
		{name: "an operation that is not there for them", path: "/v1/ops/note_write", body: `{}`, headers: []string{"As: reader"},
			status: 404, want: `^"kind":"not_found"|not found`},
		{name: "too low a role", path: "/v1/ops/note_burn", status: 403, want: `^"kind":"denied".*the role owner on the kernel`},
		{name: "a panic", path: "/v1/ops/note_burn", headers: []string{"As: owner"}, status: 500,
			want: `^\{"error":\{"kind":"internal","message":"internal error \(ref [0-9a-f]{8}\)","ref":"[0-9a-f]{8}"\}\}$`},
		{name: "nobody", path: "/v1/ops/note_read", headers: []string{"As: stranger"}, status: 401,
			want: `{"error":{"kind":"denied","message":"no token"}}`},
		{name: "another method", method: "PUT", path: "/v1/ops/note_read", status: 405, want: `^use POST`},
		{name: "posting to the list", path: "/v1/ops", status: 405, want: `^use GET`},
		{name: "no such address", path: "/v1/ops/note_read/x", status: 404, want: `^there are /v1/ops,`},
		{name: "one operation", method: "GET", path: "/v1/ops/note_read", status: 200, want: `^\{"name":"note_read","family":"note","title":"Note read",`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.method == "" {
				c.method = http.MethodPost
			}
			resp, body := ask(t, server, c.method, c.path, c.body, c.headers...)
			if resp.StatusCode != c.status {
				t.Errorf("status = %d, want %d", resp.StatusCode, c.status)
			}
			if pattern, ok := strings.CutPrefix(c.want, "^"); ok {
				if !regexp.MustCompile(pattern).MatchString(body) {
					t.Errorf("body = %s, want a match of %s", body, pattern)
				}
			} else if body != c.want {
				t.Errorf("body = %s, want %s", body, c.want)
			}
			if got := resp.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
				t.Errorf("content type = %q", got)
			}
			if !json.Valid([]byte(body)) {
				t.Errorf("body is no JSON: %s", body)
			}
			if allow := resp.Header.Get("Allow"); (c.status == 405) != (allow != "") {
				t.Errorf("Allow = %q with status %d", allow, resp.StatusCode)
			}
			if login := resp.Header.Get("WWW-Authenticate"); (c.status == 401) != (login != "") {
				t.Errorf("WWW-Authenticate = %q with status %d", login, resp.StatusCode)
			}
		})
	}
}

func TestHead(t *testing.T) {
	server := serve(t, Config{})
	resp, body := ask(t, server, http.MethodHead, "/v1/openapi.json", "")
	if resp.StatusCode != 200 || body != "" || resp.ContentLength <= 0 {
		t.Errorf("HEAD = %d with %d bytes announced and %q, want 200, some and none", resp.StatusCode, resp.ContentLength, body)
	}
}

// endless is a body that never ends, and counts what was read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestLargeBody(t *testing.T) {
	const limit = 1 << 16
	set := (&notes{texts: make(map[string]string)}).set(op.Gates{Limits: op.Limits{ParamBytes: limit}})
	handler := New(Config{Set: set, Identify: identify, MaxBody: limit})
	fits := `{"note_id":"a","text":"` + strings.Repeat("x", limit-25) + `"}`
	broken := errors.New("gone")
	body := &endless{}
	for _, c := range []struct {
		name   string
		body   io.Reader
		length int64
		status int
	}{
		{"just fits", strings.NewReader(fits), limit, 200},
		{"just fits, of unknown length", strings.NewReader(fits), -1, 200},
		{"announced too large", strings.NewReader(fits), limit + 1, 413},
		{"one too many", strings.NewReader(fits + " "), -1, 413},
		{"without end", body, -1, 413},
		{"broken off", io.MultiReader(strings.NewReader(`{"note`), errReader{broken}), -1, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/v1/ops/note_write", c.body)
			r.ContentLength = c.length
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != c.status {
				t.Errorf("status = %d, want %d: %s", w.Code, c.status, w.Body)
			}
		})
	}
	if body.read > limit+1 {
		t.Errorf("%d bytes were read, want at most %d", body.read, limit+1)
	}
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }

func TestListIsOfTheCaller(t *testing.T) {
	server := serve(t, Config{Version: "1.2.3"})
	var list struct {
		Operations []row `json:"operations"`
	}
	_, body := ask(t, server, http.MethodGet, "/v1/ops", "", "As: reader")
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range list.Operations {
		names = append(names, o.Name)
	}
	if got, want := strings.Join(names, " "), "note_burn note_read"; got != want {
		t.Errorf("operations = %s, want %s", got, want)
	}
	_, body = ask(t, server, http.MethodGet, "/v1/openapi.json", "", "As: reader")
	if strings.Contains(body, "note_write") || !strings.Contains(body, "note_read") {
		t.Errorf("the document of a reader tells of note_write, or not of note_read")
	}
	if _, body = ask(t, server, http.MethodGet, "/v1/ops/note_write", "", "As: reader"); !strings.Contains(body, "not_found") {
		t.Errorf("what is denied is shown: %s", body)
	}
}

func TestRow(t *testing.T) {
	server := serve(t, Config{})
	_, body := ask(t, server, http.MethodGet, "/v1/ops/note_write", "")
	var r row
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	if r.Effect != "writes" || !r.Repeatable || r.Right != kaijutsu.RightEdit.String() || r.Scope != "context" || len(r.Command) != 2 {
		t.Errorf("row = %+v", r)
	}
	if len(r.Examples) != 1 || r.Examples[0].Text != "Say <hello> & more" {
		t.Errorf("examples = %+v", r.Examples)
	}
	in, ok := r.In.(map[string]any)
	if !ok || in["type"] != "object" || in["properties"] == nil {
		t.Errorf("input schema = %v", r.In)
	}
}

func FuzzCall(f *testing.F) {
	f.Add("note_write", `{"note_id":"a"}`)
	f.Add("note_read", `{"note_id":1}`)
	f.Add("", "\x00")
	handler := New(Config{Set: (&notes{texts: make(map[string]string)}).set(op.Gates{}), Identify: identify})
	f.Fuzz(func(t *testing.T, name, body string) {
		r := httptest.NewRequest(http.MethodPost, "/v1/ops/", strings.NewReader(body))
		r.URL.Path = "/v1/ops/" + name
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("the answer to %q %q is no JSON: %q", name, body, w.Body)
		}
		if w.Code >= 500 {
			t.Errorf("the answer to %q %q is %d", name, body, w.Code)
		}
	})
}
