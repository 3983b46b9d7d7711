//go:build !linux

package faultfs

import "fmt"

// Mount serves the directory backing at point, on Linux.
func Mount(backing, point string, o Options) (*FS, error) {
	return nil, fmt.Errorf("%w: only on Linux", ErrUnsupported)
}
