package blocks

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// interopDir holds the npm packages that the tests run against.
const interopDir = "../internal/interop"

// runNode runs a module that may import the unmodified npm packages, and
// returns what it prints. env are extra variables.
func runNode(t testing.TB, script []byte, env ...string) []byte {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(interopDir, "node_modules", "@automerge"))
	}
	if err != nil {
		if os.Getenv("KJ_REQUIRE_NODE") != "" {
			t.Fatalf("node with the packages of %s is required: %v", interopDir, err)
		}
		t.Skipf("needs node and the packages of %s: %v", interopDir, err)
	}
	// A module read from standard input finds packages from where node runs.
	cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "-")
	cmd.Dir = interopDir
	cmd.Stdin = bytes.NewReader(script)
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.Bytes())
	}
	return stdout.Bytes()
}

// readFile returns a file of testdata or docs.
func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t testing.TB, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
