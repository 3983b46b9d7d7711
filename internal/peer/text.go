package peer

import (
	"errors"
	"time"
	"unicode/utf8"

	"kaijutsu"
)

// maxReasonBytes is what a close frame holds besides its code (RFC 6455 §5.5).
const maxReasonBytes = 123

// tell returns what a peer may know of an error: the reason when the fault is
// its own, no more than that there is trouble when the fault is ours.
func tell(err error) string {
	var later interface{ RetryAfter() time.Duration }
	if errors.As(err, &later) { // a limit
		return err.Error()
	}
	for _, own := range []error{kaijutsu.ErrInvalid, kaijutsu.ErrConflict, kaijutsu.ErrTooLarge, kaijutsu.ErrDenied, kaijutsu.ErrNotFound} {
		if errors.Is(err, own) {
			return err.Error()
		}
	}
	return "the server cannot do this now; what you have is kept by your client and sent again when it reconnects"
}

// clip cuts a text to at most limit bytes, at a character.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
