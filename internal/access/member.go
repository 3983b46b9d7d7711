package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// Member is a principal that the server knows.
type Member struct {
	Principal kaijutsu.Principal
	Right     kaijutsu.Right // on the kernel
	Deny      []string       // operations it may not use
	Tokens    int            // that are good now; an owner of the kernel needs none
}

// Member returns the principal of this name.
func (t *Table) Member(name string) (Member, bool) {
	if p, ok := t.owners[name]; ok {
		return Member{Principal: p, Right: kaijutsu.RightOwn}, true
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	p := t.principals[name]
	if p == nil {
		return Member{}, false
	}
	return t.memberLocked(p), true
}

// Members returns every principal, by name: the owners of the kernel, and those
// that have or had a token.
func (t *Table) Members() []Member {
	t.mu.RLock()
	defer t.mu.RUnlock()
	all := make([]Member, 0, len(t.owners)+len(t.principals))
	for _, p := range t.owners {
		all = append(all, Member{Principal: p, Right: kaijutsu.RightOwn})
	}
	for _, p := range t.principals {
		all = append(all, t.memberLocked(p))
	}
	slices.SortFunc(all, func(a, b Member) int { return strings.Compare(a.Principal.Name, b.Principal.Name) })
	return all
}

func (t *Table) memberLocked(p *principal) Member {
	m := Member{Principal: p.who, Right: p.right, Deny: slices.Clone(p.deny)}
	for _, k := range t.keys[p.who.Name] {
		if !k.expired(t.now()) {
			m.Tokens++
		}
	}
	return m
}

// SetRole gives a principal another role on the kernel, from now on. The error
// wraps kaijutsu.ErrNotFound when nobody has the name, and ErrConflict when it
// is an owner of the kernel's without a token of this table.
func (t *Table) SetRole(ctx context.Context, by kaijutsu.Principal, name string, right kaijutsu.Right) (Member, error) {
	if right > kaijutsu.RightOwn {
		return Member{}, &op.FieldError{Field: "role", Reason: right.String() + " is none"}
	}
	leave, err := t.write(ctx)
	if err != nil {
		return Member{}, err
	}
	defer leave()
	known, err := t.known(name)
	if err != nil {
		return Member{}, err
	}
	p := &principal{known.who, right, known.deny}
	if err := t.put(ctx, by, recordOfPrincipal(p)); err != nil {
		return Member{}, fmt.Errorf("make %s %s: %w", name, right, err)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.memberLocked(p), nil
}

// known returns the principal whose rights are to be changed.
func (t *Table) known(name string) (*principal, error) {
	if _, owns := t.owners[name]; owns {
		return nil, fmt.Errorf("%q owns the kernel: %w: nothing changes what it may do", name, kaijutsu.ErrConflict)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if p := t.principals[name]; p != nil {
		return p, nil
	}
	names := make([]string, 0, len(t.principals))
	for n := range t.principals {
		names = append(names, n)
	}
	slices.Sort(names)
	hint := "; make it a token first"
	if near := op.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, fmt.Errorf("principal %.64q: %w%s", name, kaijutsu.ErrNotFound, hint)
}
