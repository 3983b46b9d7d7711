//go:build !linux

package examine

// limitProcess does nothing here: the Runner ends what takes too long, and the
// child what takes too much memory.
func limitProcess(Limits) {}
