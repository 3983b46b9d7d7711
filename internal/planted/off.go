//go:build !planted

package planted

// On reports whether a plant is on: never, in this build.
func On(string) bool { return false }

// Built reports whether the binary has plants at all.
const Built = false
