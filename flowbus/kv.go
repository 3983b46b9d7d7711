package flowbus

import (
	"context"
	"time"
)

// Put sets a key, which is gone after ttl (at least 1 s; 0: never). A key is
// 1 to 256 letters, digits and "-_=/." (no dot at an end, no two dots); a value at
// most 64 KiB.
func (b *Bus) Put(ctx context.Context, key string, value []byte, ttl time.Duration) (rev uint64, err error) {
	return 0, errSoon
}

// Create sets a key that is not there; ErrConflict when it is.
func (b *Bus) Create(ctx context.Context, key string, value []byte, ttl time.Duration) (rev uint64, err error) {
	return 0, errSoon
}

// Renew sets a key and its ttl anew if its revision is rev still; ErrConflict
// when it is not, or the key is gone.
func (b *Bus) Renew(ctx context.Context, key string, value []byte, rev uint64, ttl time.Duration) (uint64, error) {
	return 0, errSoon
}

// Get returns the value of a key and its revision, or ErrNotFound. It sees
// what any node wrote before.
func (b *Bus) Get(ctx context.Context, key string) (value []byte, rev uint64, err error) {
	return nil, 0, errSoon
}

// Delete removes a key; one that is not there is no error.
func (b *Bus) Delete(ctx context.Context, key string) error { return errSoon }

// Keys lists the keys that begin with prefix, sorted.
func (b *Bus) Keys(ctx context.Context, prefix string) ([]string, error) { return nil, errSoon }

// WatchKeys calls f with every key that begins with prefix and its value, then
// with every change (gone: deleted or expired), one at a time, until ctx ends,
// and returns its error.
//
// It survives everything: after an interruption all keys are told again, with
// gone for those that vanished meanwhile. Two calls without a key mark that: f("",
// nil, true) before a replay and f("", nil, false) after it, when all that was
// there has been told. Of quick changes of one key only the last may be told.
func (b *Bus) WatchKeys(ctx context.Context, prefix string, f func(key string, value []byte, gone bool)) error {
	return errSoon
}
