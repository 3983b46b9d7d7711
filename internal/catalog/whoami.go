package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type whoamiIn struct {
	Context string `json:"context,omitempty" jsonschema:"Also say what the caller may do there: the context's id, its automerge: URL, its label, its title or what else names it. Default: only on the kernel." rule:"maxlen=1000"`
}

type whoamiOut struct {
	Principal   string   `json:"principal" jsonschema:"The name under which histories show what the caller does."`
	Kind        string   `json:"kind" jsonschema:"person, agent or service."`
	Role        string   `json:"role" jsonschema:"On the kernel: none, reader, commenter, editor or owner. A context may grant more or less."`
	Kernel      string   `json:"kernel" jsonschema:"The kernel's name."`
	Deny        []string `json:"deny,omitempty" jsonschema:"Operations that the caller may not use: names, or families such as block_*."`
	Context     string   `json:"context,omitempty" jsonschema:"The id of the context that was named."`
	ContextRole string   `json:"context_role,omitempty" jsonschema:"The role there."`
}

func (o *operations) whoami() *op.Op {
	return define(o, op.Spec{
		Name: "whoami", Title: "Say who I am", Args: []string{"context"},
		Summary:     "Say as whom the caller is known, and what it may do",
		Description: "Everybody may ask, also who has no role on the kernel.",
		Scope:       op.OnContext, Right: kaijutsu.RightNone, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("whoami"),
	}, o.sayWho)
}

func (o *operations) sayWho(ctx context.Context, c op.Call, in whoamiIn) (whoamiOut, error) {
	out := whoamiOut{Principal: c.By.Name, Kind: string(c.By.Kind), Role: c.Right.String(), Kernel: o.parts.Name, Deny: c.Deny}
	if in.Context == "" {
		return out, nil
	}
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead)
	if err != nil {
		return out, err
	}
	out.Context, out.ContextRole = doc.Name(), o.parts.Kernel.Right(c, doc).String()
	return out, nil
}
