package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// MaxGrace is how long the former secret of a token may stay good.
const MaxGrace = 7 * 24 * time.Hour

// newSecret returns a secret and its hash.
func newSecret() (secret string, hash [sha256.Size]byte) {
	var raw [32]byte
	rand.Read(raw[:])
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(raw[:])
	return secret, sha256.Sum256([]byte(secret))
}

// Rotate gives a token a new secret, and returns it, once. The former one stays
// good for grace, and what was opened with it open; then both end. One that was
// in its own grace already ends at once. Everything else of the token stays.
// The error wraps kaijutsu.ErrNotFound when there is no such token, ErrConflict
// when it has expired or its secret is a browser's, and ErrInvalid for a grace
// that is none.
func (t *Table) Rotate(ctx context.Context, by kaijutsu.Principal, id string, grace time.Duration) (secret string, now Token, err error) {
	if grace < 0 || grace > MaxGrace {
		return "", Token{}, &op.FieldError{Field: "grace", Reason: fmt.Sprintf("%v is too long or none", grace), Hint: fmt.Sprintf("want 0s to %v", MaxGrace)}
	}
	leave, err := t.write(ctx)
	if err != nil {
		return "", Token{}, err
	}
	defer leave()
	t.mu.RLock()
	was := t.tokens[id]
	t.mu.RUnlock()
	switch {
	case was == nil:
		return "", Token{}, fmt.Errorf("token %.64q: %w%s", id, kaijutsu.ErrNotFound, t.suggest(id))
	case was.expired(t.now()):
		return "", Token{}, fmt.Errorf("token %s: %w: it has expired; make another with token_create", id, kaijutsu.ErrConflict)
	case was.Via != "":
		return "", Token{}, fmt.Errorf("token %s: %w: it came with a login via %s; log in again", id, kaijutsu.ErrConflict, was.Via)
	}
	k := &token{Token: was.Token}
	secret, k.hash = newSecret()
	k.Rotated = t.now().UTC().Truncate(time.Millisecond)
	k.former, k.Former = was.hash, time.Time{}
	if grace > 0 {
		k.Former = k.Rotated.Add(grace)
	}
	if err := t.put(ctx, by, recordOfToken(k)); err != nil {
		return "", Token{}, fmt.Errorf("rotate token %s: %w", id, err)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return secret, t.shownLocked(k), nil
}
