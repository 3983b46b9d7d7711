package shelldoor

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// value is a parameter that a command line may set. It is the value of a flag
// (pflag.Value), and of a place on the line.
type value struct {
	*param
	raw   []json.RawMessage // what was set; one, or the items of an array
	set   bool
	input bool   // standard input, read when the command runs
	word  string // what was set, as it stands on the line
}

// Type names what help calls the flag's value.
func (v *value) Type() string { return v.typeName() }

// String shows what was set; pflag wants one.
func (v *value) String() string {
	if v == nil || v.param == nil || !v.set {
		return ""
	}
	b, err := v.json()
	if err != nil {
		return ""
	}
	return string(b)
}

// Set takes what stands on the line. Arrays gather what they are given.
func (v *value) Set(s string) error {
	s = strings.TrimPrefix(s, TextMark)
	if v.set && v.kind != "array" {
		if s == v.word {
			return nil // completion reads a line twice
		}
		return errors.New("given twice")
	}
	v.word = s
	if v.long() {
		if s == "-" {
			v.set, v.input = true, true
			return nil
		}
		var err error
		if s, err = fileText(s); err != nil {
			return err
		}
	}
	return v.take(s)
}

// take takes a text that is the value itself.
func (v *value) take(s string) error {
	v.set = true
	raw, err := v.encode(s)
	if err != nil {
		return err
	}
	v.raw = append(v.raw, raw...)
	return nil
}

// encode returns the JSON of what stands on the line; more than one value for
// an array given as one.
func (v *value) encode(s string) ([]json.RawMessage, error) {
	switch v.kind {
	case "array":
		if v.items != "object" {
			raw, err := scalar(v.items, s)
			return []json.RawMessage{raw}, err
		}
		var many []json.RawMessage
		if strings.HasPrefix(strings.TrimSpace(s), "[") {
			if err := json.Unmarshal([]byte(s), &many); err != nil {
				return nil, fmt.Errorf("not a JSON array: %w", err)
			}
			return many, nil
		}
		raw, err := object(s, v.fields)
		return []json.RawMessage{raw}, err
	case "object":
		if from, to, ok := strings.Cut(s, ":"); ok && v.isRange() && !strings.HasPrefix(s, "{") {
			raw, err := lines(from, to)
			return []json.RawMessage{raw}, err
		}
		raw, err := object(s, v.fields)
		return []json.RawMessage{raw}, err
	}
	raw, err := scalar(v.kind, s)
	return []json.RawMessage{raw}, err
}

// lines returns the JSON of START:END.
func lines(from, to string) (json.RawMessage, error) {
	start, err := scalar("integer", from)
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	end, err := scalar("integer", to)
	if err != nil {
		return nil, fmt.Errorf("end: %w", err)
	}
	return json.Marshal(map[string]json.RawMessage{"start": start, "end": end})
}

func object(s string, fields []string) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		example := `{"key":"value"}`
		if len(fields) > 0 {
			example = "{…} with " + strings.Join(fields, ", ")
		}
		return nil, fmt.Errorf("%.40q is no JSON object; want %s", s, example)
	}
	return json.RawMessage(s), nil
}

// scalar returns the JSON of one value. Whether it is one of the enum's is the
// operation's to say, so that it is said in one way.
func scalar(kind, s string) (json.RawMessage, error) {
	switch kind {
	case "integer":
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%.40q is no integer", s)
		}
		return json.RawMessage(strconv.FormatInt(n, 10)), nil
	case "number":
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, fmt.Errorf("%.40q is no number", s)
		}
		return json.Marshal(n)
	case "boolean":
		b, err := strconv.ParseBool(s)
		if err != nil {
			return nil, fmt.Errorf("%.40q: want true or false", s)
		}
		return json.RawMessage(strconv.FormatBool(b)), nil
	}
	return text(s)
}

// text returns a string as JSON.
func text(s string) (json.RawMessage, error) {
	if !utf8.ValidString(s) {
		return nil, errors.New("not UTF-8")
	}
	return json.Marshal(s)
}

// json returns what was set as the parameter's JSON.
func (v *value) json() (json.RawMessage, error) {
	if v.kind == "array" {
		return json.Marshal(append([]json.RawMessage{}, v.raw...)) // [] and not null where there are none
	}
	if len(v.raw) == 0 {
		return nil, fmt.Errorf("%s: nothing was given", v.name)
	}
	return v.raw[0], nil
}
