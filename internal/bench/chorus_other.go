//go:build !linux

package bench

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"kaijutsu"
)

// chorus is many clients that read along: on Linux only.
type chorus struct{ read atomic.Int64 }

const dialers = 16

func openChorus() (*chorus, error) {
	return nil, fmt.Errorf("many listeners are read with epoll, which is Linux's: %w", kaijutsu.ErrUnavailable)
}

func (*chorus) join(context.Context, string, int, int, func() listener) error { return nil }
func (*chorus) await(context.Context, int) ([]time.Time, error)               { return nil, nil }
func (*chorus) wrong() (int, error)                                           { return 0, nil }
func (*chorus) close()                                                        {}
