package op

import (
	"context"
	"strings"
	"testing"
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
