package git

import (
	"os"
	"testing"
)

// The configuration of whoever runs the tests is not to be seen by them.
func TestMain(m *testing.M) {
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	os.Setenv("XDG_CONFIG_HOME", "/nonexistent")
	os.Exit(m.Run())
}
