package amfile

import (
	"errors"
	"testing"

	"kaijutsu"
)

// wantRule demands that err is a RuleError for the rule.
func wantRule(t *testing.T, err error, rule int) {
	t.Helper()
	var broken *RuleError
	if !errors.As(err, &broken) || broken.Rule != rule {
		t.Errorf("error = %v, want rule %d", err, rule)
	}
	if err != nil && !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("error = %v, want ErrInvalid or ErrTooLarge", err)
	}
}
