package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"kaijutsu"
	"kaijutsu/internal/op"
)

const pageHead = `# Operations

Generated from internal/catalog; do not edit. After a change there run
` + "`go test ./internal/catalog -run TestOperationsPage -update`" + `.

Every operation is there through every door: over HTTP as ` + "`POST /v1/ops/NAME`" + ` with its parameters as a JSON object, over MCP as a tool, and on the command line as shown.
The result is the same JSON everywhere. ` + "`GET /v1/openapi.json`" + ` has the schemas.

What is the same in all of them: the context may be left out where the call has one, and a block is found by its id alone.
Positions and lengths are Unicode code points. Lines count from 0, and a range ends before its end.
An operation that writes makes one change, durable when it returns, or none and an error.
A parameter that is not in the table is refused. Where a parameter has an older name, both are taken.

An error is one of these kinds:

| kind | what it means | HTTP | exit status |
|---|---|---|---|
`

// kindsOfErrors are the kinds of problems, in the order in which they show.
var kindsOfErrors = []struct {
	err     error
	meaning string
}{
	{kaijutsu.ErrInvalid, "the input breaks a rule; `field` says which parameter"},
	{kaijutsu.ErrNotFound, "what is named does not exist, or not for the caller"},
	{kaijutsu.ErrConflict, "the input clashes with what is there: read again"},
	{kaijutsu.ErrDenied, "the caller may not do this"},
	{kaijutsu.ErrTooLarge, "a limit was passed"},
	{kaijutsu.ErrUnavailable, "not now; later may help"},
}

// Markdown returns the page that describes the operations of a set.
func Markdown(set *op.Set) []byte {
	var b bytes.Buffer
	b.WriteString(pageHead)
	for _, k := range kindsOfErrors {
		p := op.ProblemOf(k.err)
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d |\n", p.Kind, k.meaning, p.Status, p.Exit)
	}
	internal := op.ProblemOf(fmt.Errorf("none of them"))
	fmt.Fprintf(&b, "| `%s` | a fault of the server; `ref` finds it in the log | %d | %d |\n", internal.Kind, internal.Status, internal.Exit)

	ops := slices.Clone(set.All())
	slices.SortStableFunc(ops, func(a, b *op.Op) int { return cmp.Compare(rank(a), rank(b)) })
	b.WriteString("\n| operation | command | what it does |\n|---|---|---|\n")
	for _, o := range ops {
		fmt.Fprintf(&b, "| [%s](#%s) | `kj %s` | %s |\n", o.Name, o.Name, strings.Join(o.Command, " "), o.Summary)
	}
	for _, o := range ops {
		writeOp(&b, o)
	}
	return b.Bytes()
}

// families are in the order in which people learn them.
var families = []string{"context", "block", "undo", "kernel", "token", "role", "seat", "server"}

func rank(o *op.Op) int { return slices.Index(families, o.Family()) }

func writeOp(b *bytes.Buffer, o *op.Op) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n%s\n\n", o.Name, o.Summary, o.Description)
	where := "on the context"
	if o.Scope == op.OnKernel {
		where = "on the kernel"
	}
	takes := fmt.Sprintf("the role %s %s", o.Right, where)
	if o.Right == kaijutsu.RightNone {
		takes = "no role"
	}
	fmt.Fprintf(b, "Takes %s; %s%s.\n\n", takes, effects[o.Effect], repeats(o))
	fmt.Fprintf(b, "`kj %s`\n\n", commandLine(o))
	if len(o.In.Properties) > 0 {
		b.WriteString("| parameter | type | meaning |\n|---|---|---|\n")
		writeFields(b, o, o.In, "")
	} else {
		b.WriteString("No parameters.\n")
	}
	b.WriteString("\n| result | type | meaning |\n|---|---|---|\n")
	writeFields(b, nil, o.Out, "")
	for _, e := range o.Examples {
		fmt.Fprintf(b, "\n%s:\n\n```json\n%s\n```\n", e.Text, e.In)
	}
}

var effects = map[op.Effect]string{
	op.Reads: "changes nothing", op.Writes: "writes, and can be taken back", op.Destroys: "cannot be taken back",
}

func repeats(o *op.Op) string {
	if o.Repeatable && o.Effect != op.Reads {
		return "; doing it twice does no more than doing it once"
	}
	return ""
}

// commandLine returns how the shell calls an operation.
func commandLine(o *op.Op) string {
	words := slices.Clone(o.Command)
	if o.Name == "context_import" { // the name of the file tells its format
		return strings.Join(append(words, "FILE"), " ")
	}
	for _, a := range o.Args {
		name := strings.TrimSuffix(a, "…")
		word := strings.ToUpper(name)
		if strings.HasSuffix(a, "…") {
			word += "…"
		}
		if !slices.Contains(o.In.Required, name) {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// writeFields writes a row for each field of a schema, and of those within.
func writeFields(b *bytes.Buffer, o *op.Op, s *jsonschema.Schema, at string) {
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		if p == nil {
			continue
		}
		full := at + name
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", full, typeText(p), cell(meaning(o, s, name, at == "")))
		switch {
		case p.Type == "object":
			writeFields(b, o, p, full+".")
		case p.Items != nil && p.Items.Type == "object":
			writeFields(b, o, p.Items, full+"[].")
		}
	}
}

// typeText names a type with its bounds.
func typeText(p *jsonschema.Schema) string {
	kind := p.Type
	if p.Items != nil {
		kind = "array of " + p.Items.Type + "s"
	}
	if p.Minimum != nil && p.Maximum != nil {
		return fmt.Sprintf("%s, %v to %v", kind, *p.Minimum, *p.Maximum)
	}
	if p.Minimum != nil {
		return fmt.Sprintf("%s, from %v", kind, *p.Minimum)
	}
	return kind
}

// meaning is what a field is for, whether it must be there, and what else it is
// called.
func meaning(o *op.Op, s *jsonschema.Schema, name string, top bool) string {
	p := s.Properties[name]
	words := []string{}
	if o != nil && slices.Contains(s.Required, name) {
		words = append(words, "**Required.**")
	}
	if p.Description != "" {
		words = append(words, p.Description)
	}
	if len(p.Enum) > 0 {
		values := make([]string, len(p.Enum))
		for i, v := range p.Enum {
			values[i] = fmt.Sprintf("`%v`", v)
		}
		words = append(words, "One of "+strings.Join(values, ", ")+".")
	}
	if p.Default != nil {
		words = append(words, "Default: `"+defaultText(p.Default)+"`.")
	}
	if o != nil && top {
		for alias, to := range o.Aliases {
			if to == name {
				words = append(words, "Older name: `"+alias+"`.")
			}
		}
	}
	return strings.Join(words, " ")
}

func defaultText(d json.RawMessage) string { return strings.Trim(string(d), `"`) }

// cell is a text as a table holds it.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}
