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
	kind   error  // the sentinel it wraps
}

// Error names the rule and the reason.
func (e *RuleError) Error() string {
	return fmt.Sprintf("rule %d: %s: %v", e.Rule, e.Reason, e.kind)
}

// Unwrap returns kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge.
func (e *RuleError) Unwrap() error { return e.kind }

// broken returns the error of a rule that the input breaks.
func broken(rule int, format string, args ...any) *RuleError {
	return &RuleError{rule, fmt.Sprintf(format, args...), kaijutsu.ErrInvalid}
}

// tooLarge returns the error of a limit that the input passes.
func tooLarge(rule int, format string, args ...any) *RuleError {
	return &RuleError{rule, fmt.Sprintf(format, args...), kaijutsu.ErrTooLarge}
}

// at returns err with where put before its reason.
func at(where string, err error) error {
	var rule *RuleError
	if errors.As(err, &rule) {
		return &RuleError{rule.Rule, where + ": " + rule.Reason, rule.kind}
	}
	return err
}
