package access

import (
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// The doors that a token may be for.
const (
	DoorHTTP = "http" // operations, streams and the page
	DoorSync = "sync" // editors
	DoorMCP  = "mcp"  // agents
)

// Doors are all doors.
var Doors = []string{DoorHTTP, DoorSync, DoorMCP}

// maxContexts bounds the contexts that a token may be limited to.
const maxContexts = 1000

// Scope narrows what a token gives of what its principal may do. The zero value
// narrows nothing.
type Scope struct {
	// Most is the greatest right that is left; RightNone stands for all of it.
	Most kaijutsu.Right
	// Contexts are the only documents that there are; none: all. With them
	// there is no right on the kernel as a whole.
	Contexts []kaijutsu.DocumentID
	// Only are the operations that there are, by name or family as "block_*";
	// none: all.
	Only []string
	// Deny are operations that there are not, besides those of the principal.
	Deny []string
	// Doors are where it is taken, of Doors. None: at all doors, but a token
	// with Only opens no connection for editors, whose changes are no
	// operations.
	Doors []string
}

// IsZero reports whether nothing is narrowed.
func (s Scope) IsZero() bool {
	return s.Most == kaijutsu.RightNone && len(s.Contexts)+len(s.Only)+len(s.Deny)+len(s.Doors) == 0
}

// Takes reports whether the token is taken at a door.
func (s Scope) Takes(door string) bool {
	if len(s.Doors) == 0 {
		return door != DoorSync || len(s.Only) == 0
	}
	return slices.Contains(s.Doors, door)
}

// check holds a scope against the rules.
func (s Scope) check() error {
	if s.Most > kaijutsu.RightOwn {
		return &op.FieldError{Field: "limit", Reason: s.Most.String() + " is none"}
	}
	if len(s.Contexts) > maxContexts {
		return &op.FieldError{Field: "contexts", Reason: fmt.Sprintf("%d: at most %d", len(s.Contexts), maxContexts), Hint: "give the principal roles in contexts instead"}
	}
	for _, list := range []struct {
		field string
		words []string
	}{{"only", s.Only}, {"deny", s.Deny}} {
		if err := checkWords(list.field, list.words); err != nil {
			return err
		}
	}
	for i, d := range s.Doors {
		if !slices.Contains(Doors, d) {
			return &op.FieldError{Field: fmt.Sprintf("doors[%d]", i), Reason: fmt.Sprintf("there is no door %.64q", d), Hint: "there are " + strings.Join(Doors, ", ")}
		}
	}
	return nil
}

// checkWords accepts a list of operations and families.
func checkWords(field string, words []string) error {
	if len(words) > maxDeny {
		return &op.FieldError{Field: field, Reason: fmt.Sprintf("%d names: at most %d", len(words), maxDeny), Hint: "name a family, such as block_*"}
	}
	for _, w := range words {
		if !denyWord.MatchString(w) {
			return &op.FieldError{Field: field, Reason: fmt.Sprintf("%.64q is no operation", w), Hint: "want a name such as block_edit, or a family such as block_*"}
		}
	}
	return nil
}

// normal returns a copy that is sorted and has nothing twice.
func (s Scope) normal() Scope {
	s.Only, s.Deny, s.Doors = sorted(s.Only), sorted(s.Deny), sorted(s.Doors)
	s.Contexts = slices.Clone(s.Contexts)
	slices.SortFunc(s.Contexts, kaijutsu.DocumentID.Compare)
	s.Contexts = slices.Compact(s.Contexts)
	return s
}

// copied returns a copy that shares nothing.
func (s Scope) copied() Scope {
	s.Only, s.Deny, s.Doors, s.Contexts = slices.Clone(s.Only), slices.Clone(s.Deny), slices.Clone(s.Doors), slices.Clone(s.Contexts)
	return s
}

// bounds is what calls carry of a scope; nil when it narrows no right.
func (s Scope) bounds() *op.Bounds {
	if s.Most == kaijutsu.RightNone && len(s.Contexts)+len(s.Only) == 0 {
		return nil
	}
	b := &op.Bounds{Most: s.Most, Only: s.Only}
	if b.Most == kaijutsu.RightNone {
		b.Most = kaijutsu.RightOwn
	}
	if len(s.Contexts) > 0 {
		b.Contexts = make(map[kaijutsu.DocumentID]struct{}, len(s.Contexts))
		for _, doc := range s.Contexts {
			b.Contexts[doc] = struct{}{}
		}
	}
	return b
}

// equal reports whether two scopes, as normal returns them, narrow the same.
func (s Scope) equal(o Scope) bool {
	return s.Most == o.Most && slices.Equal(s.Contexts, o.Contexts) && slices.Equal(s.Only, o.Only) && slices.Equal(s.Deny, o.Deny) && slices.Equal(s.Doors, o.Doors)
}
