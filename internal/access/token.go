package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/planted"
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
}

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
	p := t.principals[k.Principal.Name]
	if p == nil {
		return Identity{}, fmt.Errorf("nothing is known of the token's principal %q: %w", k.Principal.Name, kaijutsu.ErrDenied)
	}
	k.used.Store(now.UnixNano())
	return Identity{Principal: p.who, Right: p.right, Deny: p.deny, TokenID: k.ID}, nil
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
	var raw [32 + 6]byte
	rand.Read(raw[:])
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(raw[:32])
	k := &token{hash: sha256.Sum256([]byte(secret)), Token: Token{
		ID: hex.EncodeToString(raw[32:]), Principal: p.who, By: n.By, Created: t.now().UTC().Truncate(time.Millisecond), Expires: n.Expires.UTC(),
	}}
	if n.Expires.IsZero() {
		k.Expires = time.Time{}
	}
	rs := []records.Record{recordOfToken(k)}
	if !t.is(p) { // else a role that another node gives it meanwhile stays
		rs = []records.Record{recordOfPrincipal(p), rs[0]}
	}
	if err := t.put(ctx, n.By, rs...); err != nil {
		return "", Token{}, fmt.Errorf("create token: %w", err)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return secret, t.shownLocked(k), nil
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
	if len(found) == 0 {
		return nil, fmt.Errorf("token %.64q: %w%s", idOrName, kaijutsu.ErrNotFound, t.suggest(idOrName))
	}
	var gone []Token
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
	t.tokens[k.ID], t.secrets[k.hash] = k, k
	t.keys[name] = append(slices.Clone(t.keys[name]), k)
}

// removeLocked forgets a token and returns what those who watch it want done.
func (t *Table) removeLocked(k *token) []func() {
	name := k.Principal.Name
	delete(t.tokens, k.ID)
	delete(t.secrets, k.hash)
	t.keys[name] = slices.DeleteFunc(slices.Clone(t.keys[name]), func(o *token) bool { return o == k })
	if len(t.keys[name]) == 0 {
		delete(t.keys, name)
	}
	var ended []func()
	for w := range t.watches[k.ID] {
		if planted.On("stale-right") {
			break
		}
		ended = append(ended, w.end)
	}
	return ended
}
