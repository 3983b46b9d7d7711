package op

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// request is a call on its way to its operation.
type request struct {
	ctx    context.Context
	call   Call
	params json.RawMessage
}

// Define returns the operation that runs f. In and Out are structs; their
// schemas are inferred from the json tags, and
//
//   - jsonschema:"…" describes a field,
//   - rule:"min=0,max=20,default=5" bounds a number,
//   - rule:"minlen=1,maxlen=64,enum=a|b|c,pattern=^x" bounds a string
//     (pattern comes last: it may hold commas),
//   - rule:"minitems=1,maxitems=9" bounds an array,
//   - rule:"object" is for a json.RawMessage that holds an object,
//   - rule:"numeric" takes a whole number for a string too, as its digits,
//   - rule:"alias=old" takes the parameter under another name too; schemas
//     show the one name only.
//
// A field without omitempty or omitzero is required. A default is filled in
// before f sees the parameters, and belongs to a field that may be left out.
// Define panics when the types or rules are wrong.
func Define[In, Out any](spec Spec, f func(ctx context.Context, c Call, in In) (Out, error)) *Op {
	o := &Op{Spec: spec}
	if err := o.complete(); err != nil {
		panic(fmt.Sprintf("operation %q: %v", spec.Name, err))
	}
	var err error
	if o.In, o.in, err = schemaOf[In](); err != nil {
		panic(fmt.Sprintf("operation %q: parameters: %v", spec.Name, err))
	}
	if o.Out, o.out, err = schemaOf[Out](); err != nil {
		panic(fmt.Sprintf("operation %q: result: %v", spec.Name, err))
	}
	if o.Aliases, err = aliasesOf(o.In, reflect.TypeFor[In]()); err != nil {
		panic(fmt.Sprintf("operation %q: parameters: %v", spec.Name, err))
	}
	if o.numeric, err = numericOf(o.In, reflect.TypeFor[In]()); err != nil {
		panic(fmt.Sprintf("operation %q: parameters: %v", spec.Name, err))
	}
	o.unexplained = !explains(o.In)
	var blank In // with its defaults, which are no pointers
	if err := json.Unmarshal(defaultsOf(o.In), &blank); err != nil {
		panic(fmt.Sprintf("operation %q: defaults: %v", spec.Name, err))
	}
	for _, name := range spec.Args {
		if o.In.Properties[strings.TrimSuffix(name, "…")] == nil {
			panic(fmt.Sprintf("operation %q: argument %q is no parameter", spec.Name, name))
		}
	}
	o.run = func(s *Set, r request) (json.RawMessage, error) {
		params, err := o.check(r.params)
		if err != nil {
			return nil, err
		}
		in := blank
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, notJSON(err)
		}
		if s.gates.Permit != nil {
			if err := s.gates.Permit(r.ctx, r.call, &o.Spec, in); err != nil {
				return nil, err
			}
		}
		out, err := f(r.ctx, r.call, in)
		if err != nil {
			return nil, err
		}
		return encode(out)
	}
	return o
}

// complete fills in what the spec leaves to its name.
func (o *Op) complete() error {
	family, rest, ok := cutName(o.Name)
	if !ok || strings.ToLower(o.Name) != o.Name {
		return fmt.Errorf("the name is not lower_snake_case with a family")
	}
	if o.Summary == "" || strings.HasSuffix(o.Summary, ".") {
		return fmt.Errorf("the summary is missing or ends in a full stop")
	}
	if o.Title == "" {
		o.Title = strings.ToUpper(o.Name[:1]) + strings.ReplaceAll(o.Name[1:], "_", " ")
	}
	if o.Command == nil {
		o.Command = []string{family}
		if rest != "" {
			o.Command = append(o.Command, strings.ReplaceAll(rest, "_", "-"))
		}
	}
	return nil
}

// cutName splits a name behind its family. "undo" is a family of one.
func cutName(name string) (family, rest string, ok bool) {
	family, rest, _ = strings.Cut(name, "_")
	return family, rest, family != ""
}

// schemaOf infers the schema of a struct.
func schemaOf[T any]() (*jsonschema.Schema, func() (*jsonschema.Resolved, error), error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, nil, fmt.Errorf("%v is no struct", t)
	}
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Types: []string{"object"}},
	}})
	if err != nil {
		return nil, nil, err
	}
	tidy(schema)
	if err := applyRules(schema, t); err != nil {
		return nil, nil, err
	}
	if err := checkDefaults(schema); err != nil {
		return nil, nil, err
	}
	return schema, sync.OnceValues(func() (*jsonschema.Resolved, error) {
		return schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	}), nil
}

// Appender is a result that writes its own JSON, which has to be what
// encoding/json makes of it without HTML escapes: for results so large that it
// matters how long that takes.
type Appender interface {
	AppendJSON(b []byte) []byte
}

// encode returns the one encoding of a result: no HTML escapes, no newline.
func encode(out any) (json.RawMessage, error) {
	if a, ok := out.(Appender); ok {
		return a.AppendJSON(nil), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
