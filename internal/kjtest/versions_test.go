package kjtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
)

// before is the version before this one: a commit of this repository.
const before = "d6a022cd3db6d8b9743aee98feee62281a7a800e"

// buildBefore builds the kj of the version before, once.
func buildBefore(t *testing.T) string {
	t.Helper()
	if os.Getenv("KJ_FULL") == "" {
		t.Skip("builds another version of kj; KJ_FULL=1 runs it")
	}
	if err := exec.Command("git", "cat-file", "-e", before+"^{commit}").Run(); err != nil {
		t.Skipf("this clone does not hold the version before, %s: %v", before, err)
	}
	exe, err := builtBefore()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

var builtBefore = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "kjtest-")
	if err != nil {
		return "", err
	}
	archive := exec.Command("git", "archive", "--format=tar", "--output", filepath.Join(dir, "before.tar"), before)
	archive.Dir = "../.."
	unpack := exec.Command("tar", "-xf", "before.tar")
	build := exec.Command("go", "build", "-o", "kj", "./cmd/kj")
	unpack.Dir, build.Dir = dir, dir
	for _, cmd := range []*exec.Cmd{archive, unpack, build} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
		}
	}
	return filepath.Join(dir, "kj"), nil
})

// shift is one version of the server at work on a data directory.
type shift struct {
	desk
	p *kjproc.Process
}

func work(t *testing.T, exe, dir string, args ...string) shift {
	t.Helper()
	p, err := kjproc.Start(t.Context(), exe, dir, append([]string{"--auth", "token"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	token, err := os.ReadFile(filepath.Join(dir, "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	return shift{desk{t, p.URL, strings.TrimSpace(string(token))}, p}
}

// TestAVersionUpAndDown lets this version and the one before serve the same
// data directory in turn, killed or stopped in between: what one wrote, the
// other has, and goes on with.
func TestAVersionUpAndDown(t *testing.T) {
	old, dir := buildBefore(t), t.TempDir()
	binaries := []string{old, kjtest.Binary(t), old, kjtest.Binary(t), old}
	var token, plan, target, fork, gone string
	var written, staged []string
	for i, exe := range binaries {
		s := work(t, exe, dir)
		name := []string{"before", "this"}[i%2]
		if i == 0 {
			plan, target = s.context("Plan"), s.context("Target")
			token = s.ok("token_create", answer{"name": "scribe", "kind": "agent", "role": "editor"}).str("token")
			gone = s.context("Gone")
			s.ok("context_delete", answer{"context": gone, "force": true})
		}
		scribe := desk{t, s.url, token} // the token works with both
		text := "written by " + name + " " + strings.Repeat("✎", i)
		written = append(written, text)
		scribe.write(plan, text)
		if i == 1 {
			fork = scribe.ok("context_fork", answer{"context": plan, "title": "Fork"}).str("id")
		}
		staged = append(staged, "drift of "+text)
		scribe.ok("drift_push", answer{"context": plan, "to": target, "content": staged[i], "stage": true})
		if i > 1 {
			scribe.write(fork, text)
		}
		for _, context := range []string{plan, fork} {
			if context == "" {
				continue
			}
			var got []string
			for _, b := range s.ok("context_get", answer{"context": context}).list("block_list") {
				if b.str("kind") == "text" {
					got = append(got, b.str("content"))
				}
			}
			equal(t, "texts of "+context+" with "+name, got, written)
		}
		if n := len(s.numbers()); n != len(staged) {
			t.Errorf("%d drifts wait with %s, want %d", n, name, len(staged))
		}
		if _, problem := s.post("context_get", answer{"context": gone}); problem == nil {
			t.Errorf("a deleted context is back with %s", name)
		}
		if i%2 == 0 {
			s.p.Kill()
		} else if err := s.p.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// TestTwoVersionsSideBySide joins this version and the one before on one NATS
// server: what is written at one is read at the other, tokens too.
func TestTwoVersionsSideBySide(t *testing.T) {
	old, nats := buildBefore(t), startNATS(t)
	dirs := []string{t.TempDir(), t.TempDir()}
	both := []shift{
		work(t, old, dirs[0], "--nats", nats.Config.URL()),
		work(t, kjtest.Binary(t), dirs[1], "--nats", nats.Config.URL()),
	}
	for i, here := range both {
		there := both[1-i]
		token := here.ok("token_create", answer{"name": []string{"amy", "ben"}[i], "kind": "agent", "role": "editor"}).str("token")
		plan := here.context([]string{"Plan", "Report"}[i])
		scribe := desk{t, there.url, token}
		await(t, "the context and the token at the other node", func() bool {
			_, problem := scribe.post("context_get", answer{"context": plan})
			return problem == nil
		})
		scribe.write(plan, "from there")
		here.write(plan, "from here")
		await(t, "both texts at both nodes", func() bool {
			for _, s := range both {
				if len(s.ok("context_get", answer{"context": plan}).list("block_list")) != 2 {
					return false
				}
			}
			return true
		})
	}
}
