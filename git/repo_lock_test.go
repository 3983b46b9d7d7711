package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"kaijutsu"
)

// markOf is the mark of a lock that a process holds.
func markOf(pid int) string {
	return fmt.Sprintf("%s%s:%d:%s", lockMarkPrefix, thisHost(), pid, startOf(pid))
}

func TestLocksOfTheDead(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Start(); err != nil {
		t.Fatal(err)
	}
	dead := markOf(gone.Process.Pid)
	if err := gone.Wait(); err != nil {
		t.Fatal(err)
	}
	there := exec.Command("cat")
	stdin, err := there.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := there.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); there.Wait() })
	alive := markOf(there.Process.Pid)
	foreign := lockMarkPrefix + "0123456789abcdef:1:1"
	for _, tc := range []struct {
		name, mark string
		age        time.Duration
		taken      bool
	}{
		{"a process that is gone", dead, 0, true},
		{"a process that runs", alive, 0, false},
		{"a process that runs, and is another", alive + "1", 0, startOf(os.Getpid()) != ""},
		{"this process", lockMark(), 0, false},
		{"an earlier process of this number", fmt.Sprintf("%s%s:%d:0", lockMarkPrefix, thisHost(), os.Getpid()), 0, true},
		{"another machine's", foreign, 0, false},
		{"another machine's of long ago", foreign, time.Hour, true},
		{"nobody's", "elsewhere", time.Hour, false},
		{"a mark that makes no sense", lockMarkPrefix + "a:b", time.Hour, false},
		{"a process of no number", lockMarkPrefix + thisHost() + ":-1:5", time.Hour, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index")
			if err := os.Symlink(tc.mark, path+".lock"); err != nil {
				t.Fatal(err)
			}
			if tc.age > 0 {
				stamp := time.Now().Add(-tc.age).Format("200601021504.05")
				if out, err := exec.Command("touch", "-h", "-t", stamp, path+".lock").CombinedOutput(); err != nil {
					t.Fatalf("touch: %v: %s", err, out)
				}
			}
			l, err := lockFile(path)
			switch {
			case tc.taken && err != nil:
				t.Fatalf("lockFile: %v, want the lock", err)
			case !tc.taken && !errors.Is(err, kaijutsu.ErrUnavailable):
				t.Fatalf("lockFile: %v, want ErrUnavailable", err)
			case tc.taken:
				l.Write([]byte("new"))
				if err := l.commit(); err != nil {
					t.Fatal(err)
				}
				if data, err := os.ReadFile(path); string(data) != "new" {
					t.Errorf("the file holds %q, %v", data, err)
				}
			}
			left, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(left) != 1 {
				t.Errorf("left over: %v, %v", left, err)
			}
		})
	}
}

// TestKilledInTheMiddleOfACommit kills a process that holds the locks of a
// commit, with the new contents written.
func TestKilledInTheMiddleOfACommit(t *testing.T) {
	if dir := os.Getenv("KJ_TEST_KILL"); dir != "" {
		s := &sandbox{t: t, dir: dir}
		w := s.worktree()
		err := w.UpdateIndex(context.Background(), func(x *Index) error {
			move, err := w.beginMove("main", s.rev("main~1"), s.rev("main"))
			if err != nil {
				return err
			}
			defer move.abort()
			fmt.Println("locked")
			select {}
		})
		t.Fatal(err)
	}
	s := newSandbox(t)
	s.commit("one", map[string]string{"a": "1\n"})
	two := s.commit("two", map[string]string{"a": "2\n"})
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledInTheMiddleOfACommit$")
	cmd.Env = append(os.Environ(), "KJ_TEST_KILL="+s.dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	for !bytes.Contains(said.Bytes(), []byte("locked")) {
		if _, err := said.ReadFrom(&oneRead{out}); err != nil {
			t.Fatalf("%v: %s", err, &said)
		}
	}
	w := s.worktree()
	if e, err := w.Epoch(); err != nil || !e.Locked {
		t.Fatalf("Epoch while it runs = %+v, %v: want it locked", e, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	w = s.worktree()
	if e, err := w.Epoch(); err != nil || e.Locked || e.Head != two {
		t.Errorf("Epoch when it is opened again = %+v, %v: want no lock, and %s", e, err, two)
	}
	if locks, _ := filepath.Glob(filepath.Join(s.dir, ".git", "*.lock")); locks != nil {
		t.Errorf("left over: %v", locks)
	}
	if locks, _ := filepath.Glob(filepath.Join(s.dir, ".git/refs/heads/*.lock")); locks != nil {
		t.Errorf("left over: %v", locks)
	}
	s.write("a", "3\n")
	s.git("commit", "-qam", "three by git")
	s.makeCommit(w, "four", FileChange{Path: "a", Data: []byte("4\n")})
	s.agrees()
}

// oneRead is one read of a reader.
type oneRead struct{ r io.Reader }

func (o *oneRead) Read(p []byte) (int, error) {
	if o.r == nil {
		return 0, io.EOF
	}
	n, err := o.r.Read(p)
	o.r = nil
	return n, err
}
