package guard_test

import (
	"errors"
	"log/slog"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/halt"
)

var discard = slog.New(slog.DiscardHandler)

// TestDo returns what a panic means, and counts it.
func TestDo(t *testing.T) {
	before := guard.Counts()["work"]
	err := guard.Do("work", func() error { panic("a mistake") })
	var failed *guard.Failure
	if !errors.As(err, &failed) || failed.Value != "a mistake" || failed.Stopped != nil || !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Do = %v, want a Failure that wraps ErrUnavailable", err)
	}
	var flag halt.Flag
	flag.Raise(halt.Stopped{Memory: true, Why: "too much"})
	err = guard.Do("work", func() error { flag.Check(); return nil })
	if !errors.As(err, &failed) || failed.Stopped == nil || !failed.Stopped.Memory {
		t.Errorf("Do of what is stopped = %v, want a Failure that says so", err)
	}
	if got := guard.Counts()["work"] - before; got != 2 {
		t.Errorf("%d panics counted, want 2", got)
	}
}

// TestKeep runs what panics again, and not what returns.
func TestKeep(t *testing.T) {
	runs := 0
	guard.Keep(discard, "keeper", nil, func() {
		if runs++; runs < 3 {
			panic("again")
		}
	})()
	if runs != 3 {
		t.Errorf("it ran %d times, want 3", runs)
	}
	done := make(chan struct{})
	close(done)
	guard.Keep(discard, "keeper", done, func() { panic("again") })() // which returns
}
