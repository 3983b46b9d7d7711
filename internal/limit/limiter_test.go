package limit

import (
	"errors"
	"strings"
	"testing"
	"time"

	"kaijutsu"
)

// clock is a time that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }
func newClock() *clock                { return &clock{time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)} }
func limiter(t *testing.T, c *clock, set ...string) *Limiter {
	t.Helper()
	values := make(map[Name]int64)
	for _, text := range set {
		name, n, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		values[name] = n
	}
	l, err := New(values, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEveryRuleIsWhole(t *testing.T) {
	seen := make(map[Name]bool)
	for _, r := range Rules() {
		if seen[r.Name] || r.Name == "" || r.Scope == "" || r.What == "" || r.Then == "" || r.Default <= 0 {
			t.Errorf("rule %+v is not whole, or there twice", r)
		}
		seen[r.Name] = true
		if (r.Kind == Rate) != (r.Per > 0 && r.Burst > 0) {
			t.Errorf("rule %s of kind %s has the times %v and %v", r.Name, r.Kind, r.Per, r.Burst)
		}
	}
}

func TestARateThatRefuses(t *testing.T) {
	c := newClock()
	l := limiter(t, c, "operations-per-second=10") // 50 at once
	for i := range 50 {
		if err := l.Allow(Operations, "amy", 1); err != nil {
			t.Fatalf("operation %d: %v", i+1, err)
		}
	}
	err := l.Allow(Operations, "amy", 1)
	var e *Exceeded
	if !errors.As(err, &e) || !errors.Is(err, kaijutsu.ErrUnavailable) || e.RetryAfter() != time.Second {
		t.Fatalf("the 51st: %v, want an Exceeded that waits a second", err)
	}
	for _, want := range []string{"10 in a second", "for one principal", "operations-per-second", "kj limit"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if err := l.Allow(Operations, "ben", 1); err != nil {
		t.Errorf("somebody else is refused: %v", err)
	}
	c.pass(100 * time.Millisecond)
	if err := l.Allow(Operations, "amy", 1); err != nil {
		t.Errorf("a tenth of a second later: %v", err)
	}
	if err := l.Allow(Operations, "amy", 1); err == nil {
		t.Error("two in a tenth of a second were admitted")
	}
	row, err := l.Find(Operations)
	if err != nil || row.Hits != 2 || row.InUse != 2 {
		t.Errorf("Find = %+v, %v; want 2 hits, in use by 2", row, err)
	}
}

func TestARateThatSlows(t *testing.T) {
	c := newClock()
	l := limiter(t, c, "principal-changes-per-second=100") // 1,000 at once
	one, two := l.Bucket(PrincipalChanges, "amy"), l.Bucket(PrincipalChanges, "amy")
	defer one.Close()
	defer two.Close()
	steps := []struct {
		name string
		pass time.Duration
		from *Bucket
		n    int
		want time.Duration
	}{
		{"what is there", 0, one, 1000, 0},
		{"a hundred more", 0, one, 100, time.Second},
		{"the same bucket", 0, two, 100, 2 * time.Second},
		{"after the debt", 2 * time.Second, one, 1, 10 * time.Millisecond},
		{"more than the bucket holds", time.Minute, one, 5000, 40 * time.Second},
		{"none", 0, one, 0, 0},
	}
	for _, s := range steps {
		c.pass(s.pass)
		if got := s.from.Take(s.n).Round(time.Millisecond); got != s.want {
			t.Errorf("%s: wait %v, want %v", s.name, got, s.want)
		}
	}
}

func TestSetCountsAtOnce(t *testing.T) {
	c := newClock()
	l := limiter(t, c)
	own, shared := l.Own(Messages), l.Bucket(PrincipalMessages, "amy")
	defer shared.Close()
	for name, b := range map[Name]*Bucket{Messages: own, PrincipalMessages: shared} {
		if err := l.Set(name, 1); err != nil { // 5 at once
			t.Fatal(err)
		}
		b.Take(100_000)
		if got := b.Take(1); got < time.Second {
			t.Errorf("%s of 1: wait %v, want seconds", name, got)
		}
		if err := l.Set(name, 0); err != nil {
			t.Fatal(err)
		}
		if got := b.Take(1 << 40); got != 0 {
			t.Errorf("%s of none: wait %v", name, got)
		}
	}
	if err := l.Set("messages", 1); !errors.Is(err, kaijutsu.ErrNotFound) || !strings.Contains(err.Error(), string(Messages)) {
		t.Errorf("Set(messages) = %v, want what there is", err)
	}
	if err := l.Set(Messages, -1); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("Set(-1) = %v", err)
	}
}

func TestCountsAndQuotas(t *testing.T) {
	l := limiter(t, newClock(), "principal-streams=2", "document-bytes=1MiB")
	leave, err := l.Enter(Streams, "amy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Enter(Streams, "amy"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Enter(Streams, "amy"); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("the third place: %v", err)
	}
	leave()
	leave() // once
	if _, err := l.Enter(Streams, "amy"); err != nil {
		t.Errorf("a place that was given back: %v", err)
	}
	if _, err := l.Enter(Streams, "amy"); err == nil {
		t.Error("a place was given back twice")
	}
	if err := l.Check(DocumentBytes, "doc", 1<<20-10, 10); err != nil {
		t.Errorf("just below: %v", err)
	}
	err = l.Check(DocumentBytes, "doc", 1<<20-10, 11)
	var e *Exceeded
	if !errors.Is(err, kaijutsu.ErrTooLarge) || !errors.As(err, &e) || e.RetryAfter() != 0 {
		t.Errorf("just above: %v, want too large, and that waiting does not help", err)
	}
}

// TestBucketsAreForgotten opens as many as strangers may name.
func TestBucketsAreForgotten(t *testing.T) {
	c := newClock()
	l := limiter(t, c, "operations-per-second=1")
	for i := range 10 * sweepFrom {
		_ = l.Allow(Operations, string(rune(i)), 1)
		c.pass(time.Second)
	}
	if n := len(l.buckets); n > 2*sweepFrom {
		t.Errorf("%d buckets are kept", n)
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64
		err  error
	}{
		{"connections=100", 100, nil},
		{"connections=10k", 10_000, nil},
		{"change-bytes=64MiB", 64 << 20, nil},
		{"document-bytes=2GiB", 2 << 30, nil},
		{"document-bytes=16KiB", 16 << 10, nil},
		{"document-actors=1M", 1_000_000, nil},
		{"connections=none", 0, nil},
		{"connections", 0, kaijutsu.ErrInvalid},
		{"connections=", 0, kaijutsu.ErrInvalid},
		{"connections=-1", 0, kaijutsu.ErrInvalid},
		{"connections=1.5", 0, kaijutsu.ErrInvalid},
		{"connections=9223372036854775807k", 0, kaijutsu.ErrInvalid},
		{"connection=1", 0, kaijutsu.ErrNotFound},
	} {
		_, got, err := Parse(tt.text)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("Parse(%q) = %d, %v; want %d, %v", tt.text, got, err, tt.want, tt.err)
		}
	}
}
