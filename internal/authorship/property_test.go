package authorship_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/repo"
)

// session is people and an agent who edit, rename and commit files.
type session struct {
	*world
	t     *rapid.T
	c     *checkout
	doc   kaijutsu.DocumentID
	files []*edited
	unit  int // makes texts that are nowhere else

	// anything lets edits make a text that was there before, or is twice.
	anything bool
	at       map[git.Hash]kaijutsu.Heads // the context's when a commit was made
}

// edited is a file of a session.
type edited struct {
	block       blocks.ID
	path, inGit string // inGit is its path in HEAD; "" not there
	crlf        bool   // git stores it with "\r\n"
}

func (f *edited) stored(text string) []byte {
	if f.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

// token is a text that is nowhere else.
func (s *session) token() string {
	s.unit++
	return fmt.Sprintf("‹%d›", s.unit)
}

var (
	editors  = []kaijutsu.Principal{amy, ben, bot}
	everyone = append(slices.Clone(editors), authorship.Disk)
)

// TestBlameAgreesWithTheNotes has three principals, and the disk, edit files by
// lines and by characters, rename and commit them. For every line of HEAD the
// real git blames a line of a commit; the note of that commit names the last
// writer by the log.
func TestBlameAgreesWithTheNotes(t *testing.T) { agree(t, false) }

// TestNotesNameTheLastWriterOfAnyLine does the same with texts that come again,
// where git may take another one of equal lines for the new one, or the work of
// somebody who wrote what was there before for older. What git blames is held
// against the log where neither can be; the note of HEAD itself for every line.
func TestNotesNameTheLastWriterOfAnyLine(t *testing.T) { agree(t, true) }

// sessions is how many sessions are tried unless -rapid.checks says otherwise,
// with KJ_FULL and without; each runs the git command some fifty times.
const sessions, sessionsFull = "12", "500"

func agree(t *testing.T, anything bool) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		n := sessions
		if os.Getenv("KJ_FULL") != "" {
			n = sessionsFull
		}
		if err := f.Value.Set(n); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Value.Set(f.DefValue) })
	}
	w := newWorld(t)
	dir := t.TempDir()
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		inner := *w
		inner.tester = t
		sub, err := os.MkdirTemp(dir, "repo")
		if err != nil {
			t.Fatal(err)
		}
		s := &session{world: &inner, t: t, c: newCheckout(t, sub), doc: w.context("app"), anything: anything, at: make(map[git.Hash]kaijutsu.Heads)}
		s.start()
		for range rapid.IntRange(2, 5).Draw(t, "commits") {
			for range rapid.IntRange(1, 8).Draw(t, "edits") {
				s.step()
			}
			compared += s.commitAll()
		}
		if err := os.RemoveAll(sub); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%d lines compared", compared)
}

// start makes two files: one that a stranger committed, and a new one.
func (s *session) start() {
	var old strings.Builder
	for range 6 {
		old.WriteString("old " + s.token() + "\n")
	}
	s.c.write("a.txt", old.String())
	s.c.git("add", ".")
	s.c.git("commit", "-qm", "old")
	id, _ := s.file(authorship.Git, s.doc, old.String())
	s.files = append(s.files, &edited{block: id, path: "a.txt", inGit: "a.txt"})
	id, _ = s.file(amy, s.doc, "new "+s.token()+"\n")
	s.files = append(s.files, &edited{block: id, path: "b/b c.txt", crlf: true})
}

