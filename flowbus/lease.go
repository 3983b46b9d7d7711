package flowbus

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"kaijutsu"
)

// LeaseTTL is the time to live of a lease unless told: longer than any stall
// of a cluster that chooses a new leader (under 9 s).
const LeaseTTL = 20 * time.Second

const releaseWait = 2 * time.Second

// Lease is the right to do something alone. It is safe for concurrent use.
type Lease struct {
	b     *Bus
	key   string
	ttl   time.Duration
	value []byte
	token uint64

	rev     uint64 // of the key; only the goroutine that renews uses it
	expiry  *time.Timer
	lost    chan struct{}
	lose    func()
	ended   context.Context
	release context.CancelFunc
	over    chan struct{} // closed when the goroutine is gone
}

// leaseValue is what the key of a lease holds.
type leaseValue struct {
	Node  string `json:"node"`
	Hold  string `json:"hold"` // random: tells one holding from another of the same node
	Token uint64 `json:"token,omitempty"`
}

// Hold takes the lease of a name (as a key is written, at most 200 characters),
// for ttl (0: LeaseTTL; at least 1 s) and again every quarter of it, until
// Release. ErrConflict: another holder has it (the text says which node);
// ErrUnavailable: NATS is away.
//
// Who holds it knows the time only as a span since the last renewal was sent,
// and gives up a tenth of ttl before the server does, so that clocks that
// disagree do no harm. A holder that was stopped in between learns of it late:
// therefore the token.
func (b *Bus) Hold(ctx context.Context, name string, ttl time.Duration) (*Lease, error) {
	if ttl == 0 {
		ttl = LeaseTTL
	}
	if ttl < minTTL || len(name) > 200 {
		return nil, fmt.Errorf("lease %s for %v: want at least %v and a name of at most 200 characters: %w", clip(name), ttl, minTTL, kaijutsu.ErrInvalid)
	}
	l := &Lease{b: b, key: "lease." + name, ttl: ttl, lost: make(chan struct{}), over: make(chan struct{})}
	if err := l.take(ctx); err != nil {
		return nil, fmt.Errorf("hold lease %s: %w", name, err)
	}
	return l, nil
}

// take gets the key, then a token, and then the key again with the token in
// it. The last step fails if the first one's hold has run out meanwhile, so
// that nobody who came between has a smaller token than we have and holds the
// lease after us.
func (l *Lease) take(ctx context.Context) error {
	v := leaseValue{Node: l.b.cfg.Node, Hold: rand.Text()}
	if err := l.setValue(v); err != nil {
		return err
	}
	rev, err := l.b.Create(ctx, l.key, l.value, l.ttl)
	if errors.Is(err, kaijutsu.ErrConflict) {
		return l.held(ctx, err)
	}
	if err != nil {
		return err
	}
	l.rev = rev
	v.Token, err = l.b.nextToken(ctx)
	if err == nil {
		err = l.setValue(v)
	}
	sent := time.Now()
	if err == nil {
		l.rev, err = l.b.Renew(ctx, l.key, l.value, rev, l.ttl)
	}
	if err != nil {
		l.giveBack(rev)
		return err
	}
	l.token = v.Token
	l.lose = sync.OnceFunc(func() { close(l.lost) })
	l.expiry = time.AfterFunc(l.left(sent), l.lose)
	l.ended, l.release = context.WithCancel(l.b.ctx)
	l.b.spawn(l.keep)
	return nil
}

func (l *Lease) setValue(v leaseValue) (err error) {
	l.value, err = json.Marshal(v)
	return err
}

// held says who has the lease.
func (l *Lease) held(ctx context.Context, conflict error) error {
	value, _, err := l.b.Get(ctx, l.key)
	var v leaseValue
	if err == nil && json.Unmarshal(value, &v) == nil && name(v.Node) {
		return fmt.Errorf("node %s has it: %w", v.Node, kaijutsu.ErrConflict)
	}
	return conflict
}

// left returns how long a renewal that was sent then may be relied on.
func (l *Lease) left(sent time.Time) time.Duration {
	return time.Until(sent.Add(l.ttl - l.ttl/10))
}

// keep renews the lease until it is released or lost.
func (l *Lease) keep() {
	defer close(l.over)
	defer l.expiry.Stop()
	defer l.lose()
	wait := l.ttl / 4
	for {
		t := time.NewTimer(wait)
		select {
		case <-l.ended.Done():
		case <-l.lost:
		case <-t.C:
		}
		t.Stop()
		select {
		case <-l.ended.Done():
			return
		case <-l.lost:
			return
		default:
		}
		err := l.renew()
		switch {
		case err == nil:
			wait = l.ttl / 4
		case errors.Is(err, kaijutsu.ErrConflict):
			l.b.log.Warn("a lease is lost", "key", l.key, "err", err)
			return
		default:
			wait = min(l.ttl/16, time.Second)
			l.b.log.Debug("a lease could not be renewed", "key", l.key, "err", err)
		}
	}
}

// renew renews the lease once. ErrConflict: it is no longer ours.
func (l *Lease) renew() error {
	ctx, cancel := context.WithTimeout(l.ended, l.ttl/2)
	defer cancel()
	sent := time.Now()
	rev, err := l.b.Renew(ctx, l.key, l.value, l.rev, l.ttl)
	if errors.Is(err, kaijutsu.ErrConflict) {
		// A renewal whose answer did not come may have been stored.
		value, now, gerr := l.b.Get(ctx, l.key)
		switch {
		case errors.Is(gerr, kaijutsu.ErrNotFound):
			return err
		case gerr != nil:
			return gerr
		case !bytes.Equal(value, l.value):
			return err
		}
		sent = time.Now()
		rev, err = l.b.Renew(ctx, l.key, l.value, now, l.ttl)
	}
	if err != nil {
		return err
	}
	l.rev = rev
	if l.expiry.Stop() {
		l.expiry.Reset(l.left(sent))
	}
	return nil
}

// Token returns the fencing token: larger than that of every earlier holder of
// any name. Whoever is written to refuses a smaller one than it has seen.
func (l *Lease) Token() uint64 { return l.token }

// Lost is closed when the lease is no longer held: released, taken away, or
// not renewed for so long that another may have it.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Release gives the lease back. It waits at most a few seconds for NATS; a
// lease that could not be given back expires.
func (l *Lease) Release() {
	l.release()
	<-l.over
	l.giveBack(l.rev)
}

func (l *Lease) giveBack(rev uint64) {
	ctx, cancel := context.WithTimeout(l.b.ctx, releaseWait)
	defer cancel()
	if err := l.b.deleteKey(ctx, l.key, int64(rev)); err != nil {
		l.b.log.Debug("a lease was not given back", "key", l.key, "err", err)
	}
}
