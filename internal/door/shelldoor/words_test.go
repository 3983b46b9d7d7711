package shelldoor_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/op"
)

// TestWordsSayWhatTheyMean writes any parameters of any operation as a line,
// and reads the line back.
func TestWordsSayWhatTheyMean(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "-", "--", "--json", "-x", "- x", "-5", "@", "@x", "@@", "a\nb", "x\x00y", "01a1fe74", block, another, "Release", "true", "{}", "[1]",
	}))
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.SampledFrom(operations()).Draw(t, "operation")
		want := make(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(o.In.Properties)) {
			if slices.Contains(o.In.Required, name) || rapid.Bool().Draw(t, name+" is there") {
				want[name] = draw(t, o, name, texts)
			}
		}
		params, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		words := shelldoor.Words(o, params)
		k := &kj{}
		if err := k.run(append(words, "--json")...); err != nil {
			t.Fatalf("%s %s as %q: %v", o.Name, params, words, err)
		}
		if len(k.calls) != 1 || k.calls[0].op != o.Name || !reflect.DeepEqual(k.calls[0].params, want) {
			t.Fatalf("%s %s as %q calls %+v", o.Name, params, words, k.calls)
		}
	})
}

// draw returns some value of a parameter, as encoding/json would decode it.
func draw(t *rapid.T, o *op.Op, name string, texts *rapid.Generator[string]) any {
	s := o.In.Properties[name]
	switch {
	case s.Type == "integer":
		return float64(rapid.IntRange(-9, 1<<40).Draw(t, name))
	case s.Type == "boolean":
		return rapid.Bool().Draw(t, name)
	case s.Type == "object" && len(s.Properties) > 0:
		fields := make(map[string]any)
		for field := range s.Properties {
			fields[field] = float64(rapid.IntRange(0, 9).Draw(t, field))
		}
		return fields
	case s.Type == "object":
		return map[string]any{texts.Draw(t, "key"): texts.Draw(t, name)}
	case s.Type == "array" && s.Items.Type == "object":
		edits := []map[string]any{
			{"op": "insert", "line": 1.0, "content": texts.Draw(t, "content")},
			{"op": "replace", "start_line": 1.0, "end_line": 2.0, "content": texts.Draw(t, "content"), "expected_text": texts.Draw(t, "expected")},
			{"op": "delete", "start_line": 0.0, "end_line": 2.0},
			{"op": "delete", "line": 3.0},
		}
		var list []any
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			list = append(list, rapid.SampledFrom(edits).Draw(t, "edit"))
		}
		return list
	case s.Type == "array":
		var list []any
		for range rapid.IntRange(1, 3).Draw(t, name+" items") {
			list = append(list, texts.Draw(t, name))
		}
		return list
	}
	return texts.Draw(t, name)
}
