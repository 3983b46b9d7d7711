package search

import (
	"context"
	"errors"
	"strings"
	"testing"

	"kaijutsu"
)

func TestExpressionsAreBounded(t *testing.T) {
	for pattern, want := range map[string]error{
		"needle":                  nil,
		"(foo|bar)+[a-z]{2,8}$":   nil,
		`\p{L}{1,40}`:             nil,
		"((a{0,30}){0,30}){1,1}b": nil,
		"((a{0,30}){0,30}){1,1}(b{30}){30}c{300}": kaijutsu.ErrTooLarge,
		"(a{1000}){1000}":                         kaijutsu.ErrInvalid,
		"(((((ab){1000})?)?)?)?":                  kaijutsu.ErrTooLarge,
	} {
		if _, err := Compile(pattern); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("Compile(%q) = %v, want %v", pattern, err, want)
		}
	}
}

func TestALongLineIsGivenUp(t *testing.T) {
	m, err := Compile("((a{0,30}){0,30})b")
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("a", 1<<20)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	own := held(t)
	if _, err := m.first(ctx, own, []byte(line)); !errors.Is(err, context.Canceled) {
		t.Errorf("first = %v, want that the context ended", err)
	}
	if _, _, err := m.Occurrences(t.Context(), line, 10); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("Occurrences = %v, want too large", err)
	}
	simple, err := Compile("a$")
	if err != nil {
		t.Fatal(err)
	}
	at, err := simple.first(t.Context(), own, []byte(strings.Repeat("a", plainSteps)))
	if err != nil || len(at) != 2 || at[1] != plainSteps {
		t.Errorf("first = %v, %v", at, err)
	}
}

// held returns a turn that is given back when the test ends.
func held(t *testing.T) *turn {
	t.Helper()
	var held turn
	if err := held.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(held.give)
	return &held
}

func TestOccurrencesOfALongLineAreNotAll(t *testing.T) {
	line := strings.Repeat("ab", 1<<22)
	found, more, err := Literal("a").Occurrences(t.Context(), line, 1000)
	if err != nil || !more || len(found) == 0 || len(found) > 1000 {
		t.Errorf("Occurrences = %d, %v, %v, want some and more", len(found), more, err)
	}
	found, more, err = Literal("a").Occurrences(t.Context(), "banana", 3)
	if err != nil || more || len(found) != 3 {
		t.Errorf("Occurrences = %v, %v, %v, want 3 and no more", found, more, err)
	}
}
