package store

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// syncBuffer is a buffer for loggers of many goroutines.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func iteratorOptions(prefix []byte) badger.IteratorOptions {
	return badger.IteratorOptions{Prefix: prefix}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// pause passes some time: a fault that follows hits its victim at a random
// moment, or a condition that nobody signals is looked at again. No test's
// outcome rests on its being long enough.
func pause(d time.Duration) { <-time.After(d) }

// commit is Commit where the numbers of outbox entries do not matter.
func commit(s *Store, ctx context.Context, w Write) error {
	_, err := s.Commit(ctx, w)
	return err
}
