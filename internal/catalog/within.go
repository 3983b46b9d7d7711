package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// within returns the call as one from the context that a parameter names, and
// that context's id; the call as it is where the parameter is empty. The
// parameter itself is read as the call stands: .parent is the parent of the
// call's context. Every other address is then read from the one that it names,
// so that .parent is the parent of that.
func (o *operations) within(ctx context.Context, c op.Call, named string) (op.Call, string, error) {
	if err := sourced(c, named); err != nil {
		return c, "", err
	}
	if named == "" {
		return c, "", nil
	}
	doc, err := o.parts.Kernel.Resolve(ctx, c, named, kaijutsu.RightRead)
	if err != nil {
		return c, "", err
	}
	c.Context = doc.Name()
	return c, c.Context, nil
}

// sourced refuses a call that names no context, neither itself nor by where it
// comes from.
func sourced(c op.Call, context string) error {
	if (context == "" || context == ".") && c.Context == "" {
		return &op.FieldError{Field: "context", Reason: "none is named, and the call has none", Hint: "name the context that you work in"}
	}
	return nil
}
