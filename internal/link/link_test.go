package link_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/door/httpdoor"
	"kaijutsu/internal/link"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

const secret = "kj_very-secret-token"

var (
	owner = op.Call{By: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}, Right: kaijutsu.RightOwn}
	amy   = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}
	doc   = kaijutsu.NewContextID(time.Unix(1_700_000_000, 0)).Document()
)

// syncBuffer is a log that is read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// open returns links over a real table in a directory.
func open(t testing.TB, dir string, change func(*link.Config)) (*link.Links, *records.Table, *syncBuffer) {
	t.Helper()
	log := &syncBuffer{}
	l := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	st, err := store.Open(store.Options{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var table *records.Table
	r := repo.Start(repo.Config{Log: l, Store: st, Committed: func(c repo.Committed) { table.Note(c) }})
	if table, err = records.Open(records.Config{Log: l, Repo: r, Kernel: "home", Name: "drift"}); err != nil {
		t.Fatal(err)
	}
	cfg := link.Config{Log: l, Table: table, Kernel: "home"}
	if change != nil {
		change(&cfg)
	}
	links, err := link.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(links.Close(), table.Close(), r.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	})
	return links, table, log
}

type empty struct{}

type status struct {
	Kernel string `json:"kernel"`
}

// other is the server of another kernel: the real door in front of operations
// that answer as told.
type other struct {
	*httptest.Server
	mu     sync.Mutex
	offers []link.Offer // guarded by mu
	asked  int          // guarded by mu: for the status
}

func serve(t testing.TB, kernel string, right kaijutsu.Right, answer func(link.Offer) (link.Answer, error)) *other {
	t.Helper()
	o := &other{}
	set := op.NewSet(op.Gates{},
		op.Define(op.Spec{Name: "server_status", Summary: "Say", Scope: op.OnKernel, Right: kaijutsu.RightRead, Effect: op.Reads},
			func(context.Context, op.Call, empty) (status, error) {
				o.mu.Lock()
				o.asked++
				o.mu.Unlock()
				return status{kernel}, nil
			}),
		op.Define(op.Spec{Name: "drift_offer", Summary: "Offer", Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes},
			func(_ context.Context, _ op.Call, in link.Offer) (link.Answer, error) {
				o.mu.Lock()
				o.offers = append(o.offers, in)
				o.mu.Unlock()
				return answer(in)
			}),
		op.Define(op.Spec{Name: "citation_resolve", Summary: "Resolve", Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads},
			func(_ context.Context, _ op.Call, in struct {
				Handle string `json:"handle"`
			}) (struct {
				Handle string `json:"handle"`
				Text   string `json:"text"`
			}, error) {
				return struct {
					Handle string `json:"handle"`
					Text   string `json:"text"`
				}{in.Handle, "as it was"}, nil
			}),
	)
	door := httpdoor.New(httpdoor.Config{Set: set, Identify: func(r *http.Request) (op.Call, error) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			return op.Call{}, challenge{fmt.Errorf("this token is not valid: %w", kaijutsu.ErrDenied)}
		}
		return op.Call{By: kaijutsu.Principal{Name: "home-bot", Kind: kaijutsu.Agent}, Right: right}, nil
	}})
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == link.WhoPath {
			w.Header().Set(link.KernelHeader, kernel)
			return
		}
		door.ServeHTTP(w, r)
	}))
	t.Cleanup(o.Close)
	return o
}

type challenge struct{ error }

func (c challenge) Unwrap() error     { return c.error }
func (c challenge) Challenge() string { return "Bearer" }

// item returns a drift to another kernel that cites a block of ours.
func item() drift.Item {
	block := kaijutsu.NewContextID(time.Unix(1_700_000_001, 0)).String()
	return drift.Item{
		ID: drift.NewID(time.Unix(1_700_000_002, 0)), From: doc, ToKernel: "away", To: "planning", Content: "We cache. [1]\n[2]",
		By: amy, At: time.Unix(1_700_000_002, 0), State: drift.StateStaged,
		Meta: drift.Meta{
			SourceKernel: "home", SourceContext: doc.Name(), SourceTitle: "Caching", Kind: drift.KindPush, Act: drift.ActAsked,
			Heads: []string{strings.Repeat("ab", 32)}, Model: "m1", Chain: []string{"third:" + doc.Name()},
			Citations: []drift.Citation{
				{Ref: 1, Handle: drift.Handle{Context: doc.Name(), Block: block, First: 3, Last: 4}, Quote: "We"},
				{Ref: 2, Handle: drift.Handle{Kernel: "third", Context: doc.Name(), Block: block}},
			},
		},
	}
}

