package link_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/link"
	"kaijutsu/internal/op"
)

// deaf reaches nobody.
type deaf struct{}

func (deaf) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("no network") }

func offline(c *link.Config) { c.Transport = deaf{} }

func TestLinksAreRecords(t *testing.T) {
	dir := t.TempDir()
	t.Run("set", func(t *testing.T) {
		l, _, log := open(t, dir, offline)
		for _, k := range []string{"b-side", "away"} {
			if _, err := l.Set(t.Context(), owner, link.Link{Kernel: k, URL: "https://kj.example.org/" + k + "/", Token: secret}); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has the token: %s", log)
		}
	})
	l, table, _ := open(t, dir, offline)
	var got []string
	for _, s := range l.List(owner) {
		got = append(got, fmt.Sprintf("%s %s %s", s.Kernel, s.URL, s.By))
		if text := fmt.Sprintf("%+v %#v", s, s); strings.Contains(text, secret) {
			t.Errorf("the list has the token: %s", text)
		}
	}
	want := "away https://kj.example.org/away person:owner, b-side https://kj.example.org/b-side person:owner"
	if strings.Join(got, ", ") != want {
		t.Errorf("links = %q, want %q", got, want)
	}
	reader := op.Call{By: amy, Right: kaijutsu.RightRead}
	for _, s := range l.List(reader) {
		if s.Kernel == "" || s.URL != "" {
			t.Errorf("a reader sees %+v, want the name alone", s)
		}
	}
	if _, err := l.Remove(t.Context(), reader, "away"); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("a reader removes a link: %v, want ErrDenied", err)
	}
	if _, err := l.Set(t.Context(), reader, link.Link{Kernel: "away", URL: "https://a", Token: "x"}); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("a reader sets a link: %v, want ErrDenied", err)
	}
	if _, err := l.Remove(t.Context(), owner, "away"); err != nil || l.Knows("away") {
		t.Errorf("removed: %v, and known: %v", err, l.Knows("away"))
	}
	if _, err := l.Remove(t.Context(), owner, "b-sid"); !errors.Is(err, kaijutsu.ErrNotFound) || !strings.Contains(err.Error(), `did you mean "b-side"?`) {
		t.Errorf("removing a link that is none: %v, want ErrNotFound with a guess", err)
	}
	// What another version or hand has written is named, and harms nothing else.
	for name, value := range map[string]string{
		"link/newer": `{"v":2,"url":"https://a","token":"x"}`, "link/odd": `{"v":1,"url":"https://a","token":"x","more":1}`, "link/plain": `{"v":1,"url":"http://far.example","token":"x"}`,
	} {
		if err := table.Put(t.Context(), owner.By, name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range l.List(owner) {
		if (s.Kernel == "b-side") != (s.Unread == "") {
			t.Errorf("link %s: unread = %q", s.Kernel, s.Unread)
		}
	}
	if _, err := l.Offer(t.Context(), "newer", item()); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("offer over an unreadable link: %v, want ErrUnavailable", err)
	}
}

func TestLinksThatAreRefused(t *testing.T) {
	l, _, _ := open(t, t.TempDir(), offline)
	good := link.Link{Kernel: "away", URL: "https://kj.example.org", Token: secret}
	tests := []struct {
		name  string
		f     func(*link.Link)
		field string // "": it is taken
	}{
		{"good", func(*link.Link) {}, ""},
		{"http on this machine", func(l *link.Link) { l.URL = "http://127.0.0.1:7433" }, ""},
		{"http on this machine by name", func(l *link.Link) { l.URL = "http://localhost:7433" }, ""},
		{"http on this machine, IPv6", func(l *link.Link) { l.URL = "http://[::1]:7433" }, ""},
		{"http elsewhere", func(l *link.Link) { l.URL = "http://kj.example.org" }, "url"},
		{"http that looks local", func(l *link.Link) { l.URL = "http://127.0.0.1.example.org" }, "url"},
		{"http elsewhere, meant", func(l *link.Link) { l.URL, l.Plain = "http://kj.example.org", true }, ""},
		{"no scheme", func(l *link.Link) { l.URL = "kj.example.org" }, "url"},
		{"another scheme", func(l *link.Link) { l.URL = "file:///etc/passwd" }, "url"},
		{"a password", func(l *link.Link) { l.URL = "https://a:b@kj.example.org" }, "url"},
		{"a token in the query", func(l *link.Link) { l.URL = "https://kj.example.org?token=" + secret }, "url"},
		{"long", func(l *link.Link) { l.URL = "https://" + strings.Repeat("a", 3000) }, "url"},
		{"no token", func(l *link.Link) { l.Token = "" }, "token"},
		{"a token of two lines", func(l *link.Link) { l.Token = "a\r\nHost: b" }, "token"},
		{"a long token", func(l *link.Link) { l.Token = strings.Repeat("a", 5000) }, "token"},
		{"no name", func(l *link.Link) { l.Kernel = "" }, "name"},
		{"a name with a slash", func(l *link.Link) { l.Kernel = "a/b" }, "name"},
		{"our own", func(l *link.Link) { l.Kernel = "home" }, "name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := good
			tt.f(&in)
			_, err := l.Set(t.Context(), owner, in)
			var wrong *op.FieldError
			errors.As(err, &wrong)
			switch {
			case tt.field == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.field != "" && (wrong == nil || wrong.Field != tt.field || wrong.Hint == ""):
				t.Errorf("error = %v, want one about %s, with the mend", err, tt.field)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the error has the token: %v", err)
			}
		})
	}
}
