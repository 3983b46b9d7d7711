package kjtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
)

type mountOf struct {
	Path, State, Reason, Node, Branch, Context, Dir, Head string
}

// TestAMountOfAnotherNode mounts a repository at one of two nodes. Its blocks are
// edited at the other, whose answers say where the rest is to be had.
func TestAMountOfAnotherNode(t *testing.T) {
	nats := startNATS(t)
	join := func(dir, name string) *kjproc.Process {
		return kjtest.Serve(t, dir, "--nats", nats.Config.URL(), "--node-name", name)
	}
	dir, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
	kjtest.Home(t, home)
	a, b := join(dir, "anna"), join(t.TempDir(), "berta")
	list := func(p *kjproc.Process) (m mountOf, there bool) {
		for _, m := range must[struct{ Mounts []mountOf }](t, p, "mount_list", `{}`).Mounts {
			if m.Path == "/mnt/app" {
				return m, true
			}
		}
		return m, false
	}
	must[mountOf](t, a, "mount_add", fmt.Sprintf(`{"path":"/mnt/app","source":"git:%s"}`, filepath.Join(home, "src/app")))
	here, _ := list(a)
	if here.State != "ready" || here.Dir == "" {
		t.Fatalf("the mount is %+v", here)
	}
	var there mountOf
	await(t, "the other node to list the mount, its branch and context", func() (ok bool) {
		there, ok = list(b)
		return ok && there.Branch == here.Branch && there.Context == here.Context
	})
	if there.State != "elsewhere" || there.Node != here.Node || there.Dir != "" || !strings.Contains(there.Reason, "anna") || !strings.Contains(there.Reason, a.URL) {
		t.Errorf("the other node lists %+v", there)
	}

	// What is typed there reaches the disk here, and the other way round.
	file := must[struct {
		Context string
		Block   string `json:"block_id"`
	}](t, a, "fs_read", `{"path":"/mnt/app/src/hello.go"}`)
	await(t, "the block at the other node", func() bool {
		status, _ := post(t, b, "", "block_read", fmt.Sprintf(`{"context":%q,"block_id":%q}`, file.Context, file.Block))
		return status == http.StatusOK
	})
	must[any](t, b, "block_edit", fmt.Sprintf(`{"context":%q,"block_id":%q,"operations":[{"op":"insert","line":0,"content":"// from berta"}]}`, file.Context, file.Block))
	disk := filepath.Join(here.Dir, "src/hello.go")
	await(t, "the disk to have what was typed at the other node", func() bool {
		data, err := os.ReadFile(disk)
		return err == nil && strings.HasPrefix(string(data), "// from berta\npackage main\n")
	})
	data, err := os.ReadFile(disk)
	if err == nil {
		err = os.WriteFile(disk, append(data, "// from the disk\n"...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the other node to see what was written to the disk", func() bool {
		_, body := post(t, b, "", "block_read", fmt.Sprintf(`{"context":%q,"block_id":%q}`, file.Context, file.Block))
		return strings.Contains(body, "// from the disk") && strings.Contains(body, "// from berta")
	})

	for op, in := range map[string]string{
		"fs_read": `{"path":"/mnt/app/src/hello.go"}`, "fs_write": `{"path":"/mnt/app/x.txt","content":"x"}`, "fs_list": `{"path":"/mnt/app"}`,
		"fs_stat": `{"path":"/mnt/app/src/hello.go"}`, "fs_remove": `{"path":"/mnt/app/src/hello.go"}`, "fs_rename": `{"from":"/mnt/app/src/hello.go","to":"/mnt/app/src/x.go"}`,
		"fs_mkdir": `{"path":"/mnt/app/d"}`, "fs_search": `{"path":"/mnt/app","pattern":"x"}`, "fs_resolve": `{"path":"/mnt/app/src/hello.go","take":"block"}`,
		"git_status": `{}`, "git_diff": `{}`, "git_log": `{}`, "git_branch": `{"action":"list"}`, "git_commit": `{"mount":"/mnt/app","all":true,"message":"x"}`,
		"git_blame": `{"path":"/mnt/app/src/hello.go"}`, "notes_rewrite": `{"old":"HEAD~1","new":"HEAD"}`,
	} {
		status, body := post(t, b, "", op, in)
		if status != http.StatusServiceUnavailable || !strings.Contains(body, "node anna") || !strings.Contains(body, a.URL) {
			t.Errorf("%s at the other node: %d: %s; want 503 and where to ask", op, status, body)
		}
	}

	// A commit tells the context, at both.
	made := must[struct{ Commit string }](t, a, "git_commit", `{"mount":"/mnt/app","all":true,"message":"two nodes"}`)
	await(t, "the commit's block at the other node", func() bool {
		_, body := post(t, b, "", "context_get", fmt.Sprintf(`{"context":%q}`, file.Context))
		return len(made.Commit) == 40 && strings.Contains(body, made.Commit[:12])
	})

	// The mount is its node's when that was away, and what was typed meanwhile is
	// on the disk then.
	if err := a.Stop(); err != nil {
		t.Fatal(err)
	}
	must[any](t, b, "block_edit", fmt.Sprintf(`{"context":%q,"block_id":%q,"operations":[{"op":"insert","line":0,"content":"// while anna was away"}]}`, file.Context, file.Block))
	if status, body := post(t, b, "", "fs_read", `{"path":"/mnt/app/src/hello.go"}`); status != http.StatusServiceUnavailable || !strings.Contains(body, "anna") && !strings.Contains(body, here.Node) {
		t.Errorf("fs_read while the node is away: %d: %s", status, body)
	}
	a = join(dir, "anna")
	await(t, "the disk to have what was typed while its node was away", func() bool {
		data, err := os.ReadFile(disk)
		return err == nil && strings.HasPrefix(string(data), "// while anna was away\n// from berta\n")
	})

	// An owner takes it away from anywhere.
	if status, body := post(t, b, "", "mount_remove", `{"mount":"/mnt/app"}`); status != http.StatusOK || !json.Valid([]byte(body)) {
		t.Errorf("mount_remove: %d: %s", status, body)
	}
	await(t, "the mount to go", func() bool {
		_, there := list(a)
		return !there
	})
}
