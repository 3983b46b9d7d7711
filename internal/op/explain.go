package op

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"kaijutsu"
)

// FieldError says which parameter is wrong and how to mend it. It wraps
// kaijutsu.ErrInvalid.
type FieldError struct {
	Field  string // as a path: "operations[2].line"
	Reason string
	Hint   string // what to do instead; may be empty
}

// Error returns the field, the reason and the hint.
func (e *FieldError) Error() string {
	s := e.Field + ": " + e.Reason
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap returns kaijutsu.ErrInvalid.
func (e *FieldError) Unwrap() error { return kaijutsu.ErrInvalid }

// explains reports whether explain knows everything that a schema asks for.
func explains(s *jsonschema.Schema) bool {
	if s == nil {
		return true
	}
	rest := *s
	rest.Type, rest.Types, rest.Description, rest.Default, rest.PropertyOrder = "", nil, "", nil, nil
	rest.Properties, rest.Required, rest.Items, rest.Enum, rest.Pattern = nil, nil, nil, nil, ""
	rest.Minimum, rest.Maximum, rest.MinLength, rest.MaxLength, rest.MinItems, rest.MaxItems = nil, nil, nil, nil, nil, nil
	closed := reflect.DeepEqual(rest.AdditionalProperties, &jsonschema.Schema{Not: &jsonschema.Schema{}})
	if closed && s.Properties != nil {
		rest.AdditionalProperties = nil // unknown names are refused
	}
	if !reflect.DeepEqual(rest, jsonschema.Schema{}) || s.Enum != nil && s.Type != "string" {
		return false
	}
	for _, p := range s.Properties {
		if !explains(p) {
			return false
		}
	}
	return explains(s.Items)
}

// explain finds the first thing that is wrong with a value, in words.
func explain(s *jsonschema.Schema, value any, at string) error {
	if err := explainType(s, value, at); err != nil {
		return err
	}
	switch value := value.(type) {
	case map[string]any:
		return explainObject(s, value, at)
	case []any:
		return explainArray(s, value, at)
	case string:
		return explainString(s, value, at)
	case float64:
		return explainNumber(s, value, at)
	}
	return nil
}

func explainType(s *jsonschema.Schema, value any, at string) error {
	want := s.Types
	if s.Type != "" {
		want = []string{s.Type}
	}
	got := typeOf(value)
	if len(want) == 0 || slices.Contains(want, got) || got == "integer" && slices.Contains(want, "number") {
		return nil
	}
	e := &FieldError{Field: shown(at), Reason: fmt.Sprintf("want %s, got %s", article(strings.Join(want, " or ")), article(got))}
	if got == "null" {
		e.Hint = "leave it out instead"
	}
	return e
}

func article(kind string) string {
	switch {
	case kind == "null":
		return kind
	case strings.ContainsAny(kind[:1], "aio"):
		return "an " + kind
	}
	return "a " + kind
}

func typeOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if value == math.Trunc(value) {
			return "integer"
		}
	}
	return "number"
}

func explainObject(s *jsonschema.Schema, value map[string]any, at string) error {
	if s.Properties == nil && s.AdditionalProperties == nil {
		return nil // any object
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		p := s.Properties[name]
		if p == nil {
			return &FieldError{Field: shown(join(at, name)), Reason: "there is no such parameter", Hint: alternatives(name, slices.Sorted(maps.Keys(s.Properties)))}
		}
		if err := explain(p, value[name], join(at, name)); err != nil {
			return err
		}
	}
	for _, name := range s.Required {
		if _, ok := value[name]; !ok {
			e := &FieldError{Field: join(at, name), Reason: "is required"}
			if d := s.Properties[name].Description; d != "" {
				e.Reason += ": " + d
			}
			return e
		}
	}
	return nil
}

// alternatives says what an unknown name may have meant.
func alternatives(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return "there are none"
	}
	return "there are " + strings.Join(known, ", ")
}

func explainArray(s *jsonschema.Schema, value []any, at string) error {
	switch {
	case s.MinItems != nil && len(value) < *s.MinItems:
		return &FieldError{Field: shown(at), Reason: fmt.Sprintf("%d items: want at least %d", len(value), *s.MinItems)}
	case s.MaxItems != nil && len(value) > *s.MaxItems:
		return &FieldError{Field: shown(at), Reason: fmt.Sprintf("%d items: at most %d", len(value), *s.MaxItems)}
	case s.Items == nil:
		return nil
	}
	for i, item := range value {
		if err := explain(s.Items, item, fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

func explainString(s *jsonschema.Schema, value, at string) error {
	n := utf8.RuneCountInString(value)
	switch {
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, any(value)):
		words := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			words[i] = fmt.Sprint(v)
		}
		e := &FieldError{Field: shown(at), Reason: fmt.Sprintf("%.64q: want %s", value, orList(words))}
		if near := Nearest(value, words); near != "" {
			e.Hint = fmt.Sprintf("did you mean %q?", near)
		}
		return e
	case s.MinLength != nil && n < *s.MinLength:
		if n == 0 {
			return &FieldError{Field: shown(at), Reason: "must not be empty"}
		}
		return &FieldError{Field: shown(at), Reason: fmt.Sprintf("%d characters: want at least %d", n, *s.MinLength)}
	case s.MaxLength != nil && n > *s.MaxLength:
		return &FieldError{Field: shown(at), Reason: fmt.Sprintf("%d characters: at most %d", n, *s.MaxLength)}
	case s.Pattern != "":
		if ok, err := regexp.MatchString(s.Pattern, value); err == nil && !ok {
			return &FieldError{Field: shown(at), Reason: fmt.Sprintf("%.64q: does not match %s", value, s.Pattern), Hint: s.Description}
		}
	}
	return nil
}

func explainNumber(s *jsonschema.Schema, value float64, at string) error {
	switch {
	case s.Minimum != nil && value < *s.Minimum:
		return &FieldError{Field: shown(at), Reason: fmt.Sprintf("%v: want at least %v", value, *s.Minimum)}
	case s.Maximum != nil && value > *s.Maximum:
		return &FieldError{Field: shown(at), Reason: fmt.Sprintf("%v: at most %v", value, *s.Maximum)}
	case s.Type == "integer" && math.Abs(value) > 1<<53:
		return &FieldError{Field: shown(at), Reason: fmt.Sprintf("%v: too large for an integer", value)}
	}
	return nil
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// shown is a field's path as errors show it; long names are cut.
func shown(at string) string {
	if at == "" {
		return "parameters"
	}
	if len(at) > 96 || !utf8.ValidString(at) || strings.ContainsAny(at, "\n\r\t\x00") {
		return fmt.Sprintf("%.64q", at)
	}
	return at
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
