package kaijutsu

import "errors"

// The error kinds that callers and doors branch on. Packages wrap them with
// what was being done: fmt.Errorf("load document %s: %w", id, err).
var (
	// ErrNotFound says that the named thing does not exist.
	ErrNotFound = errors.New("not found")
	// ErrInvalid says that the input breaks a rule; repeating it cannot help.
	ErrInvalid = errors.New("invalid")
	// ErrConflict says that the input is well formed but clashes with what is there.
	ErrConflict = errors.New("conflict")
	// ErrDenied says that the principal may not do this.
	ErrDenied = errors.New("denied")
	// ErrTooLarge says that a limit on size or count was passed.
	ErrTooLarge = errors.New("too large")
	// ErrUnavailable says that the server cannot do this now; trying later may help.
	ErrUnavailable = errors.New("unavailable")
)
