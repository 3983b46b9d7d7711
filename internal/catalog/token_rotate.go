package catalog

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
)

type tokenRotateIn struct {
	Token string `json:"token,omitempty" jsonschema:"The id of the token, as token_list shows it; owner for the one in the file owner.token of the node that is asked. Default: the one that the call comes with." rule:"maxlen=64"`
	Grace string `json:"grace,omitempty" jsonschema:"How long the former secret stays good: 0s to 168h. Default: 1h; of the owner's token 0s." rule:"maxlen=64"`
}

type tokenRotateOut struct {
	tokenRow
	Token string `json:"token" jsonschema:"The new secret. It is shown this once; that of owner is in its file too."`
}

// ownerTokenName is what token_rotate calls the token in the owner's file.
const ownerTokenName = "owner"

// defaultGrace is how long the former secret of a token stays good.
const defaultGrace = time.Hour

func (o *operations) tokenRotate() *op.Op {
	return define(o, op.Spec{
		Name: "token_rotate", Title: "Rotate a token", Args: []string{"token"},
		Summary: "Give a token another secret, without a gap for those who use it",
		Description: "The id, the name, the role and what narrows the token stay. The former secret is good for a while longer, and what is connected with it " +
			"stays connected until then; with grace 0s both end now. A token that may have been seen by others is better revoked, or rotated with 0s.\n\n" +
			"Everybody may rotate the token that they call with; for others it takes the role owner on the kernel.",
		Scope: op.OnContext, Right: kaijutsu.RightNone, Effect: op.Writes,
		Examples: examplesOf("token_rotate"),
	}, o.rotateToken)
}

func (o *operations) rotateToken(ctx context.Context, c op.Call, in tokenRotateIn) (tokenRotateOut, error) {
	id := in.Token
	if id == "" {
		id = c.Token
	}
	if id == "" {
		return tokenRotateOut{}, &op.FieldError{Field: "token", Reason: "this call comes with none", Hint: "name one by its id, as token_list shows it"}
	}
	if id != c.Token || id == ownerTokenName {
		if err := needKernel(c); err != nil {
			return tokenRotateOut{}, fmt.Errorf("rotate token %.64q: %w", id, err)
		}
	}
	grace := defaultGrace
	if id == ownerTokenName {
		grace = 0
	}
	if in.Grace != "" {
		var err error
		if grace, err = time.ParseDuration(in.Grace); err != nil || grace < 0 || grace > access.MaxGrace {
			return tokenRotateOut{}, &op.FieldError{Field: "grace", Reason: fmt.Sprintf("%.64q is no such time", in.Grace), Hint: fmt.Sprintf("want 0s to %v", access.MaxGrace)}
		}
	}
	if id == ownerTokenName {
		return o.rotateOwner(grace)
	}
	secret, now, err := o.parts.Access.Rotate(ctx, c.By, id, grace)
	if err != nil {
		return tokenRotateOut{}, err
	}
	return tokenRotateOut{tokenRowOf(now), secret}, nil
}

// rotateOwner gives the owner's token another secret.
func (o *operations) rotateOwner(grace time.Duration) (tokenRotateOut, error) {
	if o.parts.RotateOwner == nil {
		return tokenRotateOut{}, fmt.Errorf("there is no owner's token here: %w", kaijutsu.ErrUnavailable)
	}
	secret, err := o.parts.RotateOwner(grace)
	if err != nil {
		return tokenRotateOut{}, err
	}
	now := time.Now()
	out := tokenRotateOut{tokenRow{ID: ownerTokenName, Name: ownerTokenName, Kind: string(kaijutsu.Person), Role: kaijutsu.RightOwn.String(), Created: timeText(now), Rotated: timeText(now)}, secret}
	if grace > 0 {
		out.Former = timeText(now.Add(grace))
	}
	return out, nil
}
