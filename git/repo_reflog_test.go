package git

import (
	"errors"
	"testing"

	"kaijutsu"
)

func TestRevisionsOfReflogs(t *testing.T) {
	s := newSandbox(t)
	s.commit("one", map[string]string{"a": "1\n"})
	s.git("checkout", "-q", "-b", "topic")
	s.commit("two", map[string]string{"b": "2\n"})
	s.commit("three", map[string]string{"b": "3\n"})
	s.git("checkout", "-q", "main")
	s.commit("four", map[string]string{"c": "4\n"})
	s.git("rebase", "-q", "main", "topic")
	s.git("worktree", "add", "-q", "-b", "side", t.TempDir()+"/side", "main")
	w := s.worktree()
	for _, rev := range []string{"topic@{0}", "topic@{1}", "topic@{2}", "topic@{3}", "topic@{1}~1", "topic@{1}^", "@{1}", "HEAD@{1}", "HEAD@{2}", "HEAD@{5}", "refs/heads/topic@{1}", "heads/topic@{1}", "main@{1}", "ORIG_HEAD", "side@{0}"} {
		want := s.rev(rev)
		if got, err := w.Resolve(rev); err != nil || got != want {
			t.Errorf("%s = %s, error %v; git says %s", rev, got, err, want)
		}
	}
	for rev, want := range map[string]error{
		"topic@{99}":              kaijutsu.ErrNotFound,
		"nowhere@{1}":             kaijutsu.ErrNotFound,
		"topic@{yesterday}":       kaijutsu.ErrInvalid,
		"topic@{-1}":              kaijutsu.ErrInvalid,
		"topic@{99999999999}":     kaijutsu.ErrInvalid,
		"topic@{}":                kaijutsu.ErrInvalid,
		"../logs/HEAD@{1}":        kaijutsu.ErrNotFound,
		"topic@{1":                kaijutsu.ErrNotFound,
		"refs/heads/../topic@{1}": kaijutsu.ErrNotFound,
	} {
		if got, err := w.Resolve(rev); !errors.Is(err, want) {
			t.Errorf("%s = %s, error %v; want %v", rev, got, err, want)
		}
	}
}

func TestDeleteBranchLooksAtTheRightHead(t *testing.T) {
	s := newSandbox(t)
	s.commit("one", map[string]string{"a": "1\n"})
	dir := t.TempDir() + "/side"
	s.git("worktree", "add", "-q", "-b", "side", dir)
	side := &sandbox{t: t, dir: dir, now: s.now}
	side.commit("two", map[string]string{"a": "2\n"})
	w, err := s.repo().OpenWorktree(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.CreateBranch("clb", "", carl); err != nil {
		t.Fatal(err)
	}
	if got, want := s.rev("clb"), s.rev("side"); got != want {
		t.Errorf("clb is at %s, want what the worktree has, %s", got, want)
	}
	if err := s.worktree().DeleteBranch("clb", false); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("from the main worktree: error %v, want ErrConflict", err)
	}
	if err := w.DeleteBranch("clb", false); err != nil {
		t.Errorf("from the worktree that has its commits: %v", err)
	}
	// An upstream that has the commits is enough, one that has not is none.
	s.git("branch", "below", "side")
	s.git("config", "branch.below.remote", ".")
	s.git("config", "branch.below.merge", "refs/heads/side")
	if err := s.worktree().DeleteBranch("below", false); err != nil {
		t.Errorf("a branch that its upstream has: %v", err)
	}
	s.git("branch", "above", "side")
	s.git("config", "branch.above.remote", ".")
	s.git("config", "branch.above.merge", "refs/heads/main")
	if err := w.DeleteBranch("above", false); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("a branch that its upstream has not: error %v, want ErrConflict", err)
	}
}
