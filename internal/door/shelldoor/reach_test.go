package shelldoor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"kaijutsu/internal/catalog"
	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/op"
)

// operations are those of the catalog.
var operations = sync.OnceValue(func() []*op.Op { return catalog.New(catalog.Parts{}).All() })

// call is an operation that a line asked for.
type call struct {
	op     string
	params map[string]any
	raw    string
}

// kj runs lines with a door that notes calls and answers with what it is told.
type kj struct {
	calls   []call
	answer  func(o *op.Op, params json.RawMessage) (json.RawMessage, error)
	context string
	in      string
	out     bytes.Buffer
	notes   bytes.Buffer
}

// run runs a line, given in words.
func (k *kj) run(words ...string) error {
	door := shelldoor.Door{
		Run: func(_ context.Context, o *op.Op, params json.RawMessage) (json.RawMessage, error) {
			c := call{op: o.Name, raw: string(params)}
			if err := json.Unmarshal(params, &c.params); err != nil {
				c.params = nil
			}
			k.calls = append(k.calls, c)
			if k.answer != nil {
				return k.answer(o, params)
			}
			return json.RawMessage(`{}`), nil
		},
		Context: func() string { return k.context },
	}
	root := &cobra.Command{Use: "kj", SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(shelldoor.FlagError)
	root.AddCommand(shelldoor.Commands(operations(), door)...)
	root.SetArgs(shelldoor.ProtectText(words))
	root.SetIn(strings.NewReader(k.in))
	k.out.Reset()
	k.notes.Reset()
	root.SetOut(&k.out)
	root.SetErr(&k.notes)
	return root.ExecuteContext(context.Background())
}

// sample is a value of a parameter, as JSON and as a flag has it.
type sample struct {
	value any
	words []string
}

// sampleOf returns a value for a parameter from its schema.
func sampleOf(t *testing.T, o *op.Op, name string) sample {
	t.Helper()
	s := o.In.Properties[name]
	switch s.Type {
	case "string":
		if len(s.Enum) > 0 {
			word, _ := s.Enum[len(s.Enum)-1].(string)
			return sample{word, []string{word}}
		}
		return sample{"- a “text” \n@x", []string{"- a “text” \n@x"}}
	case "integer":
		return sample{float64(7), []string{"7"}}
	case "number":
		return sample{7.5, []string{"7.5"}}
	case "boolean":
		return sample{string(s.Default) != "true", map[bool][]string{true: {"true"}, false: {"false"}}[string(s.Default) != "true"]}
	case "object":
		if len(s.Properties) > 0 {
			fields := make(map[string]any)
			for name := range s.Properties {
				fields[name] = float64(3)
			}
			b, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			return sample{fields, []string{string(b)}}
		}
		return sample{map[string]any{"a": []any{float64(1)}}, []string{`{"a":[1]}`}}
	case "array":
		if s.Items.Type == "object" {
			return sample{[]any{map[string]any{"op": "x"}, map[string]any{"op": "y"}}, []string{`{"op":"x"}`, `{"op":"y"}`}}
		}
		return sample{[]any{"one", "two, three"}, []string{"one", "two, three"}}
	}
	t.Fatalf("%s: parameter %s has the type %q, which no test knows", o.Name, name, s.Type)
	return sample{}
}

// TestEveryParameterIsWithinReach sets every parameter of every operation by
// its flag, alone and all together, and by its other names.
func TestEveryParameterIsWithinReach(t *testing.T) {
	for _, o := range operations() {
		t.Run(o.Name, func(t *testing.T) {
			names := slices.Sorted(maps.Keys(o.In.Properties))
			want, all := make(map[string]any), shelldoor.Path(o)
			for _, name := range names {
				s := sampleOf(t, o, name)
				want[name] = s.value
				line := append(shelldoor.Path(o), "--json", "--params", "{}")
				for _, w := range s.words {
					all = append(all, "--"+shelldoor.FlagName(name)+"="+w)
					line = append(line, "--"+shelldoor.FlagName(name)+"="+w)
				}
				expect(t, line, o.Name, map[string]any{name: s.value})
			}
			expect(t, append(all, "--json"), o.Name, want)
			for alias, name := range o.Aliases {
				s := sampleOf(t, o, name)
				line := append(shelldoor.Path(o), "--json", "--params", "{}")
				for _, w := range s.words {
					line = append(line, "--"+shelldoor.FlagName(alias)+"="+w)
				}
				expect(t, line, o.Name, map[string]any{name: s.value})
			}
			b, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, append(shelldoor.Path(o), "--json", "--params", string(b)), o.Name, want)
		})
	}
}

// expect runs a line that has to make one call.
func expect(t *testing.T, line []string, name string, want map[string]any) {
	t.Helper()
	k := &kj{}
	if err := k.run(line...); err != nil {
		t.Errorf("%q: %v", line, err)
		return
	}
	if len(k.calls) != 1 || k.calls[0].op != name || !reflect.DeepEqual(k.calls[0].params, want) {
		t.Errorf("%q calls %+v, want %s %v", line, k.calls, name, want)
	}
}

// TestExamplesAsLines runs the line that help shows for each example: it has to
// mean the example.
func TestExamplesAsLines(t *testing.T) {
	for _, o := range operations() {
		for _, e := range o.Examples {
			t.Run(o.Name, func(t *testing.T) {
				var want map[string]any
				if err := json.Unmarshal([]byte(e.In), &want); err != nil {
					t.Fatal(err)
				}
				for alias, name := range o.Aliases {
					if v, ok := want[alias]; ok {
						want[name] = v
						delete(want, alias)
					}
				}
				if o.Name == "context_import" {
					t.Skip("its line names a file")
				}
				expect(t, append(shelldoor.Words(o, json.RawMessage(e.In)), "--json"), o.Name, want)
			})
		}
	}
}

// TestEveryOperationHasHelp finds each operation by its name, and its
// parameters and examples in its help.
func TestEveryOperationHasHelp(t *testing.T) {
	for _, o := range operations() {
		k := &kj{}
		if err := k.run(append(shelldoor.Path(o), "--help")...); err != nil {
			t.Errorf("%s: %v", o.Name, err)
			continue
		}
		for name := range o.In.Properties {
			if !strings.Contains(k.out.String(), "--"+shelldoor.FlagName(name)) {
				t.Errorf("help of %s has no --%s:\n%s", o.Name, shelldoor.FlagName(name), &k.out)
			}
		}
		for _, e := range o.Examples {
			if !strings.Contains(k.out.String(), e.Text) {
				t.Errorf("help of %s has no example %q", o.Name, e.Text)
			}
		}
	}
}

// TestFlagsOfItsOwn holds the names of parameters against the flags that every
// command has.
func TestFlagsOfItsOwn(t *testing.T) {
	for _, o := range operations() {
		seen := make(map[string]string)
		for name := range o.In.Properties {
			flag := shelldoor.FlagName(name)
			if slices.Contains([]string{"json", "params", "help", "output", "server", "token", "data"}, flag) {
				t.Errorf("%s: parameter %s has the flag of another thing: --%s", o.Name, name, flag)
			}
			if seen[flag] != "" {
				t.Errorf("%s: parameters %s and %s have one flag", o.Name, name, seen[flag])
			}
			seen[flag] = name
		}
	}
}

var errTest = errors.New("test")