func set(t testing.TB, l *link.Links, kernel, url string) {
	t.Helper()
	if _, err := l.Set(t.Context(), owner, link.Link{Kernel: kernel, URL: url, Token: secret}); err != nil {
		t.Fatal(err)
	}
}

func delivered(in link.Offer) (link.Answer, error) {
	return link.Answer{Kernel: in.Kernel, State: link.Delivered, BlockID: in.ID, Context: doc.Name()}, nil
}

func TestAnOfferCarriesEverything(t *testing.T) {
	o := serve(t, "away", kaijutsu.RightEdit, delivered)
	l, _, _ := open(t, t.TempDir(), nil)
	set(t, l, "away", o.URL+"/")
	it := item()
	r, err := l.Offer(t.Context(), "away", it)
	if err != nil {
		t.Fatal(err)
	}
	if r.State != drift.StateDelivered || string(r.Block) != it.ID || r.Context != doc.Name() {
		t.Errorf("receipt = %+v, want it delivered as block %s", r, it.ID)
	}
	got, err := o.offers[0].Item()
	if err != nil {
		t.Fatal(err)
	}
	m := got.Meta
	if got.ID != it.ID || got.Via != "home" || got.To != "planning" || got.Content != it.Content || !got.From.IsZero() {
		t.Errorf("the other kernel reads %+v, want what was sent, via home", got)
	}
	if m.SourceKernel != "home" || m.SourceContext != doc.Name() || m.SourceTitle != "Caching" || m.Kind != drift.KindPush ||
		m.Model != "m1" || m.Principal != amy || m.Act != drift.ActAsked || m.DriftID != it.ID || m.Finding != drift.Fingerprint(it.Content) {
		t.Errorf("its meta is %+v, want what was sent", m)
	}
	if want := []string{"third:" + doc.Name(), "home:" + doc.Name()}; strings.Join(m.Chain, " ") != strings.Join(want, " ") {
		t.Errorf("its chain is %v, want %v", m.Chain, want)
	}
	for i, kernel := range []string{"home", "third"} {
		if h := m.Citations[i].Handle; h.Kernel != kernel || h.Context != doc.Name() {
			t.Errorf("citation %d is %v, want one of kernel %s", i+1, h, kernel)
		}
	}
	if h := it.Meta.Citations[0].Handle; h.Kernel != "" {
		t.Errorf("our own item cites %v now, want it untouched", h)
	}
	if err := o.offers[0].Check("away"); err != nil {
		t.Errorf("the kernel that is meant refuses: %v", err)
	}
	if err := o.offers[0].Check("third"); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("another kernel says %v, want ErrConflict", err)
	}
}

func TestAnswersOfOtherKernels(t *testing.T) {
	fail := func(err error) func(link.Offer) (link.Answer, error) {
		return func(link.Offer) (link.Answer, error) { return link.Answer{}, err }
	}
	state := func(state, reason string) func(link.Offer) (link.Answer, error) {
		return func(in link.Offer) (link.Answer, error) {
			return link.Answer{Kernel: "away", State: state, Reason: reason, BlockID: in.ID}, nil
		}
	}
	tests := []struct {
		name   string
		answer func(link.Offer) (link.Answer, error)
		want   error
		words  string
	}{
		{"delivered", delivered, nil, ""},
		{"held", state(link.Held, "needs consent"), nil, ""},
		{"refused", state(link.Refused, "no\x1b[31m strangers\nhere"), kaijutsu.ErrDenied, "no[31m strangers here"},
		{"refused, no reason", state(link.Refused, ""), kaijutsu.ErrDenied, "no reason"},
		{"denied", fail(fmt.Errorf("you may not edit: %w", kaijutsu.ErrDenied)), kaijutsu.ErrDenied, "you may not edit"},
		{"unknown address", fail(fmt.Errorf("context \"planning\" %w; did you mean \"plan\"?", kaijutsu.ErrNotFound)), kaijutsu.ErrNotFound, "did you mean \"plan\"?"},
		{"ambiguous address", fail(fmt.Errorf("two are called planning: %w", kaijutsu.ErrConflict)), kaijutsu.ErrConflict, "two are called planning"},
		{"invalid", fail(fmt.Errorf("content: odd: %w", kaijutsu.ErrInvalid)), kaijutsu.ErrInvalid, "odd"},
		{"too large", fail(fmt.Errorf("that much: %w", kaijutsu.ErrTooLarge)), kaijutsu.ErrTooLarge, "that much"},
		{"unavailable", fail(fmt.Errorf("the disk is full: %w", kaijutsu.ErrUnavailable)), kaijutsu.ErrUnavailable, "the disk is full"},
		{"internal", fail(errors.New("secret detail")), kaijutsu.ErrUnavailable, "internal error"},
		{"another state", state("eaten", ""), kaijutsu.ErrUnavailable, "eaten"},
		{"no block", func(link.Offer) (link.Answer, error) { return link.Answer{Kernel: "away", State: link.Delivered}, nil }, kaijutsu.ErrUnavailable, "without a block"},
		{"another kernel", func(link.Offer) (link.Answer, error) { return link.Answer{Kernel: "third", State: link.Delivered}, nil }, kaijutsu.ErrUnavailable, `kernel "third"`},
		{"a long reason", state(link.Refused, strings.Repeat("é", 3000)), kaijutsu.ErrDenied, "éé…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := serve(t, "away", kaijutsu.RightEdit, tt.answer)
			l, _, log := open(t, t.TempDir(), nil)
			set(t, l, "away", o.URL)
			r, err := l.Offer(t.Context(), "away", item())
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Fatalf("error = %v, want %v", err, tt.want)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.words) || strings.Contains(err.Error(), secret) || len(err.Error()) > 1500) {
				t.Errorf("error = %q, want it to say %q in few words, without the token", err, tt.words)
			}
			if want := map[string]drift.State{"delivered": drift.StateDelivered, "held": drift.StateHeld}[tt.name]; r.State != want {
				t.Errorf("state = %q, want %q", r.State, want)
			}
			if strings.Contains(log.String(), secret) {
				t.Errorf("the log has the token: %s", log)
			}
		})
	}
}

