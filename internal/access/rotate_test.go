package access_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
)

func nothing(context.Context, op.Call, struct{}) (struct{}, error) { return struct{}{}, nil }

// TestRotate: the new secret is good at once, the former one for its grace, and
// who came with it may stay until then.
func TestRotate(t *testing.T) {
	table := openTable(t, openStore(t, t.TempDir()), nil)
	first, made := create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit, Scope: access.Scope{Most: kaijutsu.RightRead}})
	watch := func(secret string) <-chan struct{} {
		ended := make(chan struct{})
		t.Cleanup(table.Watch(identify(t, table, secret), func() { close(ended) }))
		return ended
	}
	over := func(ended <-chan struct{}) bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}
	const grace = 2 * time.Second
	began := time.Now()
	early := watch(first)
	second, now, err := table.Rotate(t.Context(), owner, made.ID, grace)
	if err != nil || now.ID != made.ID || now.Scope.Most != kaijutsu.RightRead || now.Former.Before(began.Add(grace-time.Millisecond)) {
		t.Fatalf("Rotate = %+v, %v, want the same token", now, err)
	}
	withSecond, late := watch(second), watch(first)
	for name, secret := range map[string]string{"first": first, "second": second} {
		if got := identify(t, table, secret); got.TokenID != made.ID || got.Right != kaijutsu.RightRead {
			t.Errorf("the %s secret = %+v, want amy's, reader", name, got)
		}
	}
	<-early
	<-late
	if took := time.Since(began); took < grace-time.Millisecond { // tokens go by milliseconds
		t.Errorf("the first secret ended after %v, want its grace of %v", took, grace)
	}
	if _, err := table.Identify(first); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("the first secret after its grace = %v, want ErrDenied", err)
	}
	if over(withSecond) {
		t.Error("who came with the second secret was ended with the first")
	}

	third, _, err := table.Rotate(t.Context(), owner, made.ID, 0)
	if err != nil || !over(withSecond) {
		t.Errorf("a rotation without grace = %v; who came with the second secret was ended: %v, want that", err, over(withSecond))
	}
	if _, err := table.Identify(second); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("the second secret = %v, want ErrDenied", err)
	}

	withThird := watch(third)
	fourth, _, err := table.Rotate(t.Context(), owner, made.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	withFourth := watch(fourth)
	if _, err := table.Revoke(t.Context(), owner, made.ID); err != nil || !over(withThird) || !over(withFourth) {
		t.Errorf("Revoke = %v; ended: %v and %v, want who came with either secret", err, over(withThird), over(withFourth))
	}
	for _, secret := range []string{first, second, third, fourth} {
		if _, err := table.Identify(secret); !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("a secret of a revoked token = %v, want ErrDenied", err)
		}
	}
}

func TestRotateRefuses(t *testing.T) {
	clock := epoch
	table := openTable(t, openStore(t, t.TempDir()), func() time.Time { return clock })
	_, past := create(t, table, access.NewToken{Name: "amy", Expires: epoch.Add(time.Minute)})
	_, login := create(t, table, access.NewToken{Name: "ben", Via: "oidc"})
	_, good := create(t, table, access.NewToken{Name: "cyd"})
	clock = epoch.Add(time.Hour)
	tests := []struct {
		name, id string
		grace    time.Duration
		want     error
	}{
		{"nobody's", "nope", 0, kaijutsu.ErrNotFound},
		{"expired", past.ID, 0, kaijutsu.ErrConflict},
		{"a browser's", login.ID, 0, kaijutsu.ErrConflict},
		{"less than none", good.ID, -1, kaijutsu.ErrInvalid},
		{"for ever", good.ID, 1000 * time.Hour, kaijutsu.ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := table.Rotate(t.Context(), owner, tt.id, tt.grace); !errors.Is(err, tt.want) {
				t.Errorf("Rotate = %v, want %v", err, tt.want)
			}
		})
	}
}
