package access

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// Grant is the role of a principal in one context, which counts instead of its
// role on the kernel.
type Grant struct {
	Principal kaijutsu.Principal
	Right     kaijutsu.Right // RightNone hides the context from it
	By        kaijutsu.Principal
	At        time.Time
}

// Grant gives a principal a right to a document, from now on. The error wraps
// kaijutsu.ErrNotFound when nobody has the name, and ErrConflict when it is an
// owner of the kernel's, whose right nothing changes.
func (t *Table) Grant(ctx context.Context, by kaijutsu.Principal, doc kaijutsu.DocumentID, name string, right kaijutsu.Right) (Grant, error) {
	if right > kaijutsu.RightOwn {
		return Grant{}, &op.FieldError{Field: "role", Reason: right.String() + " is none"}
	}
	leave, err := t.write(ctx)
	if err != nil {
		return Grant{}, err
	}
	defer leave()
	known, err := t.known(name)
	if err != nil {
		return Grant{}, err
	}
	g := Grant{Principal: known.who, Right: right, By: by, At: t.now().UTC().Truncate(time.Millisecond)}
	if err := t.put(ctx, by, recordOfGrant(doc, g)); err != nil {
		return Grant{}, fmt.Errorf("grant %s to %s: %w", right, name, err)
	}
	return g, nil
}

// Ungrant takes a grant back: the principal's role on the kernel counts again.
// The error wraps kaijutsu.ErrNotFound when there is none.
func (t *Table) Ungrant(ctx context.Context, by kaijutsu.Principal, doc kaijutsu.DocumentID, name string) error {
	leave, err := t.write(ctx)
	if err != nil {
		return err
	}
	defer leave()
	t.mu.RLock()
	_, ok := t.grants[doc][name]
	t.mu.RUnlock()
	if !ok {
		return fmt.Errorf("grant to %.64q: %w", name, kaijutsu.ErrNotFound)
	}
	if err := t.put(ctx, by, records.Record{Name: grantName(doc, name)}); err != nil {
		return fmt.Errorf("take back the grant to %s: %w", name, err)
	}
	return nil
}

// Grants returns the grants in a document, by name.
func (t *Table) Grants(doc kaijutsu.DocumentID) []Grant {
	t.mu.RLock()
	defer t.mu.RUnlock()
	all := make([]Grant, 0, len(t.grants[doc]))
	for name, g := range t.grants[doc] {
		if p := t.principals[name]; p != nil {
			g.Principal = p.who
		}
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b Grant) int { return strings.Compare(a.Principal.Name, b.Principal.Name) })
	return all
}
