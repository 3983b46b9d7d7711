package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type tokenRevokeIn struct {
	Token string `json:"token" jsonschema:"The id of the token, as token_list shows it; or a name: all of its tokens." rule:"minlen=1,maxlen=64"`
}

type tokenRevokeOut struct {
	Revoked []tokenRow `json:"revoked"`
}

func (o *operations) tokenRevoke() *op.Op {
	return define(o, op.Spec{
		Name: "token_revoke", Title: "Revoke a token", Args: []string{"token"},
		Summary:     "Make a token worthless, now and on connections that use it",
		Description: "What was done with it stays, under its name. Other tokens of its owner stay, unless the name was given.",
		Scope:       op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Destroys,
		Examples: examplesOf("token_revoke"),
	}, o.revokeToken)
}

func (o *operations) revokeToken(ctx context.Context, c op.Call, in tokenRevokeIn) (tokenRevokeOut, error) {
	gone, err := o.parts.Access.Revoke(ctx, c.By, in.Token)
	if err != nil {
		return tokenRevokeOut{}, err
	}
	out := tokenRevokeOut{Revoked: make([]tokenRow, len(gone))}
	for i, t := range gone {
		out.Revoked[i] = tokenRowOf(t)
	}
	return out, nil
}
