package op

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"kaijutsu"
)

// Limits of schemas and values that callers bring, in bytes.
const (
	maxSchemaBytes = 16 << 10
	maxValueBytes  = 32 << 10
)

// CheckSchema accepts the JSON schema of an object, as a caller may bring it for
// an answer: at most 16 KiB, without references. The error wraps
// kaijutsu.ErrInvalid and names the field.
func CheckSchema(field string, schema json.RawMessage) error {
	_, err := resolveSchema(field, schema)
	return err
}

// CheckValue holds an object of at most 32 KiB against a schema that CheckSchema
// accepts. The error wraps kaijutsu.ErrInvalid, names the field and says what is
// wrong.
func CheckValue(field string, schema, value json.RawMessage) error {
	resolved, err := resolveSchema("schema", schema)
	if err != nil {
		return err
	}
	if len(value) > maxValueBytes {
		return &FieldError{Field: field, Reason: fmt.Sprintf("%d bytes: at most %d", len(value), maxValueBytes)}
	}
	var v any
	if err := checkTokens(value); err != nil {
		return &FieldError{Field: field, Reason: reasonOf(err)}
	}
	if err := json.Unmarshal(value, &v); err != nil {
		return &FieldError{Field: field, Reason: "it is no JSON"}
	}
	if explains(resolved.Schema()) {
		return explain(resolved.Schema(), v, field)
	}
	if err := resolved.Validate(v); err != nil {
		return &FieldError{Field: field, Reason: reasonOf(err)}
	}
	return nil
}

// resolveSchema reads a schema of a stranger. One that refers to itself could
// keep a validation busy for ever: there are no references.
func resolveSchema(field string, schema json.RawMessage) (*jsonschema.Resolved, error) {
	bad := func(reason string) error {
		return &FieldError{Field: field, Reason: reason, Hint: `want the JSON schema of an object, such as {"type":"object","properties":{"ok":{"type":"boolean"}}}`}
	}
	if len(schema) > maxSchemaBytes {
		return nil, bad(fmt.Sprintf("%d bytes: at most %d", len(schema), maxSchemaBytes))
	}
	if err := checkTokens(schema); err != nil {
		return nil, bad(reasonOf(err))
	}
	if key := reference(schema); key != "" {
		return nil, bad(fmt.Sprintf("%.64q: references are not taken", key))
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, bad(reasonOf(err))
	}
	if s.Type != "object" {
		return nil, bad("its type is not object")
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, bad(reasonOf(err))
	}
	return resolved, nil
}

// reference returns a keyword of a schema, at any depth, that makes or takes a
// reference; "" when there is none. A property of such a name counts, too.
func reference(schema json.RawMessage) string {
	var value any
	if json.Unmarshal(schema, &value) != nil {
		return ""
	}
	return referenceIn(value)
}

func referenceIn(value any) string {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			if strings.HasPrefix(key, "$") && key != "$schema" && key != "$comment" {
				return key
			}
			if found := referenceIn(v); found != "" {
				return found
			}
		}
	case []any:
		for _, v := range value {
			if found := referenceIn(v); found != "" {
				return found
			}
		}
	}
	return ""
}

// reasonOf is an error as the reason of another, without its kind.
func reasonOf(err error) string {
	return withoutKind(strings.TrimPrefix(err.Error(), "parameters: "), kaijutsu.ErrInvalid)
}
