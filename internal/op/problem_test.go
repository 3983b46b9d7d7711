package op

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"kaijutsu"
)

func TestProblemOf(t *testing.T) {
	field := &FieldError{Field: "size", Reason: "10: at most 9", Hint: "take less"}
	for _, tt := range []struct {
		name string
		err  error
		want Problem
	}{
		{"not found", fmt.Errorf("block b1: %w", kaijutsu.ErrNotFound), Problem{Kind: "not_found", Message: "block b1: not found", Status: 404, Exit: 66}},
		{"invalid", kaijutsu.ErrInvalid, Problem{Kind: "invalid", Message: "invalid", Status: 400, Exit: 64}},
		{"conflict", kaijutsu.ErrConflict, Problem{Kind: "conflict", Message: "conflict", Status: 409, Exit: 73}},
		{"denied", kaijutsu.ErrDenied, Problem{Kind: "denied", Message: "denied", Status: 403, Exit: 77}},
		{"too large", kaijutsu.ErrTooLarge, Problem{Kind: "too_large", Message: "too large", Status: 413, Exit: 65}},
		{"unavailable", kaijutsu.ErrUnavailable, Problem{Kind: "unavailable", Message: "unavailable", Status: 503, Exit: 69}},
		{"a field", fmt.Errorf("step 2: %w", field), Problem{Kind: "invalid", Message: "step 2: size: 10: at most 9; take less", Field: "size", Hint: "take less", Status: 400, Exit: 64}},
		{"several kinds", fmt.Errorf("%w: %w", kaijutsu.ErrUnavailable, kaijutsu.ErrDenied), Problem{Kind: "denied", Message: "unavailable", Status: 403, Exit: 77}},
		{"anything else", errors.New("open /secret: no"), Problem{Kind: "internal", Message: "internal error", Status: 500, Exit: 70}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ProblemOf(tt.err)
			if got != tt.want {
				t.Errorf("ProblemOf(%v) = %+v, want %+v", tt.err, got, tt.want)
			}
			back := ProblemOf(got.Err())
			if back.Kind != got.Kind || back.Message != got.Message && got.Kind != KindInternal {
				t.Errorf("the problem of %v came back as %+v", got.Err(), back)
			}
		})
	}
}

func TestInternalErrorsShowAReferenceOnly(t *testing.T) {
	p := ProblemOf(fmt.Errorf("toy: %w", newInternal(errors.New("a secret"))))
	if p.Kind != KindInternal || p.Ref == "" || p.Message != "internal error (ref "+p.Ref+")" {
		t.Errorf("the problem is %+v, want one with a reference and nothing else", p)
	}
	b, err := json.Marshal(p)
	if want := `{"kind":"internal","message":"` + p.Message + `","ref":"` + p.Ref + `"}`; err != nil || string(b) != want {
		t.Errorf("as JSON it is %s, %v, want %s", b, err, want)
	}
}