func TestServersThatAreNoKernel(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect was followed, with Authorization %q", r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	write := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	tests := []struct {
		name  string
		f     http.HandlerFunc
		want  error
		words string
	}{
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, kaijutsu.ErrUnavailable, "sends on to"},
		{"a page", write(200, "<html>"), kaijutsu.ErrUnavailable, "newer server"},
		{"an error page", write(502, "<html>"), kaijutsu.ErrUnavailable, "status 502"},
		{"another error", write(404, `{"error":"nope"}`), kaijutsu.ErrUnavailable, "status 404"},
		{"not ours", write(401, ``), kaijutsu.ErrUnavailable, "does not say which kernel it is"},
		{"another kernel", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(link.KernelHeader, "third\u202e")
			w.WriteHeader(401)
		}, kaijutsu.ErrUnavailable, `is kernel "third" and not "away"`},
		{"ours, with another token", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(link.KernelHeader, "away")
			w.WriteHeader(401)
		}, kaijutsu.ErrDenied, "set the link anew"},
		{"slow down", write(429, `{"error":{"kind":"denied","message":"too many"}}`), kaijutsu.ErrUnavailable, "too many"},
		{"a flood", func(w http.ResponseWriter, _ *http.Request) { w.Write(bytes.Repeat([]byte(" "), 2<<20)) }, kaijutsu.ErrUnavailable, "more than"},
		{"silence", func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // else nobody sees that the client has gone
			<-r.Context().Done()
		}, kaijutsu.ErrUnavailable, "does not answer"},
		{"an end", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, kaijutsu.ErrUnavailable, "does not answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ready := serve(t, "away", kaijutsu.RightEdit, delivered).Config.Handler
			var mu sync.Mutex
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				h := ready
				mu.Unlock()
				h.ServeHTTP(w, r)
			}))
			t.Cleanup(s.Close)
			l, _, _ := open(t, t.TempDir(), func(c *link.Config) { c.Timeout = 200 * time.Millisecond })
			set(t, l, "away", s.URL) // it was one when the link was set
			mu.Lock()
			ready = tt.f
			mu.Unlock()
			_, err := l.Offer(t.Context(), "away", item())
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.words) || strings.Contains(err.Error(), secret) {
				t.Errorf("error = %v, want %v that says %q", err, tt.want, tt.words)
			}
		})
	}
}

