package ui

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// node runs a script of the page's own with Node and returns what it printed.
// It skips the test where Node or the packages are absent, unless
// KJ_REQUIRE_NODE is set.
func node(t *testing.T, args ...string) string {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("KJ_REQUIRE_NODE") != "" {
		missing = t.Fatalf
	}
	path, err := exec.LookPath("node")
	if err != nil {
		missing("node is not installed: %v", err)
	}
	if _, err := os.Stat("node_modules"); err != nil {
		missing("the npm packages are not installed; run: cd internal/ui && npm ci")
	}
	out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("node %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestTypes(t *testing.T) { node(t, "node_modules/typescript/bin/tsc") }

func TestScripts(t *testing.T) { t.Log(node(t, "node_modules/vitest/vitest.mjs", "run")) }

// TestBuildIsReproducible builds the page anew and compares it with the
// committed one, byte for byte.
func TestBuildIsReproducible(t *testing.T) {
	dir := t.TempDir()
	node(t, "build.mjs", dir)
	for name, want := range readManifest(t).Files {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("a new build has no %s", name)
			continue
		}
		sum := sha256.Sum256(b)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s built anew has hash %.12s…, the committed one %.12s…", name, got, want)
		}
	}
}
