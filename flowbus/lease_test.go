package flowbus_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/kjproc"
)

func TestLeaseHasOneHolder(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b, ctx := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL()), t.Context()
	first, err := a.Hold(ctx, "worktree.7", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []*flowbus.Bus{a, b} {
		if _, err := other.Hold(ctx, "worktree.7", 0); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "node a has it") {
			t.Errorf("a second holder = %v, want conflict that names node a", err)
		}
	}
	elsewhere, err := b.Hold(ctx, "worktree.8", 0)
	if err != nil || elsewhere.Token() <= first.Token() {
		t.Errorf("another lease: token %d, %v, want above %d", elsewhere.Token(), err, first.Token())
	}
	first.Release()
	next(t, "released", first.Lost())
	second, err := b.Hold(ctx, "worktree.7", 0)
	if err != nil || second.Token() <= elsewhere.Token() {
		t.Fatalf("after release: token %d, %v, want above %d", second.Token(), err, elsewhere.Token())
	}
	second.Release()
	elsewhere.Release()
	if _, err := a.Hold(ctx, "x", 300*time.Millisecond); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("a lease of 300 ms = %v, want invalid", err)
	}
	if _, err := a.Hold(ctx, "a b", 0); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("a lease with a space = %v, want invalid", err)
	}
}

// TestLeaseContention has many take one lease in turn: never two at once, and
// each token above the one before.
func TestLeaseContention(t *testing.T) {
	s := startNATS(t, serverOptions())
	var wg sync.WaitGroup
	var mu sync.Mutex
	var holding, turns int
	var last uint64
	for i := range 4 {
		b := openBus(t, "n"+strconv.Itoa(i), s.ClientURL())
		wg.Go(func() {
			for done := 0; done < 10; {
				l, err := b.Hold(t.Context(), "one", 0)
				if errors.Is(err, kaijutsu.ErrConflict) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				holding++
				turns++
				if holding != 1 || l.Token() <= last {
					t.Errorf("%d holders, token %d after %d", holding, l.Token(), last)
				}
				last = l.Token()
				holding--
				mu.Unlock()
				l.Release()
				done++
			}
		})
	}
	wg.Wait()
	if turns != 40 {
		t.Errorf("%d turns, want 40", turns)
	}
}

func TestLeaseIsRenewedAndTakenOver(t *testing.T) {
	t.Parallel()
	s := startNATS(t, serverOptions())
	a, b, ctx := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL()), t.Context()
	w := watchKeys(t, b, "lease.")
	w.expect(t, "begin", "end")
	l, err := a.Hold(ctx, "one", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	// Twice as long as its time to live.
	for range 8 {
		if told := next(t, "the lease is renewed", w.told); !strings.HasPrefix(told, "+lease.one=") {
			t.Fatalf("told %q, want renewals", told)
		}
	}
	select {
	case <-l.Lost():
		t.Fatal("lost while it was renewed")
	default:
	}
	a.Close() // dies without giving it back
	next(t, "the dead holder has lost it", l.Lost())
	var taken *flowbus.Lease
	until(t, "another takes over", func() bool {
		taken, err = b.Hold(ctx, "one", time.Second)
		return err == nil
	})
	if taken.Token() <= l.Token() {
		t.Errorf("token %d, want above %d", taken.Token(), l.Token())
	}
	taken.Release()
}

// TestHolderBehindAHungNATS has the holder give up before the server lets
// another in.
func TestHolderBehindAHungNATS(t *testing.T) {
	t.Parallel()
	n := startProcess(t)
	a := openBus(t, "a", n.Config.URL())
	l, err := a.Hold(t.Context(), "one", 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := n.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	next(t, "the lease is lost", l.Lost())
	if took := time.Since(start); took > 1900*time.Millisecond {
		t.Errorf("lost after %v, want before the 2 s after which another may have it", took)
	}
	if err := n.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	connected(t, a, true)
	until(t, "it can be held again", func() bool {
		again, err := a.Hold(t.Context(), "one", 2*time.Second)
		if err != nil {
			return false
		}
		defer again.Release()
		return again.Token() > l.Token()
	})
}

// TestTokensGrowThoughNATSIsWiped also sets the counter ahead of the clock, so
// that only what the nodes remember is above it.
func TestTokensGrowThoughNATSIsWiped(t *testing.T) {
	t.Parallel()
	s := startNATS(t, serverOptions())
	a, b, ctx := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL()), t.Context()
	ahead := uint64(time.Now().Add(24 * time.Hour).UnixMilli())
	a.Fence(ahead)
	l, err := a.Hold(ctx, "one", 0)
	if err != nil || l.Token() <= ahead {
		t.Fatalf("token %d, %v, want above what was seen, %d", l.Token(), err, ahead)
	}
	until(t, "b has seen the token", func() bool { return b.Seen() >= l.Token() })
	a.Close()
	s.wipe()
	connected(t, b, true)
	var again *flowbus.Lease
	until(t, "another takes over", func() bool {
		again, err = b.Hold(ctx, "one", 0)
		return err == nil
	})
	if again.Token() <= l.Token() {
		t.Errorf("token %d, want above %d", again.Token(), l.Token())
	}
	s.wipe()
	c := openBus(t, "c", s.ClientURL()) // saw nothing, but was told
	c.Fence(again.Token() + 1000)
	var third *flowbus.Lease
	until(t, "a third takes over", func() bool {
		third, err = c.Hold(ctx, "one", 0)
		return err == nil
	})
	if third.Token() <= again.Token()+1000 {
		t.Errorf("token %d, want above %d", third.Token(), again.Token()+1000)
	}
	next(t, "who held it in the old bucket has lost it", again.Lost())
	third.Release()
}

func TestLeaseThatWasTakenAway(t *testing.T) {
	t.Parallel()
	s := startNATS(t, serverOptions())
	a, ctx := openBus(t, "a", s.ClientURL()), t.Context()
	l, err := a.Hold(ctx, "one", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	// An operator deletes the key and another node is first.
	b := openBus(t, "b", s.ClientURL())
	if err := b.Delete(ctx, "lease.one"); err != nil {
		t.Fatal(err)
	}
	taken, err := b.Hold(ctx, "one", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	next(t, "lost", l.Lost())
	l.Release()
	if _, _, err := b.Get(ctx, "lease.one"); err != nil {
		t.Errorf("the late release of a took the lease of b: %v", err)
	}
	select {
	case <-taken.Lost():
		t.Error("b lost it")
	default:
	}
	taken.Release()
}

func TestHoldEnds(t *testing.T) {
	ports, err := kjproc.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	a := openBus(t, "a", kjproc.NATSConfig{Port: ports[0]}.URL())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Hold(ctx, "one", 0); err == nil {
		t.Error("held a lease without NATS")
	}
}
