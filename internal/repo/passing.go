package repo

import "context"

type inPassing struct{}

// InPassing returns a context whose calls leave no document open: one that only
// such calls use is closed with the last of them. It is for who looks at every
// document once, such as an index or a listing; ten thousand that stay open for a
// while would take more memory than all that people work on.
func InPassing(ctx context.Context) context.Context {
	return context.WithValue(ctx, inPassing{}, true)
}

func passing(ctx context.Context) bool {
	is, _ := ctx.Value(inPassing{}).(bool)
	return is
}
