package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// revokeTokens is how many tokens are revoked with one change.
const revokeTokens = 500

// secretPrefix lets people and scanners see what a secret is.
const secretPrefix = "kj_"

// Identity is who a token belongs to.
type Identity struct {
	Principal kaijutsu.Principal
	Right     kaijutsu.Right // on the kernel
	Deny      []string       // operations it may not use; not to be modified
	TokenID   string
	// Bounds are what the token narrows; nil: nothing. Right is narrowed already.
	Bounds *op.Bounds
	// Via says which authority vouched for who has the token; "": none.
	Via string

	scope Scope
	hash  [sha256.Size]byte // of the secret that was shown
}

// Takes reports whether the token is taken at a door, of Doors.
func (i Identity) Takes(door string) bool { return i.scope.Takes(door) }

// NewToken says whose token to make.
type NewToken struct {
	// Name is the principal: 1 to 64 bytes, printable, no space at its ends.
	Name string
	Kind kaijutsu.PrincipalKind // default person
	// Right is the principal's role on the kernel.
	Right kaijutsu.Right
	// Deny names operations that the principal may not use, or families as
	// "block_*".
	Deny []string
	// By makes the token; required.
	By kaijutsu.Principal
	// Expires ends the token; zero: it stays until it is revoked.
	Expires time.Time
	// Scope narrows what the token gives of that.
	Scope Scope
	// Via says which authority vouched for who gets it, as "oidc"; empty: none,
	// somebody made it.
	Via string
}

// Token is what is known of a token; its secret is not.
type Token struct {
	ID        string
	Principal kaijutsu.Principal
	Right     kaijutsu.Right // the principal's, on the kernel
	Deny      []string       // the principal's
	By        kaijutsu.Principal
	Created   time.Time
	Expires   time.Time // zero: never
	Used      time.Time // zero: not since the server started
	Scope     Scope     // what it narrows
	Via       string    // which authority vouched for who has it; "": none
	Rotated   time.Time // when it got its secret; zero: when it was made
	Former    time.Time // until when the secret before that is good; zero: it is not
}

// Identify returns who a token belongs to. The error wraps kaijutsu.ErrDenied
// when there is none with this secret, or it has expired.
func (t *Table) Identify(secret string) (Identity, error) {
	hash := sha256.Sum256([]byte(secret))
	now := t.now()
	t.mu.RLock()
	defer t.mu.RUnlock()
	k := t.secrets[hash]
	if k == nil {
		return Identity{}, fmt.Errorf("this token is not known here: %w: it may have been revoked", kaijutsu.ErrDenied)
	}
	if k.expired(now) {
		return Identity{}, fmt.Errorf("the token of %s expired at %s: %w", k.Principal.Name, k.Expires.UTC().Format(time.RFC3339), kaijutsu.ErrDenied)
	}
	if hash == k.former && !now.Before(k.Former) {
		return Identity{}, fmt.Errorf("the token of %s was rotated, and its former secret is good no more: %w", k.Principal.Name, kaijutsu.ErrDenied)
	}
	p := t.principals[k.Principal.Name]
	if p == nil {
		return Identity{}, fmt.Errorf("nothing is known of the token's principal %q: %w", k.Principal.Name, kaijutsu.ErrDenied)
	}
	k.used.Store(now.UnixNano())
	id := Identity{Principal: p.who, Right: k.bounds.Kernel(p.right), Deny: p.deny, TokenID: k.ID, Bounds: k.bounds, Via: k.Via, scope: k.Scope, hash: hash}
	if len(k.Scope.Deny) > 0 {
		id.Deny = slices.Concat(p.deny, k.Scope.Deny)
	}
	return id, nil
}

