package flowbus

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"kaijutsu"
)

// Tokens are numbered by one counter for all leases, the key "fence", which
// has no time to live. A token that follows is larger than the counter, and
// than every token this node has seen: its own, those that it saw the counter
// pass, and those it was told with Fence.
//
// The bucket is in memory, so the counter can be lost with NATS. It then begins
// at the time the new bucket was made, in milliseconds by the server's clock,
// which is ahead of the old counter because leases are not taken a thousand
// times a second for long; and where that clock was set back, the tokens that
// nodes have seen are the floor. What is left is a NATS that was wiped and set
// back together with a restart of every node that saw the tokens: for that,
// who stores tokens durably gives the last one to Fence at start.
const (
	fenceKey      = "fence"
	fenceAttempts = 64
)

// Fence says that a token of at least this number was seen, so that those to
// come are above it. Who stores tokens durably tells the last one at start.
func (b *Bus) Fence(token uint64) {
	for {
		was := b.fence.Load()
		if token <= was || b.fence.CompareAndSwap(was, token) {
			return
		}
	}
}

// nextToken counts one further.
func (b *Bus) nextToken(ctx context.Context) (uint64, error) {
	for range fenceAttempts {
		value, rev, err := b.Get(ctx, fenceKey)
		switch {
		case errors.Is(err, kaijutsu.ErrNotFound):
			info, err := b.streamInfo(ctx, b.bucket())
			if err != nil {
				return 0, fmt.Errorf("look at the bucket: %w: %w", kaijutsu.ErrUnavailable, err)
			}
			b.Fence(uint64(max(info.Created.UnixMilli(), 0)))
		case err != nil:
			return 0, fmt.Errorf("count a token: %w", err)
		default:
			n, err := strconv.ParseUint(string(value), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("the key %s in NATS holds %q, which is no number; delete it: %w", fenceKey, clip(string(value)), kaijutsu.ErrConflict)
			}
			b.Fence(n)
		}
		token := b.fence.Load() + 1
		_, err = b.setKey(ctx, fenceKey, strconv.AppendUint(nil, token, 10), 0, int64(rev))
		if errors.Is(err, kaijutsu.ErrConflict) {
			continue // another took the number
		}
		if err != nil {
			return 0, fmt.Errorf("count a token: %w", err)
		}
		b.Fence(token)
		return token, nil
	}
	return 0, fmt.Errorf("count a token: others were faster %d times: %w", fenceAttempts, kaijutsu.ErrUnavailable)
}

// watchFence learns the tokens that other nodes take.
func (b *Bus) watchFence() {
	b.WatchKeys(b.ctx, fenceKey, func(key string, value []byte, gone bool) {
		if n, err := strconv.ParseUint(string(value), 10, 64); err == nil && key == fenceKey {
			b.Fence(n)
		}
	})
}
