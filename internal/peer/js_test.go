package peer_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/repo"
)

// interopDir holds the npm packages that the tests run against.
const interopDir = "../interop"

// clients is a Node process with stock clients, which takes turns with the
// test.
type clients struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
	bad *bytes.Buffer
	cmd *exec.Cmd
}

// runClients runs scripts of testdata with the code that docs/schema.md
// publishes.
func runClients(t *testing.T, script string, env ...string) *clients {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(interopDir, "node_modules", "@automerge"))
	}
	if err != nil {
		if os.Getenv("KJ_REQUIRE_NODE") != "" {
			t.Fatalf("node with the packages of %s is required: %v", interopDir, err)
		}
		t.Skipf("needs node and the packages of %s: %v", interopDir, err)
	}
	schema, err := os.ReadFile("../../docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```js\n(.*?)```").FindSubmatch(schema)
	if code == nil {
		t.Fatal("docs/schema.md holds no code")
	}
	source := string(code[1])
	for _, name := range []string{"clients.mjs", script} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		source += "\n" + string(b)
	}
	// A module on the command line finds packages from where node runs.
	cmd := exec.Command("node", "--input-type=module", "-e", source)
	cmd.Dir, cmd.Env = interopDir, append(os.Environ(), env...)
	c := &clients{t: t, cmd: cmd, bad: new(bytes.Buffer)}
	cmd.Stderr = c.bad
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewScanner(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			_ = cmd.Process.Kill()
		}
		if err := cmd.Wait(); err != nil && !t.Failed() {
			t.Errorf("node: %v\n%s", err, c.bad)
		}
	})
	return c
}

// turn waits for the clients' next line, lets the test look, and lets them go
// on.
func (c *clients) turn(says any, look func()) {
	c.t.Helper()
	for more := true; more; more = !bytes.HasPrefix(c.out.Bytes(), []byte("{")) { // the library prints lines, too
		if !c.out.Scan() {
			_ = c.cmd.Wait()
			c.t.Fatalf("node ended: %s", c.bad)
		}
	}
	if err := json.Unmarshal(c.out.Bytes(), says); err != nil {
		c.t.Fatalf("node said %q: %v", c.out.Bytes(), err)
	}
	look()
	if _, err := io.WriteString(c.in, "\n"); err != nil {
		c.t.Fatal(err)
	}
}

// roles is a permission table that tests change while the server runs.
type roles struct {
	mu sync.Mutex
	of map[string]kaijutsu.Right // guarded by mu
}

func (r *roles) ask(_ context.Context, by kaijutsu.Principal, _ kaijutsu.DocumentID) kaijutsu.Right {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[by.Name]
}

func (r *roles) set(name string, right kaijutsu.Right) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of[name] = right
}

var amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}

// plan makes a context with one block.
func (s *server) plan() (kaijutsu.DocumentID, blocks.ID) {
	s.t.Helper()
	ctx := context.Background()
	cid, err := s.repo.CreateContext(ctx, amy, "Plan")
	if err != nil {
		s.t.Fatal(err)
	}
	id := blocks.NewID(time.Now())
	_, err = s.repo.Edit(ctx, cid.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: id, Content: "one"})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return cid.Document(), id
}

// TestStockClientsWithRoles has unmodified clients do what they may and what
// they may not.
func TestStockClientsWithRoles(t *testing.T) {
	rights := roles{of: map[string]kaijutsu.Right{"amy": kaijutsu.RightEdit, "reader": kaijutsu.RightRead, "commenter": kaijutsu.RightComment}}
	s := start(t, func(c *peer.Config) { c.Right = rights.ask })
	doc, block := s.plan()
	c := runClients(t, "roles.mjs", "SERVER="+s.url, "DOC="+doc.URL(), "BLOCK="+string(block))
	var got struct {
		Frames, Told []int
		Edits        int
		Title, Text  string
	}
	c.turn(&got, func() {
		if got.Title != "Plan" || strings.Contains(got.Text, "commenter") {
			t.Errorf("the editor sees the title %q and the text %q, with what was refused", got.Title, got.Text)
		}
		for i, name := range []string{"reader", "commenter"} {
			if got.Frames[i] > 4*got.Edits {
				t.Errorf("the %s sent %d frames while it got %d edits", name, got.Frames[i], got.Edits)
			}
			if want := i + 1; got.Told[i] != want {
				t.Errorf("the %s was told %d times, want %d: once for each change", name, got.Told[i], want)
			}
		}
		rights.set("reader", kaijutsu.RightEdit)
	})
	c.turn(&got, func() {
		if got.Title != "now reader Plan" {
			t.Errorf("the title is %q, want both edits of the one who may write now", got.Title)
		}
	})
	err := s.repo.View(t.Context(), doc, func(v repo.View) error {
		for _, b := range v.Blocks() {
			if b.Kind == blocks.KindComment && (b.By.Name != "commenter" || b.Content != "hm, really" || b.Parent != block) {
				t.Errorf("the comment is %+v, want one by the commenter", b)
			}
		}
		if v.Len() != 2 {
			t.Errorf("there are %d blocks, want 2", v.Len())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAStockClientGoesAstray has a stock client's messages for a context and
// its fork sent under each other's id.
func TestAStockClientGoesAstray(t *testing.T) {
	s := start(t, nil)
	parent, _ := s.plan()
	cid, err := s.repo.Fork(t.Context(), amy, parent, nil, "Fork")
	if err != nil {
		t.Fatal(err)
	}
	c := runClients(t, "stray.mjs", "SERVER="+s.url, "PARENT="+parent.URL(), "FORK="+cid.Document().URL())
	holds := func(doc kaijutsu.DocumentID, hash string) (found bool) {
		t.Helper()
		h, err := kaijutsu.ParseChangeHash(hash)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.repo.View(t.Context(), doc, func(v repo.View) error {
			_, found = v.Log().Index(h)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return found
	}
	for range 3 {
		var stray struct{ From, To, Hash string }
		var from, to kaijutsu.DocumentID
		c.turn(&stray, func() {
			from, err = kaijutsu.ParseDocumentID(stray.From)
			if err != nil {
				t.Fatal(err)
			}
			if to, err = kaijutsu.ParseDocumentID(stray.To); err != nil {
				t.Fatal(err)
			}
			if holds(from, stray.Hash) || holds(to, stray.Hash) {
				t.Errorf("a change of %s that came as one of %s was taken", from, to)
			}
		})
		var later struct{ Taken []string }
		c.turn(&later, func() {
			for _, hash := range later.Taken {
				eventually(t, "it is taken where it belongs", func() bool { return holds(from, hash) })
				if holds(to, hash) {
					t.Errorf("%s has a change of %s", to, from)
				}
			}
		})
	}
}