func TestALinkToTheWrongKernel(t *testing.T) {
	o := serve(t, "third", kaijutsu.RightEdit, delivered)
	l, _, _ := open(t, t.TempDir(), nil)
	_, err := l.Set(t.Context(), owner, link.Link{Kernel: "away", URL: o.URL, Token: secret})
	if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), `is kernel "third" and not "away"`) {
		t.Errorf("setting it: %v, want ErrConflict that names both", err)
	}
	if l.Knows("away") {
		t.Error("the refused link is there")
	}
	_, err = l.Set(t.Context(), owner, link.Link{Kernel: "third", URL: o.URL, Token: "wrong"})
	if !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("setting it with a wrong token: %v, want ErrDenied", err)
	}
	// A server that is away when the link is set is found out when it is used.
	late := httptest.NewUnstartedServer(o.Config.Handler)
	url := "http://" + late.Listener.Addr().String()
	late.Listener.Close()
	set(t, l, "away", url)
	if _, err := l.Offer(t.Context(), "away", item()); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("offer to a server that is away: %v, want ErrUnavailable", err)
	}
}

// TestAStrangerAtTheAddress has another server take the place of the one that a
// link leads to: it hears neither the token nor the drift, and the drift is for
// trying later.
func TestAStrangerAtTheAddress(t *testing.T) {
	for name, says := range map[string]string{"another kernel": "other", "something else": ""} {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(1_700_000_000, 0)
			l, _, _ := open(t, t.TempDir(), func(c *link.Config) { c.Now = func() time.Time { return now } })
			ready := serve(t, "away", kaijutsu.RightEdit, delivered).Config.Handler
			var mu sync.Mutex
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				h := ready
				mu.Unlock()
				h.ServeHTTP(w, r)
			}))
			t.Cleanup(s.Close)
			set(t, l, "away", s.URL)
			now = now.Add(20 * time.Second)
			mu.Lock()
			ready = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if said, _ := io.ReadAll(r.Body); r.Header.Get("Authorization") != "" || len(said) > 0 {
					t.Errorf("%s %s tells a stranger %q, %q", r.Method, r.URL.Path, r.Header.Get("Authorization"), said)
				}
				w.Header().Set(link.KernelHeader, says)
				w.WriteHeader(http.StatusUnauthorized)
			})
			mu.Unlock()
			for range 2 {
				if _, err := l.Offer(t.Context(), "away", item()); !errors.Is(err, kaijutsu.ErrUnavailable) || errors.Is(err, kaijutsu.ErrDenied) || !strings.Contains(err.Error(), "kernel") {
					t.Errorf("error = %v, want ErrUnavailable that says who is there", err)
				}
			}
		})
	}
}

func TestIdentityIsAskedNowAndThen(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	l, _, _ := open(t, t.TempDir(), func(c *link.Config) { c.Now = func() time.Time { return now } })
	o := serve(t, "away", kaijutsu.RightEdit, delivered)
	set(t, l, "away", o.URL)
	for range 3 {
		if _, err := l.Offer(t.Context(), "away", item()); err != nil {
			t.Fatal(err)
		}
	}
	if o.asked != 1 {
		t.Errorf("the status was asked for %d times, want once", o.asked)
	}
	now = now.Add(2 * time.Minute)
	if _, err := l.Offer(t.Context(), "away", item()); err != nil {
		t.Fatal(err)
	}
	if o.asked != 2 {
		t.Errorf("two minutes later it was asked for %d times, want twice", o.asked)
	}
	// A token that may not see the status may offer: the offer names the kernel.
	blind := serve(t, "blind", kaijutsu.RightNone, delivered)
	set(t, l, "blind", blind.URL)
	if _, err := l.Offer(t.Context(), "blind", item()); err != nil && !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("offer by a token without the status: %v", err)
	}
}

func TestResolve(t *testing.T) {
	o := serve(t, "away", kaijutsu.RightRead, delivered)
	l, _, _ := open(t, t.TempDir(), nil)
	set(t, l, "away", o.URL)
	h := drift.Handle{Kernel: "away", Context: doc.Name(), Block: kaijutsu.NewContextID(time.Unix(1_700_000_001, 0)).String(), First: 1, Last: 2}
	got, err := l.Resolve(t.Context(), "away", h.String())
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Handle, Text string }
	if err := json.Unmarshal(got, &out); err != nil {
		t.Fatal(err)
	}
	h.Kernel = ""
	if out.Text != "as it was" || out.Handle != h.String() {
		t.Errorf("resolved %+v, want the text of %s", out, h)
	}
	h.Kernel = "third"
	if _, err := l.Resolve(t.Context(), "away", h.String()); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("a handle of another kernel: %v, want ErrInvalid", err)
	}
	if _, err := l.Resolve(t.Context(), "nobody", h.String()); !errors.Is(err, kaijutsu.ErrNotFound) || !strings.Contains(err.Error(), "away") {
		t.Errorf("a kernel without a link: %v, want ErrNotFound that names away", err)
	}
}
