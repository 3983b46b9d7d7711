package op

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"kaijutsu"
)

// maxNesting is how deep parameters may nest: the schemas need a handful.
const maxNesting = 32

// check accepts parameters that are one JSON object of the operation's schema,
// and returns them with each parameter under its own name. The error wraps
// kaijutsu.ErrInvalid, and names the field and the mend.
func (o *Op) check(params json.RawMessage) (json.RawMessage, error) {
	if !utf8.Valid(params) {
		return nil, fmt.Errorf("parameters: not UTF-8: %w", kaijutsu.ErrInvalid)
	}
	if loneSurrogate(params) {
		return nil, fmt.Errorf("parameters: half of a surrogate pair, such as \\ud83d alone, is no character: write both halves, or the character: %w", kaijutsu.ErrInvalid)
	}
	if err := checkTokens(params); err != nil {
		return nil, err
	}
	var value map[string]any
	if err := json.Unmarshal(params, &value); err != nil {
		return nil, notJSON(err)
	}
	params, err := o.rename(params, value)
	if err != nil {
		return nil, err
	}
	if params, err = o.spell(params, value); err != nil {
		return nil, err
	}
	if err := explain(o.In, value, ""); err != nil {
		return nil, err
	}
	if o.unexplained {
		if err := validate(o.in, value); err != nil {
			return nil, fmt.Errorf("parameters: %w: %w", err, kaijutsu.ErrInvalid)
		}
	}
	return params, nil
}

// CheckResult holds a result against the operation's schema of results.
func (o *Op) CheckResult(result json.RawMessage) error {
	var value any
	if err := json.Unmarshal(result, &value); err != nil {
		return err
	}
	return validate(o.out, value)
}

// validate holds a value against a schema.
func validate(schema func() (*jsonschema.Resolved, error), value any) error {
	s, err := schema()
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// checkTokens accepts one object, not too deep, in which no key is twice: what
// was checked must be what is read.
func checkTokens(params []byte) error {
	dec := json.NewDecoder(bytes.NewReader(params))
	dec.UseNumber()
	var open []map[string]bool // of each open value its keys; nil for an array
	key := false               // a key comes next, in an object
	for n := 0; ; n++ {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			if len(open) > 0 {
				return notJSON(io.ErrUnexpectedEOF)
			}
			if n == 0 {
				return fmt.Errorf("parameters: empty: want a JSON object, such as {}: %w", kaijutsu.ErrInvalid)
			}
			return nil
		}
		if err != nil {
			return notJSON(err)
		}
		if n == 0 && token != json.Delim('{') {
			return fmt.Errorf("parameters: want a JSON object, such as {}: %w", kaijutsu.ErrInvalid)
		}
		if n > 0 && len(open) == 0 {
			return fmt.Errorf("parameters: more than one JSON value: %w", kaijutsu.ErrInvalid)
		}
		switch token := token.(type) {
		case json.Delim:
			switch token {
			case '{':
				open, key = append(open, make(map[string]bool)), true
			case '[':
				open, key = append(open, nil), false
			default:
				open = open[:len(open)-1]
				key = len(open) > 0 && open[len(open)-1] != nil
			}
			if len(open) > maxNesting {
				return fmt.Errorf("parameters: nested deeper than %d: %w", maxNesting, kaijutsu.ErrInvalid)
			}
			continue
		case string:
			if key {
				keys := open[len(open)-1]
				if keys[token] {
					return &FieldError{Field: shown(token), Reason: "given twice", Hint: "give it once"}
				}
				keys[token] = true
				key = false
				continue
			}
		}
		key = len(open) > 0 && open[len(open)-1] != nil
	}
}

func notJSON(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return &FieldError{Field: wrong.Field, Reason: fmt.Sprintf("%s does not fit: want %v", wrong.Value, wrong.Type)}
	}
	if wrong != nil { // a number that float64 cannot hold
		return fmt.Errorf("parameters: %.64s is too large: %w", wrong.Value, kaijutsu.ErrInvalid)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("parameters: the JSON ends too early: %w", kaijutsu.ErrInvalid)
	}
	return fmt.Errorf("parameters: not JSON: %w: %w", err, kaijutsu.ErrInvalid)
}
