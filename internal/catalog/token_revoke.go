package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type tokenRevokeIn struct {
	ID string `json:"id" jsonschema:"The id of the token, as token_list shows it." rule:"minlen=1,maxlen=64"`
}

type tokenRevokeOut struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Revoked bool   `json:"revoked"`
}

func (o *operations) tokenRevoke() *op.Op {
	return op.Define(op.Spec{
		Name: "token_revoke", Title: "Revoke a token", Args: []string{"id"},
		Summary:     "Make a token worthless, now and on connections that use it",
		Description: "What was done with it stays, under its name. Other tokens of the name are not touched.",
		Scope:       op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Destroys,
		Examples: examplesOf("token_revoke"),
	}, o.revokeToken)
}
