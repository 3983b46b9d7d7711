package interop

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu/internal/kjproc"
)

// TestPresenceAcrossNodes has the presence of unmodified npm clients on two
// servers of one kernel.
func TestPresenceAcrossNodes(t *testing.T) {
	node, binary := requireNode(t), buildServer(t)
	dir := t.TempDir()
	exe, err := kjproc.FindNATS(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	ports, err := kjproc.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	nats, err := kjproc.StartNATS(t.Context(), kjproc.NATSConfig{Exe: exe, Dir: filepath.Join(dir, "nats"), Port: ports[0]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Kill)
	args := []string{"nodes.mjs"}
	for _, name := range []string{"one", "two"} {
		p, err := kjproc.Start(t.Context(), binary, filepath.Join(dir, name), "--nats", nats.Config.URL())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Kill)
		args = append(args, p.SyncURL())
	}
	out, err := exec.CommandContext(t.Context(), node, args...).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "ok ") {
		t.Fatalf("nodes.mjs: %v\n%s", err, out)
	}
	t.Logf("%s", strings.TrimSpace(string(out)))
}
