package mounts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

// TestSharesAreOfWhatTheCommitAdds has others commit, and go back, beside us:
// whose lines are committed already has no share in what comes after.
func TestSharesAreOfWhatTheCommitAdds(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	alice, bob := w.member("alice", kaijutsu.Person, kaijutsu.RightEdit), w.member("bob", kaijutsu.Person, kaijutsu.RightEdit)
	claude := w.member("claude", kaijutsu.Agent, kaijutsu.RightEdit)
	add := func(c op.Call, line string) {
		t.Helper()
		w.write(c, "/mnt/app/b.txt", w.read(c, "/mnt/app/b.txt").Text+line+"\n")
	}
	settled := func() {
		t.Helper()
		w.eventually(func() bool { return w.read(owner, "/mnt/app/b.txt").Text == w.disk(m, "b.txt") })
	}
	commit := func(name string, want string) {
		t.Helper()
		got, err := w.Commit(w.ctx(), claude, mounts.CommitSpec{At: "app", Paths: []string{"b.txt"}, Message: name})
		w.must(err)
		var has []string
		for _, s := range got.Files[0].Shares {
			has = append(has, s.By.Name)
		}
		if got := strings.Join(has, " "); got != want {
			t.Errorf("%s: shares of %s, want %s", name, got, want)
		}
		if first, _, _ := strings.Cut(want, " "); !strings.EqualFold(got.Author.Name, first) {
			t.Errorf("%s: author %s, want %s", name, got.Author.Name, first)
		}
	}
	plainly := func(args ...string) {
		t.Helper()
		settled()
		w.git(m.Dir, args...)
		settled()
	}

	add(bob, "a long line that bob has written")
	add(alice, "and alice one")
	plainly("commit", "-qam", "by hand")
	add(claude, "a line")
	commit("after a commit by hand", "claude")

	add(bob, "a line of which there will be another commit, and that is a long one")
	plainly("commit", "-qa", "--amend", "-m", "amended")
	add(claude, "next")
	commit("after an amend", "claude")

	plainly("switch", "-qc", "topic", "HEAD~1")
	add(bob, "bob topic")
	commit("on a branch of an older commit", "bob")

	plainly("reset", "-q", "--hard", "HEAD~1")
	plainly("reset", "-q", "--hard", "ORIG_HEAD")
	w.write(claude, "/mnt/app/b.txt", strings.Replace(w.read(claude, "/mnt/app/b.txt").Text, "alice one", "alice 1", 1))
	commit("a word of a line that somebody else wrote, after going back and forth", "claude")
}

// disk is what a mount's disk has of a file.
func (w *world) disk(m mounts.Mount, path string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(m.Dir, path))
	w.must(err)
	return string(data)
}
