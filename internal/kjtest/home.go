package kjtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// homeFiles are the files of Home: below notes a folder, below src/app what a
// repository has, by commit.
var homeFiles = []map[string]string{
	{
		"notes/todo.txt":       "tell everyone\nrest\n",
		"src/app/README.md":    "# App\n\nIt greets.\n",
		"src/app/src/hello.go": "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n",
		"src/app/.gitignore":   "*.log\n",
	},
	{
		"src/app/README.md": "# App\n\nIt greets whoever starts it.\n",
		"src/app/logo.png":  "\x89PNG\r\n\x1a\n\x00\x00",
	},
}

// homeCommits are the subjects of the commits, oldest first.
var homeCommits = []string{"Begin", "Say whom it greets"}

// makeHome makes the directory that homes are copies of.
var makeHome = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "kjtest-home-")
	if err != nil {
		return "", err
	}
	repo := filepath.Join(dir, "src", "app")
	if err := os.MkdirAll(repo, 0o755); err != nil {
		return "", err
	}
	if err := Git(repo, "init", "-q", "-b", "main"); err != nil {
		return "", err
	}
	for i, files := range homeFiles {
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return "", err
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return "", err
			}
		}
		for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", homeCommits[i]}} {
			if err := Git(repo, args...); err != nil {
				return "", err
			}
		}
	}
	return dir, nil
})

// Home makes a home directory at dir, which must not be there yet: a folder
// ~/notes, and a git repository ~/src/app with two commits on its branch main.
func Home(t testing.TB, dir string) {
	t.Helper()
	from, err := makeHome()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// Git runs a git command in a directory, by a fixed person at a fixed time and
// with no configuration but the repository's.
func Git(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		cmd.Env = append(cmd.Env, "GIT_"+role+"_NAME=Ann Bell", "GIT_"+role+"_EMAIL=ann@example.org", "GIT_"+role+"_DATE=2026-11-20T10:00:00Z")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}
