//go:build planted

package planted

import "os"

var on = os.Getenv(Env)

// On reports whether the plant of this name is on.
func On(name string) bool { return on != "" && on == name }

// Built reports whether the binary has plants at all.
const Built = true
