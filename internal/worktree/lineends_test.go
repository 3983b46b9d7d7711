package worktree_test

import (
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/worktree"
)

// Lines whose ends alone change on the disk stay whose they are.
func TestLineEndsChange(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": strings.ReplaceAll(poem, "\n", "\r\n")})
	f := w.file("a.txt")
	w.sub(ben, f, "two\n", "two\nhis\n")
	w.settle()
	w.sub(amy, f, "six\n", "six\nhers\nhers too\n")
	w.settle()
	text := strings.NewReplacer("two\n", "two\nhis\n", "six\n", "six\nhers\nhers too\n").Replace(poem)
	dos := strings.ReplaceAll(text, "\n", "\r\n")
	want := func(suffix string) {
		t.Helper()
		got := w.writers(f)
		for line, who := range map[string]kaijutsu.Principal{"his": ben.By, "hers": amy.By, "hers too": amy.By, "one": worktree.Git} {
			if by := got[line+suffix]; by != who {
				t.Errorf("%q is by %v, want %v", line+suffix, by, who)
			}
		}
	}
	w.sh("printf 'unix\\n' >> a.txt")
	w.untilBlock(f, dos+"unix\n")
	want("\r\n")
	if by := w.writers(f)["unix\n"]; by != worktree.Disk {
		t.Errorf("what was appended is by %v", by)
	}
	w.settle()
	w.sh("sed -i 's/\\r$//; s/^seven/SEVEN/' a.txt")
	w.untilBlock(f, strings.Replace(text, "seven", "SEVEN", 1)+"unix\n")
	want("\n")
	w.settle()
	if got := w.disk("a.txt"); got != strings.Replace(text, "seven", "SEVEN", 1)+"unix\n" {
		t.Errorf("the disk holds %q", got)
	}
}

// The same while the block holds what the disk does not have.
func TestLineEndsChangeWhileTyping(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": strings.ReplaceAll(poem, "\n", "\r\n")})
	f := w.file("a.txt")
	w.sub(ben, f, "two\n", "two\nhis\n")
	w.settle()
	dos := strings.ReplaceAll(strings.Replace(poem, "two\n", "two\nhis\n", 1), "\n", "\r\n")
	w.held(f, strings.Replace(strings.Replace(poem, "two\n", "two\nhis\n", 1), "five", "five, typed", 1), dos+"unix\n")
	want := strings.Replace(dos, "five", "five, typed", 1) + "unix\n"
	w.untilBlock(f, want)
	w.untilDisk("a.txt", want)
	if by := w.writers(f)["his\r\n"]; by != ben.By {
		t.Errorf("his line is by %v", by)
	}
}

// Who resolves a conflict has not written what the disk held.
func TestResolveAuthors(t *testing.T) {
	for _, take := range []string{"disk", "merged"} {
		w := newWorld(t, map[string]string{"a.txt": poem})
		f := w.file("a.txt")
		w.held(f, strings.Replace(poem, "four", "four, typed", 1), strings.Replace(poem, "four", "four, saved", 1))
		w.until("in conflict", func() bool { return w.state("a.txt").Conflict })
		w.resolve(amy, take)
		w.until("ended", func() bool { return !w.state("a.txt").Conflict })
		w.settle()
		got := w.writers(f)
		if by := got["four, saved\n"]; by != worktree.Disk {
			t.Errorf("take %s: the disk's line is by %v", take, by)
		}
		if by, ok := got["=======\n"]; ok && by != amy.By {
			t.Errorf("take %s: the mark is by %v", take, by)
		}
	}
}
