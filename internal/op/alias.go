package op

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// aliasesOf returns the other names of parameters, from the rule tags.
func aliasesOf(s *jsonschema.Schema, t reflect.Type) (map[string]string, error) {
	var aliases map[string]string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		for part := range strings.SplitSeq(f.Tag.Get("rule"), ",") {
			alias, ok := strings.CutPrefix(part, "alias=")
			if !ok || s.Properties[name] == nil {
				continue
			}
			if s.Properties[alias] != nil || aliases[alias] != "" {
				return nil, fmt.Errorf("alias %q of %s: the name is taken", alias, name)
			}
			if aliases == nil {
				aliases = make(map[string]string)
			}
			aliases[alias] = name
		}
	}
	return aliases, nil
}

// rename gives parameters their own names, in the JSON and in what it decodes
// to. The error wraps kaijutsu.ErrInvalid when one was given under two.
func (o *Op) rename(params json.RawMessage, value map[string]any) (json.RawMessage, error) {
	var fields map[string]json.RawMessage // filled when there is something to rename
	for alias, name := range o.Aliases {
		v, ok := value[alias]
		if !ok {
			continue
		}
		if _, twice := value[name]; twice {
			return nil, &FieldError{Field: name, Reason: fmt.Sprintf("given twice, also as %s", alias)}
		}
		if fields == nil {
			if err := json.Unmarshal(params, &fields); err != nil {
				return nil, notJSON(err)
			}
		}
		value[name], fields[name] = v, fields[alias]
		delete(value, alias)
		delete(fields, alias)
	}
	if fields == nil {
		return params, nil
	}
	return json.Marshal(fields)
}
