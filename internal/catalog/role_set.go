package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type roleSetIn struct {
	Principal string `json:"principal" jsonschema:"The name of who gets the role." rule:"minlen=1,maxlen=64"`
	Role      string `json:"role" jsonschema:"reader: see, search, export. commenter: and add comment blocks. editor: and write. owner: and delete, and say who may do what. none: nothing. default: in a context, what the kernel grants." rule:"enum=none|reader|commenter|editor|owner|default"`
	Context   string `json:"context,omitempty" jsonschema:"The context in which it counts: its id, its automerge: URL or its title. Default: the kernel, that is every context that grants no other role." rule:"maxlen=1000"`
}

type roleRow struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind"`
	Role      string `json:"role"`
	Context   string `json:"context,omitempty" jsonschema:"The id of the context in which it counts. Absent: the kernel."`
}

func (o *operations) roleSet() *op.Op {
	return op.Define(op.Spec{
		Name: "role_set", Title: "Set a role", Args: []string{"principal", "role"},
		Summary: "Say what somebody may do, with every context or with one",
		Description: "A role in a context counts there instead of the one on the kernel, whether it is more or less. " +
			"It takes effect at once, also on connections that are open. Who owns the kernel owns every context.\n\n" +
			"It takes the role owner: of the context, or of the kernel when none is named.",
		Scope: op.OnContext, Right: kaijutsu.RightOwn, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("role_set"),
	}, o.setRole)
}
