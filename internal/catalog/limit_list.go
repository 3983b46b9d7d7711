package catalog

import (
	"context"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/op"
)

type limitListIn struct {
	Name string `json:"name,omitempty" jsonschema:"Only the limits whose name contains this." rule:"maxlen=64"`
}

// ServerLimit is a limit and what it did.
type ServerLimit struct {
	Name    string `json:"name"`
	Kind    string `json:"kind" jsonschema:"rate: so much in a time. count: so many at a time. quota: so much in all."`
	For     string `json:"for" jsonschema:"For what it counts: each principal, document, connection or address, or the server."`
	Of      string `json:"of" jsonschema:"What is counted."`
	Value   int64  `json:"value" jsonschema:"0: there is no limit."`
	Default int64  `json:"default"`
	Per     string `json:"per,omitempty" jsonschema:"The time that a rate is of: second or hour."`
	Burst   int64  `json:"burst,omitempty" jsonschema:"How much of a rate may come at once after a pause."`
	Then    string `json:"then" jsonschema:"What happens beyond it."`
	Hits    int64  `json:"hits" jsonschema:"How often it held something back since the start."`
	Waited  int64  `json:"waited_ms" jsonschema:"How long what was slowed down waited since the start, all together."`
	InUse   int    `json:"in_use" jsonschema:"For how many principals, documents or addresses it counts something now."`
}

type limitListOut struct {
	Limits []ServerLimit `json:"limits"`
}

var errNoLimits = fmt.Errorf("there are no limits here: %w", kaijutsu.ErrUnavailable)

func (o *operations) limitList() *op.Op {
	return define(o, op.Spec{
		Name: "limit_list", Title: "List limits", Command: []string{"limit", "ls"}, Args: []string{"name"},
		Summary: "List the limits on what principals, documents, connections and addresses may use, and what they held back",
		Description: "limit_set changes one until the server is started again; kj serve --limit sets it from the start. " +
			"Each server has its own.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("limit_list"),
	}, o.listLimits)
}

func (o *operations) listLimits(_ context.Context, _ op.Call, in limitListIn) (limitListOut, error) {
	out := limitListOut{Limits: []ServerLimit{}}
	if o.parts.Limits == nil {
		return out, errNoLimits
	}
	for _, r := range o.parts.Limits.Stats() {
		if strings.Contains(string(r.Name), in.Name) {
			out.Limits = append(out.Limits, serverLimit(r))
		}
	}
	return out, nil
}

func serverLimit(r limit.Row) ServerLimit {
	row := ServerLimit{
		Name: string(r.Name), Kind: string(r.Kind), For: string(r.Scope), Of: r.What, Value: r.Value, Default: r.Default,
		Then: r.Then, Hits: r.Hits, Waited: r.Waited.Milliseconds(), InUse: r.InUse,
	}
	if r.Kind == limit.Rate {
		row.Per, row.Burst = limit.Unit(r.Per), limit.BurstOf(r.Rule, r.Value)
	}
	return row
}
