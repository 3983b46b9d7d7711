package op

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"kaijutsu"
)

// aboutField is an error that knows which field it is about.
type aboutField struct {
	field string
	error
}

func (e aboutField) Field() string { return e.field }
func (e aboutField) Unwrap() error { return e.error }

func TestErrorsNameTheirParameter(t *testing.T) {
	type in struct {
		Parent string `json:"parent_id,omitempty" rule:"alias=parent"`
		Text   string `json:"text,omitempty"`
		Steps  []step `json:"steps,omitempty"`
	}
	taken := fmt.Errorf("it is taken: %w", kaijutsu.ErrConflict)
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a field error", &FieldError{Field: "steps[1].op", Reason: "is required"}, "steps[1].op"},
		{"by a method", fmt.Errorf("doing: %w", aboutField{"text", taken}), "text"},
		{"under another name", aboutField{"parent", taken}, "parent_id"},
		{"of a list", aboutField{"steps[2]", taken}, "steps[2]"},
		{"what is written", aboutField{"content", taken}, "text"},
		{"that is no parameter", aboutField{"order", taken}, ""},
		{"at the beginning", fmt.Errorf("parent_id: %w", taken), "parent_id"},
		{"nothing", taken, ""},
		{"only a word", errors.New("text"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Define(Spec{Name: "toy_fail", Summary: "Fail"}, func(context.Context, Call, in) (toyOut, error) { return toyOut{}, tt.err })
			_, err := NewSet(Gates{}, o).Call(t.Context(), Call{By: amy, Right: kaijutsu.RightOwn}, "toy_fail", json.RawMessage(`{}`))
			if got := ProblemOf(err); got.Field != tt.want {
				t.Errorf("the problem of %v names %q, want %q", tt.err, got.Field, tt.want)
			}
		})
	}
}

func TestHalfASurrogatePairIsRefused(t *testing.T) {
	for _, tt := range []struct {
		params string
		want   bool
	}{
		{`{"a":"\ud83d\ude00"}`, false},
		{`{"a":"\uD83D\uDE00\u00e9"}`, false},
		{`{"a":"\\ud83d"}`, false},
		{`{"a":"\\\ud83d"}`, true},
		{`{"a":"\ud83d"}`, true},
		{`{"a":"\ud83dx"}`, true},
		{`{"a":"\ud83d\ud83d\ude00"}`, true},
		{`{"a":"\ude00"}`, true},
		{`{"\udc00":1}`, true},
		{`{"a":"\`, false},
		{`{"a":"\ud8`, false},
		{`{}`, false},
	} {
		if got := loneSurrogate([]byte(tt.params)); got != tt.want {
			t.Errorf("loneSurrogate(%s) = %v, want %v", tt.params, got, tt.want)
		}
	}
}
