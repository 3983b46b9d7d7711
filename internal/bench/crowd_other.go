//go:build !linux

package bench

import (
	"fmt"
	"net"
	"time"

	"kaijutsu"
)

const crowdThreads = 0

// crowd is many connections that are read by few threads, on Linux only.
type crowd struct{}

func openCrowd() (*crowd, error) {
	return nil, fmt.Errorf("many followers: on Linux only: %w", kaijutsu.ErrUnavailable)
}

func (c *crowd) add(*net.TCPConn) error      { return nil }
func (c *crowd) record(bool) []time.Duration { return nil }
func (c *crowd) count() int                  { return 0 }
func (c *crowd) answered() int               { return 0 }
func (c *crowd) wrong() error                { return nil }
func (c *crowd) close()                      {}
