package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/op"
)

type limitSetIn struct {
	Name  string `json:"name" jsonschema:"The limit, as limit_list names it." rule:"minlen=1,maxlen=64"`
	Value string `json:"value" jsonschema:"A whole number, which may end with k, M, KiB, MiB or GiB; none: no limit; default: what it is without anybody setting it." rule:"minlen=1,maxlen=32"`
}

type limitSetOut struct {
	Name  string `json:"name"`
	Value int64  `json:"value" jsonschema:"0: there is no limit now."`
	Was   int64  `json:"was"`
}

func (o *operations) limitSet() *op.Op {
	return define(o, op.Spec{
		Name: "limit_set", Title: "Set a limit", Args: []string{"name", "value"},
		Summary: "Change a limit of this server, for everybody and at once",
		Description: "It counts until the server is started again; kj serve --limit sets it from the start. " +
			"Nobody loses what they have: a lower limit only holds back what comes.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("limit_set"),
	}, o.setLimit)
}

func (o *operations) setLimit(_ context.Context, _ op.Call, in limitSetIn) (limitSetOut, error) {
	l := o.parts.Limits
	if l == nil {
		return limitSetOut{}, errNoLimits
	}
	was, err := l.Find(limit.Name(in.Name))
	if err != nil {
		return limitSetOut{}, fmt.Errorf("name: %w", err)
	}
	value := was.Default
	if in.Value != "default" {
		if value, err = limit.ParseValue(in.Value); err != nil {
			return limitSetOut{}, &op.FieldError{Field: "value", Reason: fmt.Sprintf("%q is no value of a limit", in.Value), Hint: "give a whole number such as 200, 10k or 64MiB, or none, or default"}
		}
	}
	if err := l.Set(was.Name, value); err != nil {
		return limitSetOut{}, err
	}
	return limitSetOut{in.Name, value, was.Value}, nil
}
