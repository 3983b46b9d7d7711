package limit

import (
	"fmt"
	"strings"
	"time"

	"kaijutsu"
)

// Exceeded says that a limit was passed.
type Exceeded struct {
	Rule
	Key   string        // for whom it is counted
	Value int64         // of the limit, when it was passed
	After time.Duration // when it makes sense to try again; 0: not by waiting
}

// Error says which limit it is, and what to do.
func (e *Exceeded) Error() string {
	var b strings.Builder
	switch e.Kind {
	case Rate:
		fmt.Fprintf(&b, "too many %s: at most %d in a %s", e.What, e.Value, Unit(e.Per))
	case Count:
		fmt.Fprintf(&b, "too many %s: at most %d at a time", e.What, e.Value)
	default:
		fmt.Fprintf(&b, "too many %s: at most %d", e.What, e.Value)
	}
	if e.Scope != ByServer {
		fmt.Fprintf(&b, " for one %s", e.Scope)
	}
	if e.After > 0 {
		fmt.Fprintf(&b, ": %v: wait %v, then try again", e.Unwrap(), e.After.Round(time.Second))
	} else {
		fmt.Fprintf(&b, ": %v", e.Unwrap())
	}
	fmt.Fprintf(&b, " (limit %s: kj limit ls shows it, and an owner of the kernel can change it)", e.Name)
	return b.String()
}

// Unit returns the word for the time that a rate is of.
func Unit(d time.Duration) string {
	switch d {
	case time.Second:
		return "second"
	case time.Hour:
		return "hour"
	}
	return d.String()
}

// Unwrap returns the kind: kaijutsu.ErrUnavailable when waiting helps,
// kaijutsu.ErrTooLarge when it does not.
func (e *Exceeded) Unwrap() error {
	if e.Kind == Quota {
		return kaijutsu.ErrTooLarge
	}
	return kaijutsu.ErrUnavailable
}

// RetryAfter returns when it makes sense to try again; 0 is not by waiting. Doors
// tell it to their callers.
func (e *Exceeded) RetryAfter() time.Duration { return e.After }
