package torture

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// gitFor is how long the fault git goes on by default.
	gitFor = time.Minute
	// mountPath is where the worktree is mounted.
	mountPath = "/mnt/app"
	// gitPause is the mean pause between two things that happen at the worktree,
	// typePause that of somebody who types lines.
	gitPause, typePause = 60 * time.Millisecond, 40 * time.Millisecond
	// maxBranches bounds how many branches there come to be.
	maxBranches = 5
	// mountTimeout is how long the mount may take until it is where it should be.
	mountTimeout = 60 * time.Second
)

// sedName is who writes on the disk: nobody that the kernel knows.
const sedName = "sed"

// gitWriters are those who type, and what they are.
var gitWriters = []struct{ name, kind string }{{"amy", "person"}, {"ben", "person"}, {"bot", "agent"}}

// gitFiles are the files that everybody writes in.
var gitFiles = []string{"a.txt", "src/b.txt", "src/c.txt"}

// bench is one server with a worktree, and everything that happens to it.
type bench struct {
	s    *stage
	r    *Report
	g    *GitReport
	node *node
	repo string // the user's own checkout
	tree string // the worktree
	book *gitBook
	keys map[string]string // tokens, by name

	typing  sync.RWMutex // held for writing when nobody may type
	mu      sync.Mutex
	current api // guarded by mu: of the node's present life

	branch   string   // that the worktree is on, as far as the director knows
	branches []string // all
	seds     int
	spare    bool // the server is not killed
	down     bool // the server was killed, and is not back
}

// tortureGit has people and an agent type lines into files of a worktree, while
// programs edit them on the disk, branches are switched, somebody commits with
// git and others through the server, and the server is killed now and then. Then
// each line is looked for.
func tortureGit(ctx context.Context, s *stage, opt Options, r *Report) error {
	b, err := openBench(ctx, s, r)
	if err != nil {
		return err
	}
	b.spare = opt.Spare
	span := opt.For
	if span == 0 {
		span = gitFor
	}
	stop := make(chan struct{})
	s.stopWriting = sync.OnceFunc(func() { close(stop); s.writing.Wait() })
	for i, w := range gitWriters {
		t := &scribe{bench: b, name: w.name, random: s.branch(), peer: i == 1}
		s.writing.Go(func() { t.run(ctx, stop) })
	}
	end := time.Now().Add(span)
	told := time.Now()
	for n := 0; time.Now().Before(end); n++ {
		if err := b.strike(ctx, n); err != nil {
			return err
		}
		if err := s.pause(ctx, s.somewhere(gitPause/3, gitPause*5/3)); err != nil {
			return err
		}
		if time.Since(told) > 5*time.Second {
			told = time.Now()
			s.say("  %s", b.g)
		}
	}
	s.stopWriting()
	s.say("  writers have stopped: %s; checking", b.g)
	return b.check(ctx)
}

// openBench starts the node, makes the repository with its branches and mounts it.
func openBench(ctx context.Context, s *stage, r *Report) (*bench, error) {
	ctx, cancel := context.WithTimeout(ctx, setUpTimeout)
	defer cancel()
	if err := s.startNodes(ctx, "--auth", "token"); err != nil {
		return nil, err
	}
	r.Git = &GitReport{}
	b := &bench{s: s, r: r, g: r.Git, node: s.nodes[0], repo: filepath.Join(s.dir, "repo"), book: newGitBook(), keys: make(map[string]string), branch: "work"}
	b.current = newAPI(b.node.url())
	for _, w := range gitWriters {
		var made struct{ Token string }
		if err := b.as("").call(ctx, "token_create", map[string]any{"name": w.name, "kind": w.kind, "role": "editor"}, &made); err != nil {
			return nil, err
		}
		b.keys[w.name] = made.Token
		id := map[string]any{"name": fullName(w.name), "email": addressOf(w.name)}
		if w.kind == "agent" {
			id["model"] = "model-7"
		}
		if err := b.as(w.name).call(ctx, "identity_set", id, nil); err != nil {
			return nil, err
		}
	}
	if err := b.makeRepository(ctx); err != nil {
		return nil, err
	}
	var mounted struct{ Dir, Branch string }
	if err := b.as("").call(ctx, "mount_add", map[string]any{"path": mountPath, "source": "git:" + b.repo + "@" + b.branch}, &mounted); err != nil {
		return nil, err
	}
	if b.tree = mounted.Dir; mounted.Branch != b.branch {
		return nil, fmt.Errorf("the mount is on branch %q, want %q", mounted.Branch, b.branch)
	}
	for _, name := range gitFiles {
		if err := b.as(gitWriters[0].name).call(ctx, "fs_read", map[string]any{"path": mountPath + "/" + name}, nil); err != nil {
			return nil, err
		}
	}
	s.say("  a worktree at %s, %d files, %d writers", b.tree, len(gitFiles), len(gitWriters))
	return b, nil
}

