package flowbus

import (
	"context"
	"time"
)

// LeaseTTL is the time to live of a lease unless told: longer than any stall
// of a cluster that chooses a new leader (under 9 s).
const LeaseTTL = 20 * time.Second

// Lease is the right to do something alone. It is safe for concurrent use.
type Lease struct {
	token uint64
	lost  chan struct{}
}

// Hold takes the lease of a name, for ttl (0: LeaseTTL; at least 1 s) and again
// every quarter of it, until Release. ErrConflict: another holder has it (the
// text says which node); ErrUnavailable: NATS is away.
func (b *Bus) Hold(ctx context.Context, name string, ttl time.Duration) (*Lease, error) {
	return nil, errSoon
}

// Fence says that a token of at least this number was seen, so that those to
// come are above it. Who stores tokens durably tells them at start.
func (b *Bus) Fence(token uint64) {}

// Token returns the fencing token: larger than that of every earlier holder of
// any name. Whoever is written to refuses a smaller one than it has seen.
func (l *Lease) Token() uint64 { return l.token }

// Lost is closed when the lease is no longer held: released, taken away, or
// not renewed for so long that another may have it.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Release gives the lease back. It waits at most 2 s for NATS; a lease that
// could not be given back expires.
func (l *Lease) Release() {}
