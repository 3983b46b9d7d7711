package op

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxExact is the largest whole number up to which every number of JSON, read
// as a float64, is itself.
const maxExact = 1 << 53

// numericOf returns the texts that are taken as whole numbers too, from the
// rule tags.
func numericOf(s *jsonschema.Schema, t reflect.Type) (map[string]bool, error) {
	var numeric map[string]bool
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		for part := range strings.SplitSeq(f.Tag.Get("rule"), ",") {
			if part != "numeric" || s.Properties[name] == nil {
				continue
			}
			if s.Properties[name].Type != "string" {
				return nil, fmt.Errorf("rule numeric of %s: it is for strings", name)
			}
			if numeric == nil {
				numeric = make(map[string]bool)
			}
			numeric[name] = true
		}
	}
	return numeric, nil
}

// spell writes the whole numbers out that were given for texts, in the JSON and
// in what it decodes to. Parameters have their own names already.
func (o *Op) spell(params json.RawMessage, value map[string]any) (json.RawMessage, error) {
	var fields map[string]json.RawMessage // filled when there is something to write out
	for name := range o.numeric {
		n, ok := value[name].(float64)
		if !ok || n != math.Trunc(n) || n < 0 || n > maxExact {
			continue
		}
		if fields == nil {
			if err := json.Unmarshal(params, &fields); err != nil {
				return nil, notJSON(err)
			}
		}
		digits := strconv.FormatUint(uint64(n), 10)
		value[name], fields[name] = digits, json.RawMessage(`"`+digits+`"`)
	}
	if fields == nil {
		return params, nil
	}
	return json.Marshal(fields)
}
