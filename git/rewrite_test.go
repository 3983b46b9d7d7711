package git

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
)

// carrier is a repository whose commits on topic have notes: each line that
// one of them brought has a session of its commit as its writer.
type carrier struct {
	*sandbox
	repo    *Repo
	writers map[string]string // by the text of a line
	base    Hash
	topic   []Hash
}

const regions = 6

// newCarrier makes main with a file of regions, and topic with n commits of
// which each changes a region of the file and adds a file.
func newCarrier(t *testing.T, n int) *carrier {
	c := &carrier{sandbox: newSandbox(t), writers: make(map[string]string)}
	c.repo = c.sandbox.repo()
	hook := filepath.Join(c.dir, ".git/hooks/post-rewrite")
	os.MkdirAll(filepath.Dir(hook), 0o777)
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ncat >>\"$(git rev-parse --git-common-dir)/rewritten-$1\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	text := ""
	for i := range regions {
		for k := range 10 {
			text += fmt.Sprintf("region %d line %d\n", i, k)
		}
	}
	c.base = c.commit("base", map[string]string{"shared.txt": text, "old/moved.txt": text})
	c.git("checkout", "-q", "-b", "topic")
	for i := range n {
		c.change(i, fmt.Sprint("topic ", i), map[string][2]string{
			"shared.txt":               {fmt.Sprintf("region %d line 4\n", i%regions), fmt.Sprintf("topic %d a\ntopic %d b\n", i, i)},
			fmt.Sprintf("own%d", i):    {"", fmt.Sprintf("own %d a\n\n}\nown %d b\n", i, i)},
			"old/moved.txt":            {fmt.Sprintf("region %d line 7\n", i%regions), fmt.Sprintf("moved %d\n", i)},
			fmt.Sprintf("sp ace%d", i): {"", fmt.Sprintf("space %d\n", i)},
		})
	}
	return c
}

// change commits edits of files, each a text that becomes another, and writes
// the note of the commit.
func (c *carrier) change(i int, message string, edits map[string][2]string) Hash {
	files := make(map[string]string)
	key := SessionKey("agent", fmt.Sprint(i)) + "::" + TraceKey(message)
	for path, e := range edits {
		old, _ := os.ReadFile(filepath.Join(c.dir, path))
		files[path] = string(old) + e[1]
		if e[0] != "" {
			files[path] = strings.Replace(string(old), e[0], e[1], 1)
		}
		for line := range strings.Lines(e[1]) {
			if len(line) > 3 {
				c.writers[line] = key
			}
		}
	}
	h := c.commit(message, files)
	var note Authorship
	note.Meta.Base = h
	note.Meta.Sessions = map[string]Session{SessionKey("agent", fmt.Sprint(i)): {Tool: "agent", ID: fmt.Sprint(i), Model: "m"}}
	for path, text := range files {
		var keys []string
		for line := range strings.Lines(text) {
			keys = append(keys, c.writers[line])
		}
		note.Files = append(note.Files, FileAttest{path, attestLines(keys)})
	}
	if err := c.repo.SetNotes(NotesRef, map[Hash][]byte{h: note.Encode()}, ann); err != nil {
		c.t.Fatal(err)
	}
	c.topic = append(c.topic, h)
	return h
}

// rebase runs git rebase -i with a todo list of its own.
func (c *carrier) rebase(onto string, todo ...string) {
	c.t.Helper()
	list := filepath.Join(c.t.TempDir(), "todo")
	if err := os.WriteFile(list, []byte(strings.Join(todo, "\n")+"\n"), 0o666); err != nil {
		c.t.Fatal(err)
	}
	cmd := c.cmd("rebase", "-q", "-i", onto)
	cmd.Env = append(cmd.Env, "GIT_SEQUENCE_EDITOR=cp "+list)
	c.run(cmd)
}

