package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// rivals are the servers of the directory, twice each: as shipped, and in the
// most durable configuration that they have. The packages that the directory's
// lock file names are installed first if need be, which takes minutes once:
// the database of Hocuspocus is compiled. Who cannot be run says why.
func rivals(ctx context.Context, dir string) ([]contestant, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return nil, fmt.Errorf("rivals: %w: %w: install Node.js 20 or later", kaijutsu.ErrUnavailable, err)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	broken := install(ctx, dir)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var all []contestant
	for _, r := range shipped {
		for _, durable := range []bool{false, true} {
			all = append(all, r.contestant(ctx, dir, durable, broken))
		}
	}
	return all, nil
}

// rival is one server of the directory.
type rival struct {
	name   string
	script string
	// parts are the packages whose versions say what it is, without which it does
	// not run.
	parts          []string
	asIs, asStrong string // what is promised when an edit is shown
	forgets        bool   // as shipped it keeps nothing
	speech         func() speech
}

var shipped = []rival{
	{
		name: "npm", script: "automerge-repo.mjs",
		parts: []string{"@automerge/automerge-repo", "@automerge/automerge", "@automerge/automerge-repo-storage-nodefs"},
		asIs: "wired as its sync server is wired, NodeFS storage: an edit is shown to others, and is in the heads that its writer gets, before it is saved; " +
			"saved every 100 ms at most, without fsync",
		asStrong: "NodeFS storage that syncs each file and its directory, saves not put off: an edit is still shown to others, and is in the heads that its writer gets, before it is saved",
		speech:   func() speech { return automerge{} },
	},
	{
		name: "hocuspocus", script: "hocuspocus.mjs",
		parts: []string{"@hocuspocus/server", "@hocuspocus/extension-sqlite", "sqlite3", "yjs"},
		asIs: "SQLite extension: an edit is shown to others and acknowledged before it is saved; " +
			"the whole document is saved, with fsync, 2 s after the last edit, 10 s at most after the first",
		asStrong: "SQLite extension with debounce 0, a write-ahead log and synchronous = FULL: an edit is still shown to others and acknowledged before it is saved; " +
			"the whole document is saved, with fsync, after each edit, one save after the other",
		speech: func() speech { return newYjs(true) },
	},
	{
		name: "y-websocket", script: "y-websocket.mjs",
		parts:    []string{"@y/websocket-server", "yjs"},
		asIs:     "in memory: an edit is shown to others; nothing is saved, and what a server had is gone with it",
		asStrong: "persistence by y-leveldb with synced writes: an edit is still shown to others before it is saved",
		forgets:  true,
		speech:   func() speech { return newYjs(false) },
	},
}

// contestant makes one configuration of the rival. Broken is why packages that
// are compiled are not there.
func (r rival) contestant(ctx context.Context, dir string, durable bool, broken error) contestant {
	c := contestant{name: r.name, about: r.asIs, fleeting: r.forgets && !durable, speech: r.speech()}
	if durable {
		c.name, c.about = r.name+"-durable", r.asStrong
	}
	versions := make([]string, len(r.parts))
	for i, part := range r.parts {
		version, err := versionOf(dir, part)
		if err == nil {
			err = loads(ctx, dir, part)
		}
		if err != nil && broken != nil {
			err = broken
		}
		if err != nil {
			c.missing = fmt.Errorf("%s: %w", part, err)
			return c
		}
		versions[i] = part + " " + version
	}
	c.about = strings.Join(versions, ", ") + ": " + c.about
	c.start = func(ctx context.Context, data string) (*kjproc.Process, error) {
		args := []string{filepath.Join(dir, r.script), "--data", data}
		if durable {
			args = append(args, "--durable")
		}
		return kjproc.Run(ctx, exec.Command("node", args...))
	}
	return c
}

// versionOf returns the version of an installed package.
func versionOf(dir, name string) (string, error) {
	manifest := filepath.Join(dir, "node_modules", filepath.FromSlash(name), "package.json")
	b, err := os.ReadFile(manifest)
	if err != nil {
		return "", fmt.Errorf("version of package %s: %w: %w: run npm ci in %s", name, kaijutsu.ErrNotFound, err, dir)
	}
	var p struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return "", fmt.Errorf("%s: %w", manifest, err)
	}
	return p.Version, nil
}

// native are the packages with a part that is compiled when they are installed.
var native = map[string]bool{"sqlite3": true}

// loads tries whether a package with a compiled part can be used.
func loads(ctx context.Context, dir, name string) error {
	if !native[name] {
		return nil
	}
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "--eval", "import "+`"`+name+`"`)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("package %s does not load: %w: %w: %s: run npm rebuild %s in %s", name, kaijutsu.ErrUnavailable, err, complaints(out), name, dir)
	}
	return nil
}

// install installs the packages of the lock file unless they are there. When it
// fails it installs them without what is compiled, and returns why.
func install(ctx context.Context, dir string) error {
	if installed(dir) {
		return nil
	}
	err := npmCI(ctx, dir)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if again := npmCI(ctx, dir, "--ignore-scripts"); again != nil {
		return again
	}
	return err
}

// installed reports whether npm has installed what the lock file names: it
// writes down what it has done, and a later lock file is another one.
func installed(dir string) bool {
	done, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil {
		return false
	}
	want, err := os.Stat(filepath.Join(dir, "package-lock.json"))
	return err == nil && !want.ModTime().After(done.ModTime())
}

// npmCI runs npm ci. What it compiles is compiled with the headers that came with
// node, where they are beside it, and not with such as it would have to fetch.
func npmCI(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "npm", append([]string{"ci", "--no-audit", "--no-fund"}, args...)...)
	cmd.Dir = dir
	cmd.Env = os.Environ()
	if prefix := nodePrefix(); prefix != "" {
		cmd.Env = append(cmd.Env, "npm_config_nodedir="+prefix)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s: %w: %w: %s: a C++ compiler, make, python3 and the headers of node are needed (Debian: build-essential python3 libnode-dev)",
			dir, kaijutsu.ErrUnavailable, err, complaints(out))
	}
	return nil
}

// nodePrefix is where node and its headers are installed; empty when its headers
// are not there.
func nodePrefix() string {
	exe, err := exec.LookPath("node")
	if err != nil {
		return ""
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		return ""
	}
	prefix := filepath.Dir(filepath.Dir(exe))
	if _, err := os.Stat(filepath.Join(prefix, "include", "node", "node.h")); err != nil {
		return ""
	}
	return prefix
}

// complaints are how a program's complaints begin and how they end, in one line.
func complaints(out []byte) string {
	lines := strings.Split(string(bytes.TrimSpace(out)), "\n")
	if few := 4; len(lines) > 2*few {
		lines = slices.Concat(lines[:few], []string{"…"}, lines[len(lines)-few:])
	}
	return strings.Join(lines, "; ")
}
