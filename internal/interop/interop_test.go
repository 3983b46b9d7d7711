package interop

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The result lines of suite.mjs.
var (
	resultLine  = regexp.MustCompile(`^(ok  |FAIL|skip) (.+?)(?: \((\d+ ms)\))?(?:: (.*)| \[(.*)\])?$`)
	closingLine = regexp.MustCompile(`^\d+ passed, \d+ failed`)
)

// TestClients runs the cases in Node against kj serve.
func TestClients(t *testing.T) { runSuite(t, "--kj", buildServer(t), "--not", "^browser") }

// The cases in Chromium against kj serve, a test for each group: what fails can
// be run again without the others.
func TestPageEditing(t *testing.T) { runPage(t, "browser") }
func TestPageDrift(t *testing.T)   { runPage(t, "browser drift") }
func TestPageFlows(t *testing.T)   { runPage(t, "browser flow") }
func TestPageSafe(t *testing.T)    { runPage(t, "browser safe") }
func TestPageAxe(t *testing.T)     { runPage(t, "browser axe") }
func TestPagePrint(t *testing.T)   { runPage(t, "browser print") }

// TestPageFlood runs what is meant to stop the page by its mass; with KJ_FULL=1.
func TestPageFlood(t *testing.T) {
	if os.Getenv("KJ_FULL") == "" {
		t.Skip("takes minutes; KJ_FULL=1 runs it")
	}
	runPage(t, "browser flood")
}

// runPage runs the cases of one group in Chromium.
func runPage(t *testing.T, group string) {
	requireNode(t)
	requireChromium(t)
	runSuite(t, "--kj", buildServer(t), "--only", "^"+group+":")
}

// TestReference runs a part of the cases against the npm sync server, to show
// that they ask nothing of a server but the protocol. KJ_FULL=1 runs all.
func TestReference(t *testing.T) {
	args := []string{"--reference"}
	if os.Getenv("KJ_FULL") == "" {
		args = append(args, "--only", "^(values|wire|presence|unavailable)", "--not", "idle connection")
	}
	runSuite(t, args...)
}

// absent skips the test, or fails it where KJ_REQUIRE_NODE is set.
func absent(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("KJ_REQUIRE_NODE") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

func requireNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		absent(t, "node is not installed")
	}
	if _, err := os.Stat("node_modules"); err != nil {
		absent(t, "the npm packages are not installed; run: cd internal/interop && npm ci")
	}
	return node
}

func requireChromium(t *testing.T) {
	t.Helper()
	for _, name := range []string{os.Getenv("KJ_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if name == "" {
			continue
		}
		if _, err := exec.LookPath(name); err == nil {
			return
		}
	}
	absent(t, "no Chromium in the path; install it or set KJ_CHROMIUM")
}

// buildServer builds kj and returns its path.
func buildServer(t *testing.T) string {
	t.Helper()
	requireNode(t)
	binary := filepath.Join(t.TempDir(), "kj")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "kaijutsu/cmd/kj")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build kaijutsu/cmd/kj: %v\n%s", err, out)
	}
	return binary
}

// runSuite runs suite.mjs and reports each of its lines as a subtest.
func runSuite(t *testing.T, args ...string) {
	t.Helper()
	node := requireNode(t)
	cmd := exec.CommandContext(t.Context(), node, append([]string{"suite.mjs"}, args...)...)
	// The suite and the servers it starts are one process group: should the
	// suite hang, they end together.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	closing := report(t, out)
	if err := cmd.Wait(); err != nil && !t.Failed() {
		t.Errorf("suite.mjs %v: %v\n%s", args, err, errs.String())
	}
	if closing == "" {
		t.Errorf("suite.mjs %v ended without its closing line\n%s", args, errs.String())
	}
	t.Log(closing)
}

// report turns the suite's lines into subtests as they come and returns the
// closing line, "" if there was none.
func report(t *testing.T, out io.Reader) (closing string) {
	t.Helper()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if closingLine.MatchString(line) {
			closing = line
			continue
		}
		m := resultLine.FindStringSubmatch(line)
		if m == nil {
			t.Log(line)
			continue
		}
		t.Run(m[2], func(t *testing.T) {
			switch m[1] {
			case "FAIL":
				t.Error(line)
			case "skip":
				t.Skip(m[4])
			default:
				t.Log(strings.TrimSpace(m[3] + " " + m[5]))
			}
		})
	}
	if err := lines.Err(); err != nil {
		t.Errorf("read the suite's output: %v", err)
	}
	return closing
}
