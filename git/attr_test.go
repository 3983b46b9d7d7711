package git

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	globParts = []string{"a", "b", "foo", "*.c", "*", "**", "f?o", "[a-c]", "[!a]", "\\a", "a*b", "foo.c", "*o", "[[:alpha:]]", "b**", "**c", "[a", "d\\*", "f*", "x y", "[]-]", "[^x]*"}
	someNames = []string{"a", "b", "foo", "c", "foo.c", "fo", "ab", "axb", "d*", "x y", "bar.c", "zoo", "]", "B"}
)

// seeds is how many random trees are made; more were tried.
const seeds = 8

func randomPattern(rnd *rand.Rand) string {
	n := 1 + rnd.IntN(3)
	parts := make([]string, n)
	for i := range parts {
		parts[i] = globParts[rnd.IntN(len(globParts))]
	}
	p := strings.Join(parts, "/")
	if rnd.IntN(4) == 0 {
		p = "/" + p
	}
	if rnd.IntN(4) == 0 {
		p += "/"
	}
	return p
}

func randomPath(rnd *rand.Rand) string {
	n := 1 + rnd.IntN(4)
	parts := make([]string, n)
	for i := range parts {
		parts[i] = someNames[rnd.IntN(len(someNames))]
	}
	return strings.Join(parts, "/")
}

