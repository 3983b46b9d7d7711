package catalog

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type driftGraphIn struct {
	Format string `json:"format,omitempty" jsonschema:"json: edges. mermaid or dot: a text that draws them, too." rule:"enum=json|mermaid|dot,default=json"`
}

type edgeRow struct {
	From  endpoint `json:"from" jsonschema:"Empty: a context that the caller may not read."`
	To    endpoint `json:"to"`
	Kind  string   `json:"kind" jsonschema:"push, distill, pull, merge or commit; fork: the one was forked from the other."`
	Count int      `json:"count" jsonschema:"How many blocks say so."`
	Last  string   `json:"last,omitempty" jsonschema:"When the last one came."`
}

type driftGraphOut struct {
	Edges []edgeRow `json:"edges"`
	Text  string    `json:"text,omitempty" jsonschema:"The drawing, when a format for one was asked for."`
}

func (o *operations) driftGraph() *op.Op {
	return define(o, op.Spec{
		Name: "drift_graph", Title: "Draw the drift graph", Command: []string{"drift", "graph"},
		Summary: "Say which contexts have drifted to which, how often, and which were forked from which",
		Description: "It counts the drift blocks that show in contexts that the caller may read; what they say of where they come from is what their authors wrote. " +
			"Forks make a tree; drifts may go in circles. Several sources that the caller may not read count as one.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("drift_graph"),
	}, o.graphDrifts)
}

func (o *operations) graphDrifts(ctx context.Context, c op.Call, in driftGraphIn) (out driftGraphOut, err error) {
	if o.parts.Letters == nil {
		return out, fmt.Errorf("nobody keeps the edges here: %w", kaijutsu.ErrUnavailable)
	}
	if err := o.parts.Letters.Settle(ctx); err != nil {
		return out, err
	}
	edges, err := o.parts.Letters.Edges(ctx, c)
	if err != nil {
		return out, err
	}
	p := o.endpoints(c)
	out.Edges = []edgeRow{}
	for _, e := range edges {
		row := edgeRow{To: p.of(ctx, e.To), Kind: string(e.Kind), Count: e.Count, Last: timeText(e.Last)}
		switch {
		case e.Hidden:
		case !e.FromDoc.IsZero():
			row.From = p.of(ctx, e.FromDoc)
		default:
			row.From = endpoint{Kernel: e.FromKernel, ID: e.From}
		}
		out.Edges = append(out.Edges, row)
	}
	all, err := o.parts.Kernel.Contexts(ctx, c, true)
	if err != nil {
		return out, err
	}
	for _, i := range all {
		if !i.Fork.From.IsZero() {
			out.Edges = append(out.Edges, edgeRow{From: p.of(ctx, i.Fork.From), To: p.of(ctx, i.Doc), Kind: "fork", Count: 1, Last: timeText(i.Created)})
		}
	}
	switch in.Format {
	case "mermaid":
		out.Text = mermaid(out.Edges)
	case "dot":
		out.Text = dot(out.Edges)
	}
	return out, nil
}

// nodes gives every end of some edges a name for a drawing, in their order.
func nodes(edges []edgeRow) (names map[endpoint]string, order []endpoint) {
	names = make(map[endpoint]string)
	for _, e := range edges {
		for _, p := range []endpoint{e.From, e.To} {
			if names[p] == "" {
				names[p] = fmt.Sprintf("c%d", len(order))
				order = append(order, p)
			}
		}
	}
	return names, order
}

// caption is what a drawing writes at one of its ends.
func (p endpoint) caption() string {
	text := beginning(cmp.Or(p.Label, p.Title, p.ID, "somewhere else"), 60)
	if p.Kernel != "" {
		return p.Kernel + ":" + text
	}
	if p.Short != "" {
		text += " (" + p.Short + ")"
	}
	return text
}

// mermaidText writes what people wrote so that Mermaid takes it for text.
var mermaidText = strings.NewReplacer("#", "#35;", `"`, "#34;", "<", "#60;", ">", "#62;", "&", "#38;", "`", "#96;")

func mermaid(edges []edgeRow) string {
	names, order := nodes(edges)
	var b strings.Builder
	b.WriteString("graph LR\n")
	for _, p := range order {
		fmt.Fprintf(&b, "  %s[\"%s\"]\n", names[p], mermaidText.Replace(p.caption()))
	}
	for _, e := range edges {
		arrow := "-->"
		if e.Kind == "fork" {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  %s %s|%s| %s\n", names[e.From], arrow, e.words(), names[e.To])
	}
	return b.String()
}

// dotText writes what people wrote so that Graphviz takes it for text.
var dotText = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func dot(edges []edgeRow) string {
	names, order := nodes(edges)
	var b strings.Builder
	b.WriteString("digraph drift {\n  node [shape=box];\n")
	for _, p := range order {
		fmt.Fprintf(&b, "  %s [label=\"%s\"];\n", names[p], dotText.Replace(p.caption()))
	}
	for _, e := range edges {
		style := ""
		if e.Kind == "fork" {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  %s -> %s [label=\"%s\"%s];\n", names[e.From], names[e.To], e.words(), style)
	}
	b.WriteString("}\n")
	return b.String()
}

// words is what a drawing writes at an edge.
func (e edgeRow) words() string {
	if e.Count > 1 {
		return fmt.Sprintf("%s %d", e.Kind, e.Count)
	}
	return e.Kind
}