// step makes one edit.
func (s *session) step() {
	f := rapid.SampledFrom(s.files).Draw(s.t, "file")
	by := rapid.SampledFrom(everyone).Draw(s.t, "by")
	text, _ := s.content(s.doc, f.block)
	switch rapid.SampledFrom([]string{"line", "line", "character", "character", "character", "rename"}).Draw(s.t, "edit") {
	case "line":
		s.replace(repo.Edit{By: by}, s.doc, f.block, s.byLine(text))
	case "character":
		n := utf8.RuneCountInString(text)
		at := rapid.IntRange(0, n).Draw(s.t, "at")
		del := rapid.IntRange(0, min(12, n-at)).Draw(s.t, "del")
		s.edit(s.doc, repo.Edit{By: by}, func(_ repo.View, tx *blocks.Tx) error { return tx.SpliceText(f.block, at, del, s.insertion()) })
	case "rename":
		f.path = fmt.Sprintf("dir %d/file.txt", s.unit)
		s.unit++
	}
}

// byLine puts lines in, takes them out or replaces them.
func (s *session) byLine(text string) string {
	lines := strings.SplitAfter(text, "\n")
	at := rapid.IntRange(0, len(lines)-1).Draw(s.t, "line")
	del := rapid.IntRange(0, min(3, len(lines)-at)).Draw(s.t, "lines")
	var in []string
	for range rapid.IntRange(0, 3).Draw(s.t, "new lines") {
		in = append(in, s.words()+"\n")
	}
	if s.anything && rapid.Bool().Draw(s.t, "move") { // what is taken out comes in again elsewhere
		in = append(in, lines[at:at+del]...)
		rest := slices.Delete(slices.Clone(lines), at, at+del)
		at = rapid.IntRange(0, len(rest)).Draw(s.t, "to")
		return strings.Join(slices.Insert(rest, at, in...), "")
	}
	return strings.Join(slices.Replace(lines, at, at+del, in...), "")
}

// insertion is what is typed.
func (s *session) insertion() string {
	if s.anything {
		return rapid.SampledFrom([]string{"", "x", "\n", "}\n", "a\nb", "x"}).Draw(s.t, "typed")
	}
	return rapid.SampledFrom([]string{"", s.token() + "\n"}).Draw(s.t, "typed") + s.token()
}

func (s *session) words() string {
	if s.anything {
		return rapid.SampledFrom([]string{"}", "", "x", "word"}).Draw(s.t, "words")
	}
	return s.token() + rapid.SampledFrom([]string{"", " some words of code"}).Draw(s.t, "words")
}

// commitAll commits the files and compares every line; it returns how many.
func (s *session) commitAll() int {
	var notes []authorship.NoteFile
	var gone []string
	for _, f := range s.files {
		text, heads := s.content(s.doc, f.block)
		n := authorship.NoteFile{Path: f.path, Block: f.block, Data: f.stored(text)}
		if f.inGit != f.path && f.inGit != "" {
			n.OldPath = f.inGit
			gone = append(gone, f.inGit)
		}
		f.inGit = f.path
		notes = append(notes, n)
		s.at[""] = heads
	}
	head := s.c.commit(s.world, s.doc, notes, gone...)
	s.at[head] = s.at[""]
	compared := 0
	for _, f := range s.files {
		compared += s.compare(head, f)
	}
	return compared
}