// CreateToken makes a token and returns its secret, which nobody can tell a
// second time. The principal is made with it; one that has a token that is good
// keeps its role and its denied operations. The error wraps kaijutsu.ErrInvalid
// for what is not well formed and ErrConflict for what clashes with what the
// principal is.
func (t *Table) CreateToken(ctx context.Context, n NewToken) (secret string, made Token, err error) {
	if n.Kind == "" {
		n.Kind = kaijutsu.Person
	}
	if err := t.checkNew(n); err != nil {
		return "", Token{}, fmt.Errorf("create token: %w", err)
	}
	leave, err := t.write(ctx)
	if err != nil {
		return "", Token{}, err
	}
	defer leave()
	p := &principal{who: kaijutsu.Principal{Name: n.Name, Kind: n.Kind}, right: n.Right, deny: sorted(n.Deny)}
	if err := t.checkClash(p); err != nil {
		return "", Token{}, fmt.Errorf("create token: %w", err)
	}
	k := &token{Token: Token{
		ID: newID(), Principal: p.who, By: n.By, Created: t.now().UTC().Truncate(time.Millisecond), Expires: n.Expires.UTC(),
		Scope: n.Scope.normal(), Via: n.Via,
	}}
	secret, k.hash = newSecret()
	if n.Expires.IsZero() {
		k.Expires = time.Time{}
	}
	rs := []records.Record{recordOfToken(k)}
	if !t.is(p) { // else a role that another node gives it meanwhile stays
		rs = []records.Record{recordOfPrincipal(p), rs[0]}
	}
	if n.Via != "" {
		rs = append(rs, t.stale(p.who.Name)...)
	}
	if err := t.put(ctx, n.By, rs...); err != nil {
		return "", Token{}, fmt.Errorf("create token: %w", err)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return secret, t.shownLocked(k), nil
}

// newID returns an id for a token.
func newID() string {
	var raw [6]byte
	rand.Read(raw[:])
	return hex.EncodeToString(raw[:])
}

// Revoke ends the token of this id, or every token of the principal of this
// name, and returns them. When it returns, they are good for nothing. The error
// wraps kaijutsu.ErrNotFound when there is none.
func (t *Table) Revoke(ctx context.Context, by kaijutsu.Principal, idOrName string) ([]Token, error) {
	leave, err := t.write(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	found := t.find(idOrName)
	found, gone, known, err := t.sendAway(ctx, by, idOrName, found)
	if err != nil {
		return gone, err
	}
	if len(found)+len(gone) == 0 && !known {
		return nil, fmt.Errorf("token %.64q: %w%s", idOrName, kaijutsu.ErrNotFound, t.suggest(idOrName))
	}
	for some := range slices.Chunk(found, revokeTokens) {
		rs := make([]records.Record, len(some))
		for i, k := range some {
			rs[i].Name = tokenRecord + k.ID
		}
		if err := t.put(ctx, by, rs...); err != nil {
			return gone, fmt.Errorf("revoke tokens of %s: %w", some[0].Principal.Name, err)
		}
		t.mu.RLock()
		for _, k := range some {
			gone = append(gone, t.shownLocked(k))
		}
		t.mu.RUnlock()
	}
	return gone, nil
}

// End revokes the token that identified somebody, and no other of theirs. One
// that another authority gave out and that is not on record stays: it has its
// own end.
func (t *Table) End(ctx context.Context, id Identity) error {
	leave, err := t.write(ctx)
	if err != nil {
		return err
	}
	defer leave()
	t.mu.RLock()
	k := t.tokens[id.TokenID]
	t.mu.RUnlock()
	if k == nil || !k.issued.IsZero() {
		return nil
	}
	if err := t.put(ctx, id.Principal, records.Record{Name: tokenRecord + k.ID}); err != nil {
		return fmt.Errorf("end token %s: %w", k.ID, err)
	}
	return nil
}

// stale returns what takes the tokens of a principal off the record that came
// with a login and have expired.
func (t *Table) stale(name string) (rs []records.Record) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, k := range t.keys[name] {
		if k.Via != "" && k.issued.IsZero() && k.expired(t.now()) {
			rs = append(rs, records.Record{Name: tokenRecord + k.ID})
		}
	}
	return rs
}

// find returns the tokens that an id or a principal's name means.
func (t *Table) find(idOrName string) []*token {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if k := t.tokens[idOrName]; k != nil {
		return []*token{k}
	}
	return slices.Clone(t.keys[idOrName])
}

// suggest says whose tokens there are.
func (t *Table) suggest(name string) string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	names := make([]string, 0, len(t.keys))
	for n := range t.keys {
		names = append(names, n)
	}
	slices.Sort(names)
	near := op.Nearest(name, names)
	switch {
	case len(names) == 0:
		return "; there are none"
	case near != "":
		return fmt.Sprintf("; did you mean %q?", near)
	case len(names) > 10:
		return fmt.Sprintf("; there are those of %s and %d more", strings.Join(names[:10], ", "), len(names)-10)
	}
	return "; there are those of " + strings.Join(names, ", ")
}

// Tokens returns every token, by principal and time of creation.
func (t *Table) Tokens() []Token {
	t.mu.RLock()
	defer t.mu.RUnlock()
	all := make([]Token, 0, len(t.tokens))
	for _, k := range t.tokens {
		all = append(all, t.shownLocked(k))
	}
	slices.SortFunc(all, func(a, b Token) int {
		return cmp.Or(strings.Compare(a.Principal.Name, b.Principal.Name), a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return all
}

// shownLocked returns what is known of a token.
func (t *Table) shownLocked(k *token) Token {
	out := k.Token
	out.Scope = k.Scope.copied()
	if p := t.principals[k.Principal.Name]; p != nil {
		out.Principal, out.Right, out.Deny = p.who, p.right, slices.Clone(p.deny)
	}
	if n := k.used.Load(); n != 0 {
		out.Used = time.Unix(0, n).UTC()
	}
	return out
}

func (t *Table) addLocked(k *token) {
	name := k.Principal.Name
	k.bounds = k.Scope.bounds()
	t.tokens[k.ID], t.secrets[k.hash] = k, k
	if !k.Former.IsZero() {
		t.secrets[k.former] = k
	}
	t.keys[name] = append(slices.Clone(t.keys[name]), k)
}

// removeLocked forgets a token.
func (t *Table) removeLocked(k *token) {
	name := k.Principal.Name
	delete(t.tokens, k.ID)
	delete(t.secrets, k.hash)
	delete(t.secrets, k.former)
	t.keys[name] = slices.DeleteFunc(slices.Clone(t.keys[name]), func(o *token) bool { return o == k })
	if len(t.keys[name]) == 0 {
		delete(t.keys, name)
	}
}
