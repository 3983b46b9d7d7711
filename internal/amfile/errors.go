package amfile

import (
	"errors"
	"fmt"

	"kaijutsu"
)

// RuleError says which rule of the list in the package comment a chunk, a
// change or a sync message breaks. It wraps kaijutsu.ErrInvalid, or
// kaijutsu.ErrTooLarge when a limit was passed.
type RuleError struct {
	Rule   int    // number of the rule
	Reason string // what is wrong, for people
	// Awaits is set when the change would pass if this operation, unknown so
	// far, were a mark: see Past.Op.
	Awaits GlobalID
	kind   error // the sentinel it wraps
}

// Error names the rule and the reason.
func (e *RuleError) Error() string {
	return fmt.Sprintf("rule %d: %s: %v", e.Rule, e.Reason, e.kind)
}

// Unwrap returns kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge.
func (e *RuleError) Unwrap() error { return e.kind }

// broken returns the error of a rule that the input breaks.
func broken(rule int, format string, args ...any) *RuleError {
	return &RuleError{Rule: rule, Reason: fmt.Sprintf(format, args...), kind: kaijutsu.ErrInvalid}
}

// tooLarge returns the error of a limit that the input passes.
func tooLarge(rule int, format string, args ...any) *RuleError {
	return &RuleError{Rule: rule, Reason: fmt.Sprintf(format, args...), kind: kaijutsu.ErrTooLarge}
}

// at returns err with where put before its reason.
func at(where string, err error) error {
	var rule *RuleError
	if errors.As(err, &rule) {
		there := *rule
		there.Reason = where + ": " + rule.Reason
		return &there
	}
	return err
}