// compare holds what git and its notes say of a file against the log.
func (s *session) compare(head git.Hash, f *edited) int {
	lines := s.lines(s.doc, f.block)
	text, _ := s.content(s.doc, f.block)
	blamed := s.c.blame(f.path)
	if len(blamed) != len(lines) {
		s.Fatalf("%s has %d lines, git blames %d", f.path, len(lines), len(blamed))
	}
	notes := make(map[git.Hash]git.Authorship)
	named := func(commit git.Hash, path string, line int) kaijutsu.Principal {
		a, ok := notes[commit]
		if !ok {
			a = s.c.note(commit)
			notes[commit] = a
		}
		return s.book.Writers(s.ctx, a, s.clock.now(), path, line)[line-1].By
	}
	open := s.blame(authorship.Target{Git: s.c.tree, Doc: s.doc, Block: f.block, Path: f.path})
	closed := s.blame(authorship.Target{Git: s.c.tree, Path: f.path})
	for i, l := range lines {
		want := l.By
		if want == authorship.Disk || want == authorship.Git {
			want = kaijutsu.Principal{}
		}
		if got := named(head, f.path, i+1); got != want && (!s.anything || l.By != authorship.Git) {
			s.Fatalf("line %d of %s: HEAD's note names %v, the log %v", i+1, f.path, got, l.By)
		}
		if !want.IsZero() && (open[i].By != want || open[i].Source != authorship.FromLog) {
			s.Fatalf("line %d of %s: Blame = %+v, the log names %v", i+1, f.path, open[i], l.By)
		}
		b := blamed[i]
		if s.anything && (want.IsZero() || !s.sure(l, text, i, b)) {
			continue
		}
		if got := named(b.commit, b.path, b.line); got != want {
			s.Fatalf("line %d of %s: git blames line %d of %s in %s, whose note names %v; the log names %v", i+1, f.path, b.line, b.path, b.commit, got, l.By)
		}
		if got := closed[i]; s.anything && got.Commit != b.commit {
			continue // of what is equal our blame may take another one than git's
		} else if got.Source == authorship.FromNote && got.By != want || got.Source == authorship.FromGit && !want.IsZero() {
			s.Fatalf("line %d of %s: Blame of the commit = %+v, the log names %v", i+1, f.path, got, l.By)
		}
		if got := open[i]; want.IsZero() && got.Source == authorship.FromNote {
			s.Fatalf("line %d of %s: Blame = %+v, the log names %v, and git nobody", i+1, f.path, got, l.By)
		}
	}
	return len(lines)
}

// sure reports whether git cannot but blame the commit with which a line's last
// change came: the change was in the context when that commit was made, and no
// other line is like it.
func (s *session) sure(l authorship.Line, text string, i int, b origin) bool {
	heads, ok := s.at[b.commit]
	if !ok || strings.Count("\n"+text+"\n", "\n"+strings.Split(text, "\n")[i]+"\n") != 1 {
		return false
	}
	was := strings.ReplaceAll(s.c.git("show", string(b.commit)+":"+b.path), "\r\n", "\n")
	if strings.Count("\n"+was+"\n", "\n"+strings.Split(text, "\n")[i]+"\n") != 1 {
		return false
	}
	behind := true
	err := s.repo.View(s.ctx, s.doc, func(v repo.View) error {
		later, err := v.Changes(heads)
		if err != nil {
			return err
		}
		for _, k := range later {
			behind = behind && v.Log().Hash(k) != l.Change
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return behind
}

// origin is a line of git blame.
type origin struct {
	commit git.Hash
	path   string
	line   int
}

var blameHead = regexp.MustCompile(`^([0-9a-f]{40}) (\d+) \d+`)

// blame asks the real git.
func (c *checkout) blame(path string) []origin {
	c.Helper()
	var out []origin
	paths := make(map[git.Hash]string)
	for line := range strings.Lines(c.git("blame", "--porcelain", "HEAD", "--", path)) {
		if m := blameHead.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				c.Fatal(err)
			}
			out = append(out, origin{commit: git.Hash(m[1]), line: n})
		} else if name, ok := strings.CutPrefix(line, "filename "); ok {
			name = strings.TrimSuffix(name, "\n")
			paths[out[len(out)-1].commit] = name
		}
	}
	for i := range out {
		out[i].path = paths[out[i].commit]
	}
	return out
}

// note reads the note of a commit with the real git.
func (c *checkout) note(commit git.Hash) git.Authorship {
	c.Helper()
	for line := range strings.Lines(c.git("notes", "--ref=ai", "list")) {
		if !strings.Contains(line, string(commit)) {
			continue
		}
		a, err := git.ParseAuthorship([]byte(c.git("notes", "--ref=ai", "show", string(commit))))
		if err != nil {
			c.Fatal(err)
		}
		return a
	}
	return git.Authorship{}
}