// hooked is what git told its post-rewrite hook at the end of a rebase, or at
// an amend, without the commits that it made on the way to a squash.
func (c *carrier) hooked(command string) []Rewrite {
	c.t.Helper()
	f, err := os.Open(filepath.Join(c.dir, ".git/rewritten-"+command))
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	pairs, err := ReadRewrites(f)
	if err != nil {
		c.t.Fatal(err)
	}
	var out []Rewrite
	for _, p := range pairs {
		p.Old = slices.DeleteFunc(p.Old, func(h Hash) bool { return !slices.Contains(c.topic, h) })
		if len(p.Old) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// found is what FindRewrites says of the old and the new topic.
func (c *carrier) found() []Rewrite {
	c.t.Helper()
	pairs, err := c.repo.FindRewrites(context.Background(), Range{To: c.topic[len(c.topic)-1]}, Range{To: c.rev("HEAD")})
	if err != nil {
		c.t.Fatal(err)
	}
	return pairs
}

func byNew(pairs []Rewrite) map[Hash][]Hash {
	out := make(map[Hash][]Hash)
	for _, p := range pairs {
		out[p.New] = slices.Sorted(slices.Values(p.Old))
	}
	return out
}

// carry rewrites the notes of the pairs and checks every line of the new
// commits: the writer of its text, if an old commit of the pair has it.
func (c *carrier) carry(pairs []Rewrite) int {
	c.t.Helper()
	results, err := c.repo.RewriteNotes(context.Background(), pairs, RewriteOptions{By: ann})
	if err != nil {
		c.t.Fatal(err)
	}
	checked := 0
	for i, p := range pairs {
		if results[i].Skipped != "" {
			c.t.Errorf("%s: skipped: %s", p.New, results[i].Skipped)
			continue
		}
		note, err := ParseAuthorship([]byte(c.git("notes", "--ref=ai", "show", string(p.New))))
		if err != nil {
			c.t.Fatal(err)
		}
		if note.Meta.Base != p.New || len(note.Meta.Sessions) != len(p.Old) {
			c.t.Errorf("%s: base %s and %d sessions of %d commits", p.New, note.Meta.Base, len(note.Meta.Sessions), len(p.Old))
		}
		known := make(map[string]bool)
		for _, old := range p.Old {
			for _, path := range strings.Split(c.git("show", "--format=", "--name-only", string(old)), "\n") {
				for line := range strings.Lines(c.git("show", string(old)+":"+path) + "\n") {
					known[line] = true
				}
			}
		}
		for _, path := range strings.Split(c.git("show", "--format=", "--name-only", string(p.New)), "\n") {
			n := 0
			for line := range strings.Lines(c.git("show", string(p.New)+":"+path) + "\n") {
				n++
				want := ""
				if known[line] {
					want = c.writers[line]
				}
				if got := note.KeyAt(path, n); got != want {
					c.t.Errorf("%s %s:%d %q is by %q, want %q", p.New, path, n, line, got, want)
				}
				if want != "" {
					checked++
				}
			}
		}
	}
	return checked
}

func TestNotesGoThroughARebase(t *testing.T) {
	c := newCarrier(t, 4)
	c.git("checkout", "-q", "main")
	text := c.git("show", "main:shared.txt")
	c.commit("upstream", map[string]string{"shared.txt": "up 1\nup 2\n" + text + "\nup 3\n", "other": "x\n"})
	c.git("checkout", "-q", "topic")
	c.git("rebase", "-q", "main")
	if got, want := byNew(c.found()), byNew(c.hooked("rebase")); !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, git's hook says %v", got, want)
	}
	if n := c.carry(c.found()); n < 30 {
		t.Errorf("only %d lines have a writer", n)
	}
	for _, res := range must(c.repo.RewriteNotes(context.Background(), c.found(), RewriteOptions{By: ann})) {
		if res.Skipped == "" {
			t.Errorf("%s has a note and is not skipped", res.New)
		}
	}
	tip := c.rev(NotesRef)
	for _, res := range must(c.repo.RewriteNotes(context.Background(), c.found(), RewriteOptions{By: ann, Again: true, DryRun: true})) {
		if res.Skipped != "" || res.Lines == 0 {
			t.Errorf("%s again: skipped %q, %d lines", res.New, res.Skipped, res.Lines)
		}
	}
	if c.rev(NotesRef) != tip {
		t.Error("a dry run writes notes")
	}
	c.agrees()
}

func must(r []Rewritten, err error) []Rewritten {
	if err != nil {
		panic(err)
	}
	return r
}

func TestNotesGoThroughARenameUpstream(t *testing.T) {
	c := newCarrier(t, 3)
	c.git("checkout", "-q", "main")
	c.git("mv", "old/moved.txt", "renamed.txt")
	c.commit("rename", nil)
	c.git("checkout", "-q", "topic")
	c.git("rebase", "-q", "main")
	c.carry(c.hooked("rebase"))
	if got := c.git("notes", "--ref=ai", "show", "HEAD"); !strings.Contains(got, "\nrenamed.txt\n") {
		t.Errorf("the renamed file is not in %s", got)
	}
}

func TestNotesGoThroughAnAmend(t *testing.T) {
	c := newCarrier(t, 2)
	c.write("own1", "new at the top\nown 1 a\n\n}\nown 1 b\n")
	c.git("commit", "-q", "-a", "--amend", "-m", "other words")
	if got, want := byNew(c.found()), byNew(c.hooked("amend")); !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, git's hook says %v", got, want)
	}
	c.carry(c.found())
}

