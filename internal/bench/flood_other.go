//go:build !linux

package bench

// yield does nothing where it is not known how.
func yield() {}
