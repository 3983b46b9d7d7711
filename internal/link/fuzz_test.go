package link_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/link"
)

// canned answers every request alike.
type canned struct {
	status int
	body   []byte
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == link.WhoPath {
		return &http.Response{StatusCode: 200, Body: http.NoBody, Header: http.Header{link.KernelHeader: {"away"}}, Request: r}, nil
	}
	if strings.HasSuffix(r.URL.Path, "/server_status") {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(`{"kernel":"away"}`)), Header: http.Header{}, Request: r}, nil
	}
	return &http.Response{StatusCode: c.status, Body: io.NopCloser(bytes.NewReader(c.body)), Header: http.Header{"Location": {string(c.body)}}, Request: r}, nil
}

// FuzzAnswer has another kernel answer anything: it is a receipt or an error of
// a known kind, in printable words, without the token.
func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`{"kernel":"away","state":"delivered","block_id":"b","context":"c"}`))
	f.Add(200, []byte(`{"kernel":"away","state":"refused","reason":"\u001b[0m no"}`))
	f.Add(403, []byte(`{"error":{"kind":"denied","message":"no"}}`))
	f.Add(500, []byte(`{"error":{"kind":"internal","message":"\u0000"}}`))
	f.Add(302, []byte("http://elsewhere"))
	answer := &canned{}
	l, _, _ := open(f, f.TempDir(), func(c *link.Config) { c.Transport = answer })
	set(f, l, "away", "https://kj.example.org")
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			status = 200
		}
		answer.status, answer.body = status, body
		r, err := l.Offer(t.Context(), "away", item())
		if err == nil {
			if r.State != drift.StateDelivered && r.State != drift.StateHeld || len(r.Block) > 64 || len(r.Reason) > 1100 {
				t.Errorf("receipt = %+v", r)
			}
			return
		}
		known := false
		for _, kind := range []error{kaijutsu.ErrDenied, kaijutsu.ErrNotFound, kaijutsu.ErrConflict, kaijutsu.ErrTooLarge, kaijutsu.ErrInvalid, kaijutsu.ErrUnavailable} {
			known = known || errors.Is(err, kind)
		}
		text := err.Error()
		if !known || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\n") || strings.Contains(text, secret) || len(text) > 2000 {
			t.Errorf("error = %q", text)
		}
	})
}

// FuzzOffer has another kernel offer anything: what is taken can be sent on.
func FuzzOffer(f *testing.F) {
	f.Add([]byte(`{"id":"0193d5c0-0000-7000-8000-000000000001","from_kernel":"home","to":"x","content":"y","drift_kind":"push","principal":{"name":"a","kind":"agent"},"citations":[{"ref":1,"handle":"x/0193d5c0-0000-7000-8000-000000000001#1-2"}]}`))
	f.Add([]byte(`{"id":"","from_kernel":"HOME"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var o link.Offer
		if json.Unmarshal(b, &o) != nil {
			return
		}
		it, err := o.Item()
		if err != nil {
			if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Errorf("error = %v, want ErrInvalid or ErrTooLarge", err)
			}
			return
		}
		if it.Via == "" || it.Content == "" || it.Meta.Principal.IsZero() || it.Meta.SourceKernel != it.Via || len(it.Meta.Citations) != len(o.Citations) {
			t.Errorf("item = %+v", it)
		}
		for _, c := range it.Meta.Citations {
			if c.Handle.Kernel == "" || c.Handle.Check() != nil {
				t.Errorf("citation %+v can be taken for one of ours, or is none", c)
			}
		}
	})
}
