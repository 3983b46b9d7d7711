package op

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"kaijutsu"
)

// Problem is an error as doors show it.
type Problem struct {
	// Kind is not_found, invalid, conflict, denied, too_large, unavailable or
	// internal.
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Field is the parameter that is wrong, when one is.
	Field string `json:"field,omitempty"`
	// Hint says what to do, when there is more to say than the message does.
	Hint string `json:"hint,omitempty"`
	// Ref finds an internal error in the log.
	Ref string `json:"ref,omitempty"`
	// RetryAfter is in how many seconds it makes sense to try again, when that is
	// known.
	RetryAfter int `json:"retry_after,omitempty"`
	// Status is the HTTP status of the kind; 429 when it is a limit on how much
	// somebody may ask for in a time.
	Status int `json:"-"`
	// Exit is the exit status of a command that ends with it.
	Exit int `json:"-"`
}

// KindInternal is the kind of what nobody outside can mend.
const KindInternal = "internal"

// problems maps the error sentinels; the first that fits counts.
var problems = []struct {
	err    error
	kind   string
	status int
	exit   int
}{
	{kaijutsu.ErrDenied, "denied", http.StatusForbidden, 77},
	{kaijutsu.ErrNotFound, "not_found", http.StatusNotFound, 66},
	{kaijutsu.ErrConflict, "conflict", http.StatusConflict, 73},
	{kaijutsu.ErrTooLarge, "too_large", http.StatusRequestEntityTooLarge, 65},
	{kaijutsu.ErrInvalid, "invalid", http.StatusBadRequest, 64},
	{kaijutsu.ErrUnavailable, "unavailable", http.StatusServiceUnavailable, 69},
}

// internalError is an error that was logged under a reference.
type internalError struct {
	ref string
	err error
}

func (e *internalError) Error() string { return "internal error (ref " + e.ref + ")" }

// newInternal gives an error a reference.
func newInternal(err error) *internalError {
	var b [4]byte
	rand.Read(b[:])
	return &internalError{hex.EncodeToString(b[:]), err}
}

// ProblemOf returns an error as doors show it. What is of none of the six
// kinds is internal: its text stays inside.
func ProblemOf(err error) Problem {
	var inner *internalError
	if errors.As(err, &inner) {
		return Problem{Kind: KindInternal, Message: inner.Error(), Ref: inner.ref, Status: http.StatusInternalServerError, Exit: 70}
	}
	for _, p := range problems {
		if !errors.Is(err, p.err) {
			continue
		}
		out := Problem{Kind: p.kind, Message: withoutKind(err.Error(), p.err), Status: p.status, Exit: p.exit}
		out.Field = fieldOf(err)
		var field *FieldError
		if errors.As(err, &field) {
			out.Hint = field.Hint
		}
		var later interface{ RetryAfter() time.Duration }
		if errors.As(err, &later) && later.RetryAfter() > 0 {
			out.Status, out.RetryAfter = http.StatusTooManyRequests, int((later.RetryAfter()+time.Second-1)/time.Second)
		}
		return out
	}
	return Problem{Kind: KindInternal, Message: "internal error", Status: http.StatusInternalServerError, Exit: 70}
}

// withoutKind takes the kind off the end of a line that says it once more. That
// something is not found is the end of a sentence, and stays; so does what
// stands at the end of several lines, which quote.
func withoutKind(message string, kind error) string {
	if kind == kaijutsu.ErrNotFound || strings.Contains(message, "\n") {
		return message
	}
	if short := strings.TrimSuffix(message, ": "+kind.Error()); short != "" {
		return short
	}
	return message
}

// Err returns the problem as an error that wraps the sentinel of its kind: what
// a client makes of an answer.
func (p Problem) Err() error { return &problemError{p} }

type problemError struct{ p Problem }

func (e *problemError) Error() string { return e.p.Message }

func (e *problemError) Unwrap() error {
	for _, k := range problems {
		if k.kind == e.p.Kind {
			return k.err
		}
	}
	return nil
}
