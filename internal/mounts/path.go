package mounts

import (
	"fmt"
	"path"
	"strings"

	"kaijutsu/internal/op"
)

// scratch is the memory that is always there.
const scratch = "/scratch"

// checkPath refuses what cannot be the path of a mount.
func checkPath(p string) error {
	reason := ""
	switch {
	case len(p) > maxPathBytes:
		reason = fmt.Sprintf("it has %d bytes, at most %d", len(p), maxPathBytes)
	case !plain(p):
		reason = "it holds a character that cannot be shown"
	case !strings.HasPrefix(p, "/"):
		reason = fmt.Sprintf("%.200q does not begin at the root", p)
	case p == "/":
		reason = "the root itself is no place for a mount"
	case path.Clean(p) != p:
		reason = fmt.Sprintf("%.200q is not as a path is written: %.200q is", p, path.Clean(p))
	default:
		return nil
	}
	return &op.FieldError{Field: "path", Reason: reason, Hint: "want a path such as /mnt/app"}
}

// below reports whether a path is another, or lies below it.
func below(p, parent string) bool {
	return p == parent || strings.HasPrefix(p, parent+"/") || parent == "/"
}