func TestNotesGoThroughACherryPick(t *testing.T) {
	c := newCarrier(t, 3)
	c.git("checkout", "-q", "-b", "pick", "main")
	c.git("cherry-pick", string(c.topic[2]), string(c.topic[0]))
	want := map[Hash][]Hash{c.rev("HEAD"): {c.topic[0]}, c.rev("HEAD^"): {c.topic[2]}}
	if got := byNew(c.found()); !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	c.carry(c.found())
}

func TestNotesGoThroughASplit(t *testing.T) {
	c := newCarrier(t, 3)
	c.git("reset", "-q", "HEAD^")
	c.git("add", "shared.txt")
	c.git("commit", "-q", "-m", "first half")
	c.git("add", "-A")
	c.git("commit", "-q", "-m", "second half")
	want := map[Hash][]Hash{c.rev("HEAD"): {c.topic[2]}, c.rev("HEAD^"): {c.topic[2]}}
	if got := byNew(c.found()); !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	c.carry(c.found())
}

// A squash in which a commit left no line of its own.
func TestNotesOfWhatWasWrittenOver(t *testing.T) {
	c := newCarrier(t, 1)
	c.change(10, "draft", map[string][2]string{"shared.txt": {"region 5 line 0\n", "draft line\n"}})
	c.change(11, "final", map[string][2]string{"shared.txt": {"draft line\n", "final line\n"}})
	c.rebase("main", "pick "+string(c.topic[0]), "squash "+string(c.topic[1]), "fixup "+string(c.topic[2]))
	if got, want := byNew(c.found()), byNew(c.hooked("rebase")); !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, git's hook says %v", got, want)
	}
	c.carry(c.found())
}

func TestNotesGoThroughAnyTodoList(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	checked := 0
	for range 6 {
		const n = 5
		c := newCarrier(t, n)
		var todo []string
		dropped := 0
		for _, i := range rnd.Perm(n) {
			verb := []string{"pick", "pick", "squash", "fixup", "drop", "reword"}[rnd.IntN(6)]
			if len(todo) == dropped && verb != "drop" {
				verb = "pick" // the first that is taken
			}
			if verb == "drop" {
				dropped++
			}
			todo = append(todo, verb+" "+string(c.topic[i]))
		}
		if dropped == n {
			continue
		}
		c.rebase("main", todo...)
		want := byNew(c.hooked("rebase"))
		got := byNew(c.found())
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: found %v, git's hook says %v", todo, got, want)
		}
		checked += c.carry(c.hooked("rebase"))
	}
	t.Logf("%d lines kept their writers", checked)
}

func TestReadRewrites(t *testing.T) {
	a, b, c := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)
	got, err := ReadRewrites(strings.NewReader(a + " " + c + "\n\n" + b + " " + c + " extra words\n"))
	if want := []Rewrite{{[]Hash{Hash(a), Hash(b)}, Hash(c)}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ReadRewrites = %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"x", a, a + " HEAD", strings.Repeat("a", 1<<17)} {
		if _, err := ReadRewrites(strings.NewReader(bad)); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("ReadRewrites(%.50q): %v, want ErrInvalid", bad, err)
		}
	}
}

func TestCommitsBetweenAreThoseOfRevList(t *testing.T) {
	for seed := range uint64(3) {
		h := &historian{sandbox: newSandbox(t), rnd: rand.New(rand.NewPCG(seed, 1))}
		h.commit("start", map[string]string{"a": h.line() + h.line(), "b": h.line()})
		for i := range 25 {
			h.step(i)
		}
		r := h.repo()
		all := strings.Split(h.git("rev-list", "--all"), "\n")
		for range 60 {
			to, other := all[h.rnd.IntN(len(all))], all[h.rnd.IntN(len(all))]
			var want []string
			if out := h.git("rev-list", to, "^"+other); out != "" {
				want = strings.Split(out, "\n")
			}
			commits, err := r.commitsBetween(context.Background(), Hash(to), Hash(other))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			place := make(map[Hash]int)
			for i, c := range commits {
				got = append(got, string(c.Hash))
				for _, p := range c.Parents {
					if at, ok := place[p]; ok && at > i {
						t.Errorf("parent after child")
					}
				}
				place[c.Hash] = i
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("between %s and %s: %v, git says %v", other, to, got, want)
			}
		}
	}
}
