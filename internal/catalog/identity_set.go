package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
)

type identitySetIn struct {
	Principal string  `json:"principal,omitempty" jsonschema:"The name of whom it is about. Default: you. Others are an owner's business." rule:"maxlen=64"`
	Name      *string `json:"name,omitempty" jsonschema:"The full name, as commits show it. Empty: none is on record. Default: as it is." rule:"maxlen=128"`
	Email     *string `json:"email,omitempty" jsonschema:"The address, as commits show it. Who has none is named in no trailer Co-authored-by. Nobody checks it. Empty: none. Default: as it is." rule:"maxlen=254"`
	Model     *string `json:"model,omitempty" jsonschema:"Of an agent: the model that it runs on, wherever it works. Empty: that of the context that it writes in. Default: as it is." rule:"maxlen=200"`
	Tool      *string `json:"tool,omitempty" jsonschema:"Of an agent: the program that it is, as authorship notes name it. Empty: its name here. Default: as it is." rule:"maxlen=64"`
}

// identityRow is how a principal signs outside of the kernel.
type identityRow struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind" jsonschema:"person, agent or service."`
	Name      string `json:"name,omitempty"`
	Email     string `json:"email,omitempty"`
	Model     string `json:"model,omitempty"`
	Tool      string `json:"tool,omitempty"`
}

func (o *operations) identitySet() *op.Op {
	return define(o, op.Spec{
		Name: "identity_set", Title: "Set an identity", Command: []string{"identity", "set"},
		Summary: "Say under which full name and address commits name somebody",
		Description: "Commits made from blocks name their authors by what is on record here, and the notes that say who wrote which line do so too. " +
			"It gives no right. What is left out stays as it is; when nothing is left on record, the name here is used.\n\n" +
			"Everybody sets their own; for others it takes the role owner on the kernel.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("identity_set"),
	}, o.setIdentity)
}

func (o *operations) setIdentity(ctx context.Context, c op.Call, in identitySetIn) (identityRow, error) {
	of, err := o.principal("principal", in.Principal, c.By)
	if err != nil {
		return identityRow{}, err
	}
	if in.Name == nil && in.Email == nil && in.Model == nil && in.Tool == nil {
		return identityRow{}, &op.FieldError{Field: "name", Reason: "nothing is to be set", Hint: "give name, email, model or tool"}
	}
	p, _ := o.parts.Access.Identity(of)
	for _, f := range []struct{ to, from *string }{{&p.Name, in.Name}, {&p.Email, in.Email}, {&p.Model, in.Model}, {&p.Tool, in.Tool}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if b := c.Bounds; b != nil && (b.Contexts != nil || b.Most < kaijutsu.RightOwn) {
		return identityRow{}, fmt.Errorf("set the identity of %s: %w: this token is limited, and the identity is the principal's everywhere; use another token", of, kaijutsu.ErrDenied)
	}
	if err := o.parts.Access.SetIdentity(ctx, c.By, of, p); err != nil {
		return identityRow{}, err
	}
	return identityRowOf(access.Identified{Of: of, Person: p}), nil
}

func identityRowOf(i access.Identified) identityRow {
	return identityRow{i.Of.Name, string(i.Of.Kind), i.Name, i.Email, i.Model, i.Tool}
}

// principal returns whom a parameter names: by default somebody else.
func (o *operations) principal(field, name string, other kaijutsu.Principal) (kaijutsu.Principal, error) {
	if name == "" || name == other.Name {
		return other, nil
	}
	m, ok := o.parts.Access.Member(name)
	if !ok {
		return kaijutsu.Principal{}, kaijutsu.About(field, fmt.Errorf("%s: principal %.64q: %w; token_list lists whom there is, token_create makes one", field, name, kaijutsu.ErrNotFound))
	}
	return m.Principal, nil
}
