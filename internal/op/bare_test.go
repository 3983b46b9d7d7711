package op

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
)

func TestAnOperationWithoutParameters(t *testing.T) {
	o := Define(Spec{Name: "thing_count", Summary: "Count them"}, func(context.Context, Call, struct{}) (struct{}, error) {
		return struct{}{}, nil
	})
	if _, err := o.check([]byte(`{}`)); err != nil {
		t.Errorf("check({}) = %v, want nothing", err)
	}
	_, err := o.check([]byte(`{"colour":1}`))
	if p := ProblemOf(err); p.Kind != "invalid" || p.Field != "colour" || !strings.Contains(p.Message, "there is no such parameter; there are none") {
		t.Errorf("check({colour}) = %+v, want a problem that names colour", p)
	}
}

func TestAProblemDoesNotSayItsKindTwice(t *testing.T) {
	tests := []struct{ err, want string }{
		{"text of 50001 characters: at most 50000 at a time: %w", "text of 50001 characters: at most 50000 at a time"},
		{"%w", kaijutsu.ErrTooLarge.Error()},
		{"text: %w: cut it", "text: " + kaijutsu.ErrTooLarge.Error() + ": cut it"},
		{"expected:\nx\nactual:\ny: %w", "expected:\nx\nactual:\ny: " + kaijutsu.ErrTooLarge.Error()},
	}
	for _, tt := range tests {
		if got := ProblemOf(fmt.Errorf(tt.err, kaijutsu.ErrTooLarge)).Message; got != tt.want {
			t.Errorf("message of %q = %q, want %q", tt.err, got, tt.want)
		}
	}
}
