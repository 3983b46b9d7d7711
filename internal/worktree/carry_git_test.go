package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/worktree"
)

// What git has brought and somebody has committed at once, before it was looked
// at, keeps its writers too, and what was edited and committed is the disk's.
func TestCarryCommitted(t *testing.T) {
	for name, commands := range map[string]string{
		"squash":      "git merge -q --squash alt; git commit -qm squashed",
		"pick":        "git cherry-pick -n alt; git commit -qm picked",
		"out of past": "git merge -q alt; git reset -q --hard HEAD@{1}; git checkout -q alt -- a.txt; git commit -qm taken",
		"conflict":    "git merge -q alt || true; sed -i '/^[<=>]/d' c.txt; git commit -qam merged",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": poem, "c.txt": "c\n"})
			f := w.file("a.txt")
			w.git("checkout", "-q", "-b", "alt")
			alt := f
			alt.Doc = w.onBranch("alt")
			w.sub(amy, alt, "six\n", "six\nhers\n}\nhers too\n")
			if name == "conflict" {
				w.put("c.txt", "c of alt\n")
			}
			w.settle()
			w.commit("hers")
			w.git("checkout", "-q", "work")
			w.onBranch("work")
			if name != "out of past" {
				w.put("a.txt", "first\n"+poem)
				w.put("c.txt", "c of work\n")
				w.settle()
				w.commit("first")
			}
			w.settle()
			cmd := w.cmd(w.dir)
			w.sh("export " + strings.Join(quoted(cmd.Env), " ") + "\n" + strings.ReplaceAll(commands, "; ", "\n"))
			w.until("there", func() bool { return strings.Contains(w.block(f.Doc, f.Block).Content, "hers too\n") })
			w.settle()
			got := w.writers(f)
			for _, line := range []string{"hers\n", "}\n", "hers too\n"} {
				if got[line] != amy.By {
					t.Errorf("her line %q is by %v", line, got[line])
				}
			}
			w.sh("export " + strings.Join(quoted(cmd.Env), " ") + "\nsed -i s/seven/SEVEN/ a.txt\ngit --version >&2\ngit commit -qam edited")
			w.until("there", func() bool { return strings.Contains(w.block(f.Doc, f.Block).Content, "SEVEN\n") })
			if by := w.writers(f)["SEVEN\n"]; by != worktree.Disk {
				t.Errorf("what was edited and committed is by %v", by)
			}
		})
	}
}

func quoted(env []string) (out []string) {
	for _, v := range env {
		k, v, _ := strings.Cut(v, "=")
		out = append(out, k+"='"+v+"'")
	}
	return out
}

// A file that is another block in another branch's context, because it was opened
// in each, keeps its writers.
func TestCarryOtherBlock(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem, "b.txt": "b\n"})
	w.file("b.txt")
	w.git("checkout", "-q", "-b", "alt")
	w.onBranch("alt")
	alt := w.file("a.txt")
	w.sub(amy, alt, "six\n", "six\nhers\n")
	w.settle()
	w.commit("hers")
	w.git("checkout", "-q", "work")
	w.onBranch("work")
	f := w.file("a.txt")
	if f.Block == alt.Block {
		t.Fatal("it is the same block")
	}
	w.settle()
	w.git("checkout", "-q", "alt", "--", "a.txt")
	w.untilBlock(f, strings.Replace(poem, "six\n", "six\nhers\n", 1))
	w.settle()
	if by := w.writers(f)["hers\n"]; by != amy.By {
		t.Errorf("her line is by %v", by)
	}
}

// Somebody types between the changes that one import is made of, in the midst of
// what it brings: the rest comes later, no line twice, and nobody has to decide.
func TestCarryCutOff(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.git("checkout", "-q", "-b", "alt")
	alt := f
	alt.Doc = w.onBranch("alt")
	w.sub(amy, alt, "six\n", "six\nhers\n")
	w.sub(ben, alt, "seven", "his\nseven")
	w.sub(amy, alt, "two\n", "two\nhers above\n")
	w.settle()
	w.commit("theirs")
	full := w.disk("a.txt")
	w.git("checkout", "-q", "work")
	w.onBranch("work")
	w.settle()
	state := filepath.Join(w.main, ".git/worktrees/tree/BISECT_LOG")
	if err := os.WriteFile(state, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	w.until("paused", func() bool { return w.State().Paused })
	w.git("merge", "-q", "alt")
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	// as soon as the first of her lines is there
	w.until("typed", func() bool {
		done := false
		w.edit(ben, f, func(v repo.View, tx *blocks.Tx) error {
			b, _ := v.Block(f.Block)
			if done = strings.Contains(b.Content, "hers above\n"); !done {
				return nil
			}
			at := strings.Index(b.Content, "four")
			return tx.SpliceText(f.Block, at, 0, "typed\n")
		})
		return done
	})
	want := strings.Replace(full, "four", "typed\nfour", 1)
	w.untilBlock(f, want)
	w.settle()
	w.untilDisk("a.txt", want)
	if _, ok := w.conflict(f.Doc); ok {
		t.Error("there is a conflict")
	}
	got := w.writers(f)
	for line, want := range map[string]any{"hers\n": amy.By, "hers above\n": amy.By, "his\n": ben.By, "typed\n": ben.By} {
		if got[line] != want {
			t.Errorf("%q is by %v, want %v", line, got[line], want)
		}
	}
}
