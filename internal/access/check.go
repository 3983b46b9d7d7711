package access

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// Limits of what a token may say.
const (
	maxNameBytes = 64
	maxDeny      = 200
)

// checkNew holds a new token against the rules.
func (t *Table) checkNew(n NewToken) error {
	if err := checkName(n.Name); err != nil {
		return err
	}
	if err := checkReserved(n.Name); err != nil {
		return err
	}
	switch n.Kind {
	case kaijutsu.Person, kaijutsu.Agent, kaijutsu.Service:
	default:
		return &op.FieldError{Field: "kind", Reason: fmt.Sprintf("%.64q: want person, agent or service", n.Kind)}
	}
	if _, taken := t.owners[n.Name]; taken {
		return fmt.Errorf("name %q is the kernel owner's own: %w: choose another", n.Name, kaijutsu.ErrConflict)
	}
	switch {
	case n.By.IsZero():
		return fmt.Errorf("nobody makes it: %w", kaijutsu.ErrDenied)
	case n.Right > kaijutsu.RightOwn:
		return &op.FieldError{Field: "role", Reason: n.Right.String() + " is none"}
	case !n.Expires.IsZero() && !n.Expires.After(t.now()):
		return &op.FieldError{Field: "expires", Reason: "it is past", Hint: "name a time to come"}
	}
	if err := checkWords("deny", n.Deny); err != nil {
		return err
	}
	return n.Scope.check()
}

var denyWord = regexp.MustCompile(`^([a-z][a-z0-9_]{0,63}\*?|\*)$`)

// checkName accepts what may be the name of a principal.
func checkName(name string) error {
	bad := func(reason string) error {
		return &op.FieldError{Field: "name", Reason: reason, Hint: fmt.Sprintf("want 1 to %d bytes that print, without a space at the ends", maxNameBytes)}
	}
	switch {
	case name == "":
		return bad("it is empty")
	case len(name) > maxNameBytes:
		return bad(fmt.Sprintf("%d bytes are too many", len(name)))
	case !utf8.ValidString(name):
		return bad("it is not UTF-8")
	case strings.TrimSpace(name) != name:
		return bad(fmt.Sprintf("%q has a space at an end", name))
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return bad(fmt.Sprintf("%q holds a character that does not print", name))
		}
	}
	return nil
}

// is reports whether a principal is known as just this.
func (t *Table) is(p *principal) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	known := t.principals[p.who.Name]
	return known != nil && known.who == p.who && known.right == p.right && slices.Equal(known.deny, p.deny)
}

// checkClash holds a principal against what it is already.
func (t *Table) checkClash(p *principal) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	known := t.principals[p.who.Name]
	switch {
	case known == nil:
		return nil
	case known.who.Kind != p.who.Kind:
		return fmt.Errorf("%q is known here as %s: %w: histories name it so; choose another name", p.who.Name, known.who.Kind, kaijutsu.ErrConflict)
	case !t.liveLocked(p.who.Name):
		return nil
	case known.right != p.right:
		return fmt.Errorf("%q has the role %s: %w: a token has none of its own; ask for that one, or change the role first", p.who.Name, known.right, kaijutsu.ErrConflict)
	case !slices.Equal(known.deny, p.deny):
		return fmt.Errorf("%q is denied %s: %w: a token denies nothing by itself; deny the same, or revoke its tokens first", p.who.Name, listed(known.deny), kaijutsu.ErrConflict)
	}
	return nil
}

func listed(deny []string) string {
	if len(deny) == 0 {
		return "nothing"
	}
	return strings.Join(deny, ", ")
}

// sorted returns the words sorted and without duplicates; it copies them.
func sorted(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return slices.Compact(words)
}
