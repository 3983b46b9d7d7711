package kaijutsu

import "fmt"

// Right says how much a principal may do with a context, or with the kernel.
// Each right holds those below it. The zero value is no right at all.
type Right uint8

// The rights, and the roles that carry them.
const (
	RightNone    Right = iota
	RightRead          // role reader: see, search, export
	RightComment       // role commenter: and add comment blocks, and edit its own
	RightEdit          // role editor: and write anything, and make contexts
	RightOwn           // role owner: and delete, and say who may do what
)

var roleNames = [...]string{"none", "reader", "commenter", "editor", "owner"}

// String returns the role that carries the right, as people write it.
func (r Right) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return fmt.Sprintf("Right(%d)", uint8(r))
}

// ParseRole returns the right that a role carries: "none", "reader",
// "commenter", "editor" or "owner". The error wraps ErrInvalid.
func ParseRole(role string) (Right, error) {
	for i, name := range roleNames {
		if name == role {
			return Right(i), nil
		}
	}
	return RightNone, fmt.Errorf("role %.64q: want none, reader, commenter, editor or owner: %w", role, ErrInvalid)
}
