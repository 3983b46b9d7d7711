package httpdoor

import (
	"fmt"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// tooOften is an error that says when to come again.
type tooOften struct{ error }

func (e tooOften) Unwrap() error           { return e.error }
func (tooOften) RetryAfter() time.Duration { return 1500 * time.Millisecond }

func TestWhoCallsTooOften(t *testing.T) {
	calls := 0
	admit := func(c op.Call, spec *op.Spec) error {
		if calls++; calls > 1 {
			return tooOften{fmt.Errorf("too many %s: %w", spec.Name, kaijutsu.ErrUnavailable)}
		}
		return nil
	}
	server := serve(t, Config{Log: quiet, Set: new(notes).set(op.Gates{Admit: admit})})
	if resp, body := ask(t, server, "POST", "/v1/ops/note_read", `{"note_id":"a"}`); resp.StatusCode != 404 {
		t.Errorf("the first call: %d %s", resp.StatusCode, body)
	}
	resp, body := ask(t, server, "POST", "/v1/ops/note_read", `{"note_id":"a"}`)
	want := `{"error":{"kind":"unavailable","message":"note_read: too many note_read","retry_after":2}}`
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "2" || body != want {
		t.Errorf("the second call: %d, Retry-After %q, %s; want 429, 2, %s", resp.StatusCode, resp.Header.Get("Retry-After"), body, want)
	}
}
