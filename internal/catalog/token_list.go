package catalog

import (
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
	return op.Define(op.Spec{
		Name: "token_list", Title: "List tokens", Command: []string{"token", "ls"}, Args: []string{"name"},
		Summary:     "List the tokens: whose they are and what they may do",
		Description: "The tokens themselves are not shown: nobody has them but those to whom they were given.",
		Scope:       op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("token_list"),
	}, o.listTokens)
}