func fullName(name string) string  { return strings.ToUpper(name[:1]) + name[1:] }
func addressOf(name string) string { return name + "@example.org" }

// makeRepository makes the user's repository: main, which the user has checked
// out, and two branches, on each of which each file is another one.
func (b *bench) makeRepository(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(b.repo, "src"), 0o700); err != nil {
		return err
	}
	if _, err := b.git(ctx, b.repo, "init", "-q"); err != nil {
		return err
	}
	b.branches = []string{"work", "other"}
	for _, branch := range append([]string{"main"}, b.branches...) {
		if branch != "main" {
			if _, err := b.git(ctx, b.repo, "switch", "-qc", branch, "main"); err != nil {
				return err
			}
		}
		for _, name := range gitFiles {
			if err := os.WriteFile(filepath.Join(b.repo, name), []byte(blankFile(branch)), 0o600); err != nil {
				return err
			}
		}
		for _, args := range [][]string{{"add", "-A"}, {"commit", "-qm", "files of " + branch}} {
			if _, err := b.git(ctx, b.repo, args...); err != nil {
				return err
			}
		}
	}
	_, err := b.git(ctx, b.repo, "switch", "-q", "main")
	return err
}

// blankFile is a file in which everybody has a place to write.
func blankFile(branch string) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s%s\n", baseMark, branch)
	for _, w := range gitWriters {
		t.WriteString("\n\n" + heading(w.name) + "\n\n")
	}
	t.WriteString("\n\n" + heading(sedName) + "\n\n\n== end\n")
	return t.String()
}

// baseMark begins the line by which a file differs on every branch from the
// start: so git refuses to take what is not committed along to another.
const baseMark = "== base "

func heading(name string) string { return "== " + name }

// as returns the operations of the node for somebody; "" is its owner.
func (b *bench) as(name string) api {
	b.mu.Lock()
	defer b.mu.Unlock()
	if name != "" {
		return b.current.as(b.keys[name])
	}
	token, err := os.ReadFile(filepath.Join(b.node.dir, "owner.token"))
	if err != nil {
		return b.current // what it is used for is refused
	}
	return b.current.as(strings.TrimSpace(string(token)))
}

// strike does one thing to the worktree: each sort once at first, then any.
func (b *bench) strike(ctx context.Context, n int) error {
	what := b.s.random.IntN(100)
	if first := []int{0, 40, 55, 70, 80, 91, 99}; n < 2*len(first) && n%2 == 0 {
		what = first[n/2]
	}
	switch {
	case what < 40:
		return b.sed(ctx)
	case what < 55:
		return b.commitByGit(ctx)
	case what < 70:
		b.commitByServer(ctx)
		return nil
	case what < 80:
		return b.switchByGit(ctx, b.another())
	case what < 90:
		return b.switchByServer(ctx, b.another())
	case what < 93:
		return b.newBranch(ctx)
	}
	if b.spare {
		return b.sed(ctx)
	}
	return b.kill(ctx)
}

// another returns a branch that the worktree is not on.
func (b *bench) another() string {
	rest := slices.DeleteFunc(slices.Clone(b.branches), func(name string) bool { return name == b.branch })
	return pick(b.s.random, rest...)
}

// kill ends the server with SIGKILL, perhaps in the middle of a commit, and starts
// it again. Meanwhile programs may go on.
func (b *bench) kill(ctx context.Context) error {
	if err := b.node.alive(); err != nil {
		return err
	}
	done := make(chan struct{})
	if b.s.random.IntN(2) == 0 {
		a, when := b.as(gitWriters[0].name), b.s.somewhere(0, 30*time.Millisecond)
		go func() { // ends with the call, and that with the server
			defer close(done)
			_ = a.call(ctx, "git_commit", map[string]any{"mount": mountPath, "message": "cut off, perhaps", "all": true}, nil)
		}()
		if err := b.s.pause(ctx, when); err != nil {
			return err
		}
	} else {
		close(done)
	}
	b.node.kill()
	b.down = true // what it had locked stays so until it is back
	defer func() { b.down = false }()
	<-done
	b.g.Kills++
	for range b.s.random.IntN(3) {
		if err := b.sed(ctx); err != nil {
			return err
		}
	}
	if b.s.random.IntN(3) == 0 {
		if err := b.switchByGit(ctx, b.another()); err != nil {
			return err
		}
	}
	if err := b.node.start(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	b.current = newAPI(b.node.url())
	b.mu.Unlock()
	return b.back(ctx)
}

// back waits until a server that was started again has opened the mount.
func (b *bench) back(ctx context.Context) error {
	for {
		m, err := b.mounted(ctx)
		if err != nil || m.State == "ready" {
			return err
		}
		if err := b.s.pause(ctx, gitPause/4); err != nil {
			return fmt.Errorf("the mount is %s %s: %w", m.State, m.Reason, err)
		}
	}
}
