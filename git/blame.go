package git

import (
	"context"
	"fmt"

	"kaijutsu"
)

// LineOrigin says where a line of a file came from.
type LineOrigin struct {
	Commit Hash
	Path   string // of the file in that commit
	Line   int    // 1-based, in that commit
	Author Signature
}

// Blame finds.
func (r *Repo) Blame(ctx context.Context, commit Hash, path string) ([]LineOrigin, error) {
	return nil, fmt.Errorf("blame: %w", kaijutsu.ErrUnavailable)
}
