package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
)

type roleSetIn struct {
	Principal string `json:"principal" jsonschema:"The name of who gets the role." rule:"minlen=1,maxlen=64"`
	Role      string `json:"role" jsonschema:"reader: see, search, export. commenter: and add comment blocks. editor: and write. owner: and delete, and say who may do what. none: nothing. default: in a context, what the kernel grants." rule:"enum=none|reader|commenter|editor|owner|default"`
	Context   string `json:"context,omitempty" jsonschema:"The context in which it counts: its id, its automerge: URL or its title. Default: the kernel, that is every context that grants no other role." rule:"maxlen=1000"`
}

type roleRow struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind,omitempty" jsonschema:"person, agent or service."`
	Role      string `json:"role"`
	Context   string `json:"context,omitempty" jsonschema:"The id of the context in which it counts. Absent: the kernel."`
}

func (o *operations) roleSet() *op.Op {
	return define(o, op.Spec{
		Name: "role_set", Title: "Set a role", Args: []string{"principal", "role"},
		Summary: "Say what somebody may do, with every context or with one",
		Description: "A role in a context counts there instead of the one on the kernel, whether it is more or less. " +
			"It takes effect at once, also on connections that are open. Who owns the kernel owns every context.\n\n" +
			"It takes the role owner: of the context, or of the kernel when none is named.",
		Scope: op.OnContext, Right: kaijutsu.RightOwn, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("role_set"),
	}, o.setRole)
}

func (o *operations) setRole(ctx context.Context, c op.Call, in roleSetIn) (roleRow, error) {
	if in.Context == "" {
		return o.setKernelRole(ctx, c, in)
	}
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightOwn)
	if err != nil {
		return roleRow{}, err
	}
	if in.Role == "default" {
		return roleRow{Principal: in.Principal, Role: in.Role, Context: doc.Name()}, named(o.parts.Access.Ungrant(ctx, c.By, doc, in.Principal))
	}
	right, err := kaijutsu.ParseRole(in.Role)
	if err != nil {
		return roleRow{}, fmt.Errorf("role: %w", err)
	}
	g, err := o.parts.Access.Grant(ctx, c.By, doc, in.Principal, right)
	if err != nil {
		return roleRow{}, named(err)
	}
	return roleRow{g.Principal.Name, string(g.Principal.Kind), g.Right.String(), doc.Name()}, nil
}

// setKernelRole gives somebody a role on the kernel.
func (o *operations) setKernelRole(ctx context.Context, c op.Call, in roleSetIn) (roleRow, error) {
	if err := needKernel(c); err != nil {
		return roleRow{}, err
	}
	if in.Role == "default" {
		return roleRow{}, &op.FieldError{Field: "role", Reason: "default is for a context", Hint: "name the context, or give another role"}
	}
	right, err := kaijutsu.ParseRole(in.Role)
	if err != nil {
		return roleRow{}, fmt.Errorf("role: %w", err)
	}
	m, err := o.parts.Access.SetRole(ctx, c.By, in.Principal, right)
	if err != nil {
		return roleRow{}, named(err)
	}
	return kernelRole(m), nil
}

// named says that an error is about the parameter principal.
func named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("principal: %w", err)
}

// kernelRole shows what somebody may do with the kernel.
func kernelRole(m access.Member) roleRow {
	return roleRow{Principal: m.Principal.Name, Kind: string(m.Principal.Kind), Role: m.Right.String()}
}

// needKernel refuses who does not own the kernel.
func needKernel(c op.Call) error {
	if c.Right >= kaijutsu.RightOwn {
		return nil
	}
	return fmt.Errorf("%w: it takes the role owner on the kernel, %s has %s; or name a context", kaijutsu.ErrDenied, c.By.Name, c.Right)
}
