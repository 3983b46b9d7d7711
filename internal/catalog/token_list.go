package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type tokenListIn struct {
	Name string `json:"name,omitempty" jsonschema:"Only the tokens of this name." rule:"maxlen=64"`
}

type tokenListOut struct {
	Tokens []tokenRow `json:"tokens"`
}

func (o *operations) tokenList() *op.Op {
	return define(o, op.Spec{
		Name: "token_list", Title: "List tokens", Command: []string{"token", "ls"}, Args: []string{"name"},
		Summary:     "List the tokens: whose they are and what they may do",
		Description: "The tokens themselves are not shown: nobody has them but those to whom they were given.",
		Scope:       op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("token_list"),
	}, o.listTokens)
}

func (o *operations) listTokens(_ context.Context, _ op.Call, in tokenListIn) (tokenListOut, error) {
	out := tokenListOut{Tokens: []tokenRow{}}
	for _, t := range o.parts.Access.Tokens() {
		if in.Name == "" || in.Name == t.Principal.Name {
			out.Tokens = append(out.Tokens, tokenRowOf(t))
		}
	}
	return out, nil
}
