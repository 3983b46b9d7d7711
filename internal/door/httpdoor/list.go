package httpdoor

import (
	"encoding/json"
	"fmt"
	"net/http"

	"kaijutsu/internal/op"
)

// operation is how the door shows one: what is the same for all who see it.
type operation struct {
	row  json.RawMessage // as /v1/ops lists it
	path json.RawMessage // as OpenAPI describes it
}

// row is an operation as /v1/ops lists it.
type row struct {
	Name        string            `json:"name"`
	Family      string            `json:"family"`
	Title       string            `json:"title"`
	Summary     string            `json:"summary"`
	Description string            `json:"description,omitempty"`
	Scope       string            `json:"scope"`            // context or kernel: on what the right is needed
	Right       string            `json:"right"`            // the role that carries it
	Effect      string            `json:"effect"`           // reads, writes or destroys
	Repeatable  bool              `json:"repeatable"`       // twice does no more than once
	Command     []string          `json:"command"`          // behind kj
	Args        []string          `json:"args,omitempty"`   // parameters that the shell takes by position
	Aliases     map[string]string `json:"aliases,omitzero"` // other names of parameters, with their own
	Examples    []example         `json:"examples"`
	In          any               `json:"input_schema"`
	Out         any               `json:"output_schema"`
}

type example struct {
	Text  string          `json:"text,omitempty"`
	In    json.RawMessage `json:"in"`
	Shell string          `json:"shell,omitempty"`
}

// show makes what does not depend on the caller. It panics when an example is
// no JSON or a schema cannot be written: the program is wrong.
func show(o *op.Op) *operation {
	return &operation{row: must(rowOf(o)), path: must(pathOf(o))}
}

func must(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("httpdoor: %v", err))
	}
	return b
}

func rowOf(o *op.Op) row {
	r := row{
		Name: o.Name, Family: o.Family(), Title: o.Title, Summary: o.Summary, Description: o.Description,
		Scope: "context", Right: o.Right.String(), Effect: effectOf(o.Effect), Repeatable: o.Repeatable,
		Command: o.Command, Args: o.Args, Aliases: o.Aliases, Examples: []example{}, In: o.In, Out: o.Out,
	}
	if o.Scope == op.OnKernel {
		r.Scope = "kernel"
	}
	for _, e := range o.Examples {
		r.Examples = append(r.Examples, example{Text: e.Text, In: json.RawMessage(e.In), Shell: e.Shell})
	}
	return r
}

func effectOf(e op.Effect) string {
	switch e {
	case op.Reads:
		return "reads"
	case op.Writes:
		return "writes"
	default:
		return "destroys"
	}
}

// list serves /v1/ops.
func (d *door) list(w http.ResponseWriter, _ *http.Request, call op.Call) {
	all := d.cfg.Set.List(call)
	rows := make([]json.RawMessage, len(all))
	for i, o := range all {
		rows[i] = d.shown[o.Name].row
	}
	writeJSON(w, http.StatusOK, must(map[string]any{"operations": rows}))
}
