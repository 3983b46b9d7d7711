package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kaijutsu/internal/kjproc"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kj": main})
}

// TestScripts runs testdata/script/*.txtar. Besides testscript's own commands
// they have
//
//	server [ARG...]   start kj serve on $WORK/data with the arguments, wait
//	                  until it serves, and point kj at it
//	crash             kill that server with SIGKILL
//	follow FILE ARG…  start kj with the arguments in the background and write
//	                  its stdout and stderr to FILE
//	await FILE RE     wait until FILE matches RE
//	capture VAR RE    set VAR to the first group of RE in the last stdout
//	status N ARG…     run kj with the arguments; it has to exit with N
//	http PATH [BODY]  get an address of the server, or post to it, with the
//	                  token of KJ_TOKEN; a status of 400 or more is a failure,
//	                  and the body is the stdout
func TestScripts(t *testing.T) {
	s := &servers{running: make(map[string]*kjproc.Process)}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("KJ_DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("TZ", "UTC")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"server":  s.start,
			"crash":   s.crash,
			"follow":  follow,
			"await":   await,
			"capture": capture,
			"status":  status,
			"http":    request,
		},
	})
}

// servers are the running ones, by the data directory of their script.
type servers struct {
	mu      sync.Mutex
	running map[string]*kjproc.Process
}

func (s *servers) start(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("server cannot be expected to fail; use exec kj serve")
	}
	p, err := kjproc.Start(context.Background(), findKJ(ts), ts.Getenv("KJ_DATA"), args...)
	ts.Check(err)
	ts.Defer(p.Kill)
	ts.Setenv("KJ_SERVER", p.URL)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[ts.Getenv("KJ_DATA")] = p
}

func (s *servers) crash(ts *testscript.TestScript, _ bool, _ []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.running[ts.Getenv("KJ_DATA")]
	if p == nil {
		ts.Fatalf("no server is running")
	}
	p.Kill()
}

// findKJ returns the kj that testscript has put on the script's PATH.
func findKJ(ts *testscript.TestScript) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, "kj")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	ts.Fatalf("kj is not on the script's PATH")
	return ""
}

func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture VAR REGEXP")
	}
	m := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(m) < 2 {
		ts.Fatalf("%s does not match the last stdout", args[1])
	}
	ts.Setenv(args[0], m[1])
}

// status runs kj for its exit status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N ARG...")
	}
	err := ts.Exec("kj", args[1:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	}
	if want := args[0]; fmt.Sprint(got) != want {
		ts.Fatalf("kj %v: exit status %d, want %s", args[1:], got, want)
	}
}

func request(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: http PATH [BODY]")
	}
	method, body := http.MethodGet, ""
	if len(args) == 2 {
		method, body = http.MethodPost, args[1]
	}
	req, err := http.NewRequest(method, ts.Getenv("KJ_SERVER")+args[0], strings.NewReader(body))
	ts.Check(err)
	if token := ts.Getenv("KJ_TOKEN"); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	_, err = io.Copy(ts.Stdout(), resp.Body)
	ts.Check(err)
	if failed := resp.StatusCode >= http.StatusBadRequest; failed != neg {
		ts.Fatalf("http %s: status %s", args[0], resp.Status)
	}
}

func follow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: follow FILE ARG...")
	}
	out, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	cmd := exec.Command(findKJ(ts), args[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(os.Environ(), "KJ_SERVER="+ts.Getenv("KJ_SERVER"), "KJ_DATA="+ts.Getenv("KJ_DATA"))
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		_ = out.Close()
	})
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE REGEXP")
	}
	want := regexp.MustCompile("(?ms)" + args[1])
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for !want.MatchString(ts.ReadFile(args[0])) {
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("%s does not match %s; it is %q", args[0], args[1], ts.ReadFile(args[0]))
		}
	}
}
