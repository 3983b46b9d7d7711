package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type tokenCreateIn struct {
	Name    string   `json:"name" jsonschema:"Who it is for: the name under which histories show what is done with it. A name that exists gets one more token." rule:"minlen=1,maxlen=64"`
	Kind    string   `json:"kind,omitempty" jsonschema:"What sort of actor that is. A service is a relay: what comes through it is shown as via its name. Default: the kind that the name has, else agent." rule:"enum=person|agent|service"`
	Role    string   `json:"role,omitempty" jsonschema:"What it may do with every context. Default: the role that the name has, else editor." rule:"enum=none|reader|commenter|editor|owner"`
	Deny    []string `json:"deny,omitempty" jsonschema:"Operations that it may not use: names, or families such as block_*. Default: those that the name has, else none." rule:"maxitems=100"`
	Expires string   `json:"expires,omitempty" jsonschema:"When it ends: a time such as 2026-12-31T00:00:00Z, or how long from now, such as 72h. Default: never." rule:"maxlen=64"`
}

type tokenRow struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Role     string   `json:"role"`
	Deny     []string `json:"deny,omitempty"`
	Created  string   `json:"created"`
	By       string   `json:"created_by,omitempty"`
	Expires  string   `json:"expires,omitempty"`
	LastUsed string   `json:"last_used,omitempty" jsonschema:"Since the server was started."`
}

type tokenCreateOut struct {
	tokenRow
	Token string `json:"token" jsonschema:"The token. It is shown this once and kept nowhere."`
}

func (o *operations) tokenCreate() *op.Op {
	return op.Define(op.Spec{
		Name: "token_create", Title: "Create a token", Args: []string{"name"},
		Summary: "Make a token, with which somebody logs in under a name and with a role",
		Description: "The token is in the result, once. Everything done with it is attributed to the name, for ever, so give each agent its own. " +
			"role_set changes a role later, also for one context.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Writes,
		Examples: examplesOf("token_create"),
	}, o.createToken)
}
