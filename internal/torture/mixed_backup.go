package torture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// backUp lets kj backup a node while everybody writes, and restores what came
// of it: it has to be whole, and to hold what was acknowledged before it began.
func (m *mixed) backUp(ctx context.Context, n *node) error {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	dir := filepath.Join(m.dir, "backup-"+n.name)
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, m.exe, args...)
		cmd.Env = append(os.Environ(), "KJ_TOKEN="+n.owner, "KJ_SERVER="+n.url(), "KJ_DATA="+m.backingOf(n))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("backup", dir); err != nil {
		if strings.Contains(out, "unknown command") {
			return nil
		}
		m.say("    backup: %v: %.200s", err, out) // the node may have been killed meanwhile
		return nil
	}
	if out, err := run("backup", "verify", dir); err != nil {
		m.wrong(checkWhole, "a backup that kj backup said was whole is not: %v", fmt.Errorf("%w: %.500s", err, out))
	}
	return nil
}