// ask feeds paths to a git command that answers with NUL-separated fields.
func (s *sandbox) ask(paths []string, args ...string) []string {
	s.t.Helper()
	cmd := s.cmd(args...)
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		s.t.Fatalf("%v: %v", args, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func TestIgnoredAsGitDoes(t *testing.T) {
	for seed := range uint64(seeds) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		s := newSandbox(t)
		for _, dir := range []string{"", "a/", "a/b/", "foo/", ".git/info/"} {
			if dir != "" && rnd.IntN(3) == 0 {
				continue
			}
			var lines []string
			for range rnd.IntN(6) {
				p := randomPattern(rnd)
				switch rnd.IntN(8) {
				case 0, 1:
					p = "!" + p
				case 2:
					p += "  "
				case 3:
					p += "\\ "
				case 4:
					p = "#" + p
				case 5:
					p += "\r"
				}
				lines = append(lines, p)
			}
			name := ".gitignore"
			if dir == ".git/info/" {
				name = "exclude"
			}
			s.write(dir+name, strings.Join(lines, "\n"))
		}
		// check-ignore learns from the disk what is a directory.
		paths := map[string]bool{}
		for range 40 {
			p := randomPath(rnd)
			if !parentsAreDirs(s.dir, p) || exists(filepath.Join(s.dir, p)) {
				continue
			}
			s.write(p, "")
			paths[p] = false
		}
		for _, d := range []string{"a", "b", "foo", "c", "a/b", "a/foo"} {
			if fi, err := os.Stat(filepath.Join(s.dir, d)); err == nil && fi.IsDir() {
				paths[d] = true
			}
		}
		var list []string
		for p := range paths {
			list = append(list, p)
		}
		w := s.worktree()
		answers := s.ask(list, "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
		for i := 0; i+3 < len(answers); i += 4 {
			pattern, path := answers[i+2], answers[i+3]
			want := pattern != "" && pattern[0] != '!'
			if got := w.Ignored(path, paths[path]); got != want {
				data, _ := os.ReadFile(filepath.Join(s.dir, ".gitignore"))
				t.Errorf("seed %d: Ignored(%q, %v) = %v, git says %v by %q of %s\n.gitignore:\n%s", seed, path, paths[path], got, want, pattern, answers[i], data)
			}
		}
	}
}

func TestAttributesAsGitReadsThem(t *testing.T) {
	names := []string{"text", "crlf", "eol", "diff", "filter", "ident", "working-tree-encoding", "binary", "mine"}
	states := []string{"text", "-text", "!text", "text=auto", "crlf", "-crlf", "crlf=input", "eol=lf", "eol=crlf", "!eol", "diff", "-diff", "filter=lfs", "-filter", "ident",
		"working-tree-encoding=UTF-16", "binary", "-binary", "!binary", "mine", "mine=x", "-b@d", "text=", "mac"}
	for seed := range uint64(seeds) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		s := newSandbox(t)
		for _, dir := range []string{"", "a/", "a/b/", "foo/", ".git/info/"} {
			if rnd.IntN(3) == 0 {
				continue
			}
			var lines []string
			for range rnd.IntN(7) {
				p := randomPattern(rnd)
				switch rnd.IntN(10) {
				case 0:
					p = "[attr]mac"
				case 1:
					p = `"` + strings.NewReplacer(`\`, `\\`).Replace(p) + `"`
				case 2:
					p = "!" + p
				}
				for range rnd.IntN(4) {
					p += " \t"[rnd.IntN(2):][:1] + states[rnd.IntN(len(states))]
				}
				lines = append(lines, p)
			}
			name := ".gitattributes"
			if dir == ".git/info/" {
				name = "attributes"
			}
			s.write(dir+name, strings.Join(lines, "\n"))
		}
		var paths []string
		for range 60 {
			paths = append(paths, randomPath(rnd))
		}
		w := s.worktree()
		answers := s.ask(paths, append([]string{"check-attr", "-z", "--stdin"}, names...)...)
		for i := 0; i+2 < len(answers); i += 3 {
			path, name, want := answers[i], answers[i+1], answers[i+2]
			state, ok := w.attributes().lookup(path)[name]
			if !ok {
				state = attrUnspecified
			}
			if got := strings.TrimPrefix(string(state), "\x00"); got != want {
				data, _ := os.ReadFile(filepath.Join(s.dir, ".gitattributes"))
				t.Errorf("seed %d: %s of %q is %q, git says %q\n.gitattributes:\n%s", seed, name, path, got, want, data)
			}
		}
	}
}

func TestConversionsAsGitMakesThem(t *testing.T) {
	contents := []string{"a\nb\n", "a\r\nb\r\n", "a\r\nb\n", "a\rb\n", "\x00\n", "a\r\n\x00", "", "a", "$Id$\n", "$Id: x y $\r\n", "\x01\x02\n", "é\n", "a\n\x1a", "\x7f\n", "$Id: 123 $ $Id\n"}
	attrs := []string{"", "text", "-text", "text=auto", "text eol=crlf", "text=auto eol=crlf", "eol=crlf", "eol=lf", "text=auto eol=lf", "crlf", "ident", "text ident eol=crlf", "crlf=input", "working-tree-encoding=UTF-16LE-BOM", "working-tree-encoding=utf-16be"}
	configs := [][]string{nil, {"core.autocrlf=true"}, {"core.autocrlf=input"}, {"core.eol=crlf"}, {"core.eol=lf"}}
	for _, set := range configs {
		s := newSandbox(t)
		for _, c := range set {
			k, v, _ := strings.Cut(c, "=")
			s.git("config", k, v)
		}
		var lines []string
		disk := map[string]string{}
		for i, a := range attrs {
			lines = append(lines, fmt.Sprintf("a%d.* %s", i, a))
			for j, content := range contents {
				disk[fmt.Sprintf("a%d.%d", i, j)] = content
			}
		}
		s.write(".gitattributes", strings.Join(lines, "\n")+"\n")
		w := s.worktree()
		for path, content := range disk {
			if a := w.Attributes(path); a.Encoding != "" && content != "" {
				out, ok := encodeText([]byte(content), a.Encoding)
				if !ok {
					t.Fatalf("%q: %s is not known", content, a.Encoding)
				}
				disk[path] = string(out)
			}
			s.write(path, disk[path])
		}
		s.cmd("add", "--ignore-errors", "-f", ".").Run()
		for path, stored := range s.stored(w) {
			a := w.Attributes(path)
			if got := a.ToRepo([]byte(disk[path]), nil); string(got) != stored {
				t.Errorf("%v %+v: ToRepo(%q) = %q, git stores %q", set, a, disk[path], got, stored)
			}
			os.Remove(filepath.Join(s.dir, path))
		}
		s.git("checkout-index", "-f", "-a")
		for path, stored := range s.stored(w) {
			a := w.Attributes(path)
			out, err := os.ReadFile(filepath.Join(s.dir, path))
			if err != nil {
				t.Fatal(err)
			}
			if got := a.ToDisk([]byte(stored)); string(got) != string(out) {
				t.Errorf("%v %+v: ToDisk(%q) = %q, git writes %q", set, a, stored, got, out)
			}
		}
		// What is stored with CR LF stays so where git decides by itself.
		var info strings.Builder
		for path := range disk {
			var i, j int
			fmt.Sscanf(path, "a%d.%d", &i, &j)
			if w.Attributes(path).Encoding != "" {
				s.git("rm", "-q", "-f", "--cached", path)
				os.Remove(filepath.Join(s.dir, path))
				continue
			}
			fmt.Fprintf(&info, "100644 %s\t%s\n", s.repoBlob(w, contents[j]), path)
			s.write(path, contents[j]+"more\r\n")
		}
		cmd := s.cmd("update-index", "--add", "--index-info")
		cmd.Stdin = strings.NewReader(info.String())
		s.run(cmd)
		s.cmd("add", "--ignore-errors", "-f", ".").Run()
		for path, stored := range s.stored(w) {
			var i, j int
			fmt.Sscanf(path, "a%d.%d", &i, &j)
			a, now := w.Attributes(path), contents[j]+"more\r\n"
			if got := a.ToRepo([]byte(now), []byte(contents[j])); string(got) != stored {
				t.Errorf("%v %+v: ToRepo(%q) with %q in the index = %q, git stores %q", set, a, now, contents[j], got, stored)
			}
		}
	}
}

// stored returns what the index has of the files a0.0 and so on.
func (s *sandbox) stored(w *Worktree) map[string]string {
	s.t.Helper()
	out := map[string]string{}
	for _, line := range strings.Split(s.git("ls-files", "-s"), "\n") {
		fields := strings.Fields(line)
		if !strings.HasPrefix(fields[3], "a") {
			continue
		}
		data, err := w.repo.readKind(Hash(fields[1]), blobKind)
		if err != nil {
			s.t.Fatal(err)
		}
		out[fields[3]] = string(data)
	}
	return out
}

func (s *sandbox) repoBlob(w *Worktree, content string) Hash {
	s.t.Helper()
	h, err := w.repo.writeObject(blobKind, []byte(content))
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func TestWildmatchEndsInTime(t *testing.T) {
	pattern := strings.Repeat("*a", 500) + "b"
	if wildmatch(pattern, strings.Repeat("a", 4000), false, false) {
		t.Error("it matches")
	}
	if !wildmatch(strings.Repeat("**/", 500)+"x", strings.Repeat("a/", 1000)+"x", true, false) {
		t.Error("it does not match")
	}
}

func FuzzIgnoreFile(f *testing.F) {
	f.Add([]byte("*.o\n!a\n/b/**/c\n[a-z\n\\"), "b/x/c")
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		s := ignoreSource{dir: func(string) []pathPattern { return parseIgnore(data) }}
		s.ignored(path, true)
		s.ignored(path, false)
	})
}

func FuzzAttributesFile(f *testing.F) {
	f.Add([]byte("[attr]m text m -m\n\"a\\tb\" m\n* text=auto\n"), "a/b")
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		s := attrSource{dir: func(string) []attrRule { return parseAttributes(data, true) }}
		s.attr(path)
	})
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte("a\r\nb $Id: x $\n"), 2, "utf-16")
	f.Fuzz(func(t *testing.T, data []byte, text int, encoding string) {
		a := Attr{Text: Text(text % 3), EOL: "crlf", Ident: true, Encoding: encoding}
		a.ToDisk(data)
		a.ToRepo(data, data)
	})
}
