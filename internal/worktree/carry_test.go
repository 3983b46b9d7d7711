package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/worktree"
)

// writers returns who wrote the lines of a block, by line.
func (w *world) writers(f worktree.File) map[string]kaijutsu.Principal {
	w.t.Helper()
	out := map[string]kaijutsu.Principal{}
	err := w.repo.View(w.t.Context(), f.Doc, func(v repo.View) error {
		b, _ := v.Block(f.Block)
		by, err := v.Model().Lines(f.Block, v.Log())
		lines := strings.SplitAfter(b.Content, "\n")
		for i := range min(len(by), len(lines)) {
			who, _ := v.Principal(by[i].Actor)
			line := lines[i]
			for _, taken := out[line]; taken; _, taken = out[line] {
				line += "again "
			}
			out[line] = who
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// What somebody else has committed is not hers because a line of hers reads the
// same.
func TestCarryNoTwins(t *testing.T) {
	const mine = "package a\n\nfunc A() error {\n\tif x {\n\t\treturn nil\n\t}\n\treturn 1\n}\n"
	w := newWorld(t, map[string]string{"a.go": strings.Replace(mine, "\tif x {\n\t\treturn nil\n\t}\n", "", 1)})
	f := w.file("a.go")
	w.sub(amy, f, "\treturn 1\n", "\tif x {\n\t\treturn nil\n\t}\n\treturn 1\n")
	w.settle()
	w.commit("amy's")
	w.settle()
	w.gitIn(w.main, "merge", "-q", "work")
	text := mine
	for _, more := range []string{"\nfunc B() {}\n", "\nfunc AnnsOwn() error {\n\tif y {\n\t\treturn nil\n\t}\n}\n"} {
		text += more
		if err := os.WriteFile(filepath.Join(w.main, "a.go"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		w.gitIn(w.main, "commit", "-q", "-a", "-m", "ann's")
		w.git("merge", "-q", "main")
		w.untilBlock(f, text)
		w.settle()
	}
	got := w.writers(f)
	for _, line := range []string{"\tif x {\n", "\t\treturn nil\n", "\t}\n"} {
		if got[line] != amy.By {
			t.Errorf("her line %q is by %v", line, got[line])
		}
		if by := got[line+"again "]; by == amy.By {
			t.Errorf("Ann's line %q is said to be hers", line)
		}
	}
	if by := got["func AnnsOwn() error {\n"]; by != worktree.Git {
		t.Errorf("Ann's function is by %v, want git", by)
	}
}

// Lines keep their writers also where the block held something that was not on the
// disk while git was at work.
func TestCarryIntoDirty(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.git("checkout", "-q", "-b", "alt")
	alt := f
	alt.Doc = w.onBranch("alt")
	w.sub(amy, alt, "six\n", "six\nhers one\nhers two\nhers three\n")
	w.settle()
	w.commit("hers")
	w.git("checkout", "-q", "work")
	w.onBranch("work")
	w.settle()
	state := filepath.Join(w.main, ".git/worktrees/tree/BISECT_LOG") // as if git were at something longer
	if err := os.WriteFile(state, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	w.until("paused", func() bool { return w.State().Paused })
	w.git("merge", "-q", "alt")
	w.sub(ben, f, "one\n", "one\nhis\n")
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("one\n", "one\nhis\n", "six\n", "six\nhers one\nhers two\nhers three\n").Replace(poem)
	w.untilBlock(f, want)
	w.untilDisk("a.txt", want)
	got := w.writers(f)
	for _, line := range []string{"hers one\n", "hers two\n", "hers three\n"} {
		if got[line] != amy.By {
			t.Errorf("%q is by %v, want %v", line, got[line], amy.By)
		}
	}
	if got["his\n"] != ben.By {
		t.Errorf("his line is by %v", got["his\n"])
	}
}

// Of many files that git brings at once, all keep their writers.
func TestCarryMany(t *testing.T) {
	names := map[string]string{}
	for i := range 60 {
		names[string(rune('a'+i/26))+string(rune('a'+i%26))+".txt"] = poem
	}
	w := newWorld(t, names)
	var files []worktree.File
	for name := range names {
		files = append(files, w.file(name))
	}
	for _, f := range files {
		w.sub(amy, f, "four\n", "four\nhers\n")
	}
	w.settle()
	w.commit("hers")
	w.settle()
	w.git("checkout", "-q", "HEAD~1", "--", ".")
	w.settle()
	w.git("checkout", "-q", "HEAD", "--", ".")
	w.settle()
	for _, f := range files {
		if got := w.writers(f)["hers\n"]; got != amy.By {
			t.Errorf("%s: her line is by %v", f.Path, got)
		}
	}
}

// A file that is taken out of another branch, or squashed into this one, keeps
// its writers; one that somebody has edited and added does not become git's.
func TestCarryWithoutCommit(t *testing.T) {
	for name, command := range map[string][]string{"checkout": {"checkout", "-q", "alt", "--", "a.txt"}, "squash": {"merge", "-q", "--squash", "alt"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": poem, "b.txt": "b\n"})
			f := w.file("a.txt")
			w.git("checkout", "-q", "-b", "alt")
			alt := f
			alt.Doc = w.onBranch("alt")
			w.sub(amy, alt, "six\n", "six\nhers\n")
			w.settle()
			w.commit("hers")
			w.git("checkout", "-q", "work")
			w.onBranch("work")
			w.put("a.txt", "first\n"+poem)
			w.settle()
			if name == "squash" {
				w.commit("first")
				w.settle()
			}
			w.git(command...)
			w.until("there", func() bool { return strings.Contains(w.block(f.Doc, f.Block).Content, "hers\n") })
			w.settle()
			if by := w.writers(f)["hers\n"]; by != amy.By {
				t.Errorf("her line is by %v", by)
			}
			w.sh("sed -i s/seven/SEVEN/ a.txt")
			w.git("add", "a.txt")
			w.until("there", func() bool { return strings.Contains(w.block(f.Doc, f.Block).Content, "SEVEN\n") })
			if by := w.writers(f)["SEVEN\n"]; by != worktree.Disk {
				t.Errorf("what was edited and added is by %v", by)
			}
		})
	}
}

// What is typed while git stashes is not lost: it stays in the block, and comes
// to the disk again.
func TestTypedWhileStashing(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sub(amy, f, "two\n", "two\nbefore\n")
	w.settle()
	stash := w.git("stash", "create") // as git stash does it, only slowly
	w.git("update-ref", "-m", "WIP", "refs/stash", stash)
	w.sub(amy, f, "six\n", "six\nmeanwhile\n")
	w.untilDisk("a.txt", strings.NewReplacer("two\n", "two\nbefore\n", "six\n", "six\nmeanwhile\n").Replace(poem))
	w.git("reset", "-q", "--hard")
	want := strings.Replace(poem, "six\n", "six\nmeanwhile\n", 1)
	w.untilBlock(f, want)
	w.untilDisk("a.txt", want)
	if by := w.writers(f)["meanwhile\n"]; by != amy.By {
		t.Errorf("what was typed is by %v", by)
	}
}
