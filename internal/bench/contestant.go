package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"kaijutsu/internal/kjproc"
)

// contestant is a server to measure.
type contestant struct {
	name  string
	about string // version, configuration, and what is promised when an edit is shown
	// start runs it on a data directory, which exists.
	start func(ctx context.Context, dir string) (*kjproc.Process, error)
	// speech is how its clients speak; nil: as the npm server's of Automerge do.
	speech speech
	// fleeting says that it keeps nothing when it is stopped.
	fleeting bool
	// missing says why it cannot be started here; nil when it can.
	missing error
	// counters asks it what it has done so far; nil when it cannot tell.
	counters func(ctx context.Context, p *kjproc.Process) (map[string]float64, error)
}

// launch runs the server and returns when it has answered a first join, with
// the time that took from the start of the process. A server may say that it
// listens and lose connections all the same: the npm server does, until its
// storage has answered.
func (c contestant) launch(ctx context.Context, dir string) (*kjproc.Process, time.Duration, error) {
	p, err := c.start(ctx, dir)
	if err != nil {
		return nil, 0, err
	}
	listening := time.Now()
	for patience := 50 * time.Millisecond; ; patience *= 2 {
		attempt, cancel := context.WithTimeout(ctx, patience)
		peer, err := dial(attempt, p.SyncURL())
		if err == nil {
			ready := p.Ready + time.Since(listening)
			_ = peer.close() // it was only a knock
			cancel()
			return p, ready, nil
		}
		cancel()
		if ctx.Err() != nil || time.Since(listening) > joinTimeout {
			p.Kill()
			return nil, 0, fmt.Errorf("%s does not answer: %w: %.2000s", c.name, err, p.Log())
		}
	}
}

// joinTimeout is how long a server may take from listening to answering.
const joinTimeout = 20 * time.Second

// ours is kj serve, of the binary exe.
func ours(exe, version string) contestant {
	return contestant{
		name:  "kj",
		about: "kj serve " + version + ": an edit is shown to others and acknowledged after it is on the disk (fsync)",
		start: func(ctx context.Context, dir string) (*kjproc.Process, error) {
			return kjproc.Start(ctx, exe, dir, "--log-level", "warn")
		},
		counters: askStatus,
	}
}

// askStatus calls the operation server_status and returns its numbers.
func askStatus(ctx context.Context, p *kjproc.Process) (map[string]float64, error) {
	var all map[string]any
	if err := call(ctx, p, "server_status", map[string]any{}, &all); err != nil {
		return nil, err
	}
	numbers := make(map[string]float64)
	for key, value := range all {
		if n, ok := value.(float64); ok {
			numbers[key] = n
		}
	}
	return numbers, nil
}

// npm is the reference server of the directory, its packages installed.
func npm(dir string) (contestant, error) {
	version, err := packageVersion(dir, "@automerge/automerge-repo")
	if err != nil {
		return contestant{}, err
	}
	script := filepath.Join(dir, "reference-server.mjs")
	return contestant{
		name: "npm",
		about: "@automerge/automerge-repo " + version + " with the WebSocket and NodeFS adapters, as its sync server is wired: " +
			"an edit is shown to others first and written to a file, without fsync, later",
		start: func(ctx context.Context, data string) (*kjproc.Process, error) {
			return kjproc.Run(ctx, exec.Command("node", script, "--data", data))
		},
	}, nil
}

// packageVersion returns the version of an installed package, installing
// what the directory's lock file names if need be.
func packageVersion(dir, name string) (string, error) {
	manifest := filepath.Join(dir, "node_modules", filepath.FromSlash(name), "package.json")
	b, err := os.ReadFile(manifest)
	if os.IsNotExist(err) {
		install := exec.Command("npm", "ci", "--no-audit", "--no-fund")
		install.Dir = dir
		if out, err := install.CombinedOutput(); err != nil {
			return "", fmt.Errorf("npm ci in %s: %w: %s", dir, err, bytes.TrimSpace(out))
		}
		b, err = os.ReadFile(manifest)
	}
	if err != nil {
		return "", fmt.Errorf("rival %s: %w", name, err)
	}
	var p struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return "", fmt.Errorf("%s: %w", manifest, err)
	}
	return p.Version, nil
}
