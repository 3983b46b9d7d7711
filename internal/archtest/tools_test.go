package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestVet(t *testing.T) {
	if out, err := command(root, "go", "vet", "./..."); err != nil {
		t.Errorf("go vet ./...: %v\n%s", err, out)
	}
}

func TestStaticcheck(t *testing.T) {
	if out, err := command(root, "go", "tool", "staticcheck", "./..."); err != nil {
		t.Errorf("go tool staticcheck ./...: %v\n%s", err, out)
	}
}

// TestToolsSeeBadCode runs both tools on a module with one mistake for each,
// with our staticcheck.conf.
func TestToolsSeeBadCode(t *testing.T) {
	dir := t.TempDir()
	conf, err := os.ReadFile(filepath.Join(root, "staticcheck.conf"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module bad\n\ngo 1.26.0\n")
	write("staticcheck.conf", string(conf))
	write("bad.go", "// Package bad is a bad example.\npackage bad\n\nimport \"fmt\"\n\nfunc unused() { fmt.Printf(\"%d\", \"word\") }\n")

	if out, err := command(dir, "go", "vet", "./..."); err == nil || !strings.Contains(out, "wrong type") {
		t.Errorf("go vet = %v, %q, want the wrong type reported", err, out)
	}
	path, err := command(root, "go", "tool", "-n", "staticcheck")
	if err != nil {
		t.Fatalf("find staticcheck: %v\n%s", err, path)
	}
	if out, err := command(dir, strings.TrimSpace(path), "./..."); err == nil || !strings.Contains(out, "U1000") {
		t.Errorf("staticcheck = %v, %q, want the unused function reported", err, out)
	}
}

// command runs a program in dir and returns all that it printed.
func command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
