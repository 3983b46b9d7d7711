//go:build !linux

package torture

import (
	"fmt"
	"syscall"

	"kaijutsu"
)

// image is a disk in a file, on Linux.
type image struct{}

func openImage(string, string) (*image, error) {
	return nil, fmt.Errorf("a disk in a file: only on Linux: %w", kaijutsu.ErrUnavailable)
}

func (*image) freeze(func(syscall.Signal) error) error { return nil }
func (*image) swap() error                             { return nil }
func (*image) unmount() error                          { return nil }
