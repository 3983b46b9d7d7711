package wire

import (
	"errors"
	"fmt"

	"kaijutsu"
)

// ErrNotCBOR says that a frame is not one well-formed CBOR data item within
// the limits on nesting and counts. It wraps kaijutsu.ErrInvalid.
var ErrNotCBOR = fmt.Errorf("not one CBOR data item: %w", kaijutsu.ErrInvalid)

// errAbsent is the cause when a required field is missing, null or undefined.
var errAbsent = fmt.Errorf("missing: %w", kaijutsu.ErrInvalid)

// MessageError says that a frame is CBOR and still no valid message: not a map,
// or a field that is missing, of the wrong type or too large. It wraps
// kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge.
type MessageError struct {
	// Type is the type of the message; empty when that cannot be told.
	Type string
	// Field is the field at fault; empty when the frame is not a map.
	Field string
	Err   error
}

// Error names the type, the field and the cause.
func (e *MessageError) Error() string {
	switch {
	case e.Field == "":
		return e.Err.Error()
	case e.Type == "":
		return fmt.Sprintf("field %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("%s message: field %s: %v", e.Type, e.Field, e.Err)
}

// Unwrap returns the cause.
func (e *MessageError) Unwrap() error { return e.Err }

// badType says what a field should have been.
func badType(want string) error {
	return fmt.Errorf("not %s: %w", want, kaijutsu.ErrInvalid)
}

// tooLong says which limit a field passed.
func tooLong(got, limit int, unit string) error {
	return fmt.Errorf("%d %s, limit is %d: %w", got, unit, limit, kaijutsu.ErrTooLarge)
}

// IsJoin reports whether err is about a join message, which a server answers
// with the reason where it would ignore another message.
func IsJoin(err error) bool {
	var bad *MessageError
	return errors.As(err, &bad) && bad.Type == typeJoin
}
