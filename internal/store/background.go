package store

import (
	"fmt"
	"sync/atomic"
)

// background is what Badger's own goroutines could not write. They try again
// and again, without telling anybody but the log, and rely on a file whose sync
// failed: the store stops writing, and reopens it.
type background struct{ failed atomic.Pointer[error] }

func (b *background) note(err error) {
	err = fmt.Errorf("in the background: %w", err)
	b.failed.CompareAndSwap(nil, &err)
}

// take returns what was noted since the last call, nil for nothing.
func (b *background) take() error {
	if err := b.failed.Swap(nil); err != nil {
		return *err
	}
	return nil
}
