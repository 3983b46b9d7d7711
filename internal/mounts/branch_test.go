package mounts_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/mounts"
)

func TestABranchHasAContextOfItsOwn(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
	first := w.read(amy, "/mnt/app/b.txt")
	w.write(amy, "/mnt/app/b.txt", "one\ntwo\nthree\non kj\n")
	_, err := w.Commit(w.ctx(), amy, mounts.CommitSpec{At: "app", All: true, Message: "on kj"})
	w.must(err)
	if _, err := w.CreateBranch(w.ctx(), amy, "app", "topic", ""); err != nil {
		t.Fatal(err)
	}
	topic, err := w.SwitchBranch(w.ctx(), amy, "app", "topic")
	if err != nil || topic.Branch != "topic" || topic.Context == m.Context || topic.Context.IsZero() {
		t.Fatalf("SwitchBranch = %+v, %v", topic, err)
	}
	info, err := w.kernel.Context(w.ctx(), owner, topic.Context)
	if err != nil || info.Title != "app@topic" || info.Fork.From != m.Context {
		t.Errorf("the context is %+v, %v", info, err)
	}
	f := w.read(amy, "/mnt/app/b.txt")
	if f.Block != first.Block || f.Context != topic.Context || f.Text != "one\ntwo\nthree\non kj\n" {
		t.Errorf("on the other branch the file is %+v", f)
	}
	w.write(amy, "/mnt/app/b.txt", f.Text+"on topic\n")
	w.agree(m, " M b.txt")
	got, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "on topic"})
	if err != nil || got.Branch != "topic" || got.Author.Email != "amy@example.org" || got.Files[0].Shares[0].Chars > 10 {
		t.Fatalf("Commit = %+v, %v; only one line is new", got, err)
	}
	// Somebody who edits the branch that is not checked out reaches no file.
	back, err := w.SwitchBranch(w.ctx(), amy, "app", "kj/main")
	if err != nil || back.Context != m.Context {
		t.Fatalf("SwitchBranch = %+v, %v", back, err)
	}
	if f := w.read(amy, "/mnt/app/b.txt"); f.Block != first.Block || f.Text != "one\ntwo\nthree\non kj\n" {
		t.Errorf("back again the file is %+v", f)
	}
	w.agree(m)
	if err := w.DeleteBranch(w.ctx(), amy, "app", "topic", false); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("a branch with commits of its own is deleted: %v", err)
	}
	w.must(w.DeleteBranch(w.ctx(), owner, "app", "topic", true))
	all, err := w.Branches(w.ctx(), amy, "app")
	if err != nil || len(all) != 2 {
		t.Errorf("Branches = %+v, %v", all, err)
	}
	// What would be lost is not switched away from.
	w.write(amy, "/mnt/app/b.txt", "changed\n")
	w.git(filepath.Join(w.home, "app"), "switch", "-q", "--detach")
	if _, err := w.SwitchBranch(w.ctx(), amy, "app", "main"); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("a change is switched away from: %v", err)
	}
	w.agree(m, " M b.txt")
}

func TestBranchesThatAreCheckedOutElsewhere(t *testing.T) {
	w := newWorld(t)
	repo := w.repository("app", map[string]string{"a": "a\n"})
	w.git(repo, "branch", "dev")
	w.git(repo, "worktree", "add", "-q", "-b", "side", filepath.Join(w.home, "side"))
	w.git(w.home, "clone", "-q", "--bare", "app", "bare.git")
	for _, c := range []struct{ path, source, branch, notice string }{
		{"/mnt/one", "git:~/app@main", "kj/main", "branch main is checked out in "},
		{"/mnt/two", "git:~/app@dev", "dev", ""},
		{"/mnt/three", "git:~/app@dev", "kj/dev", "branch dev is checked out in "},
		{"/mnt/four", "git:~/app", "kj/main-2", "no branch was named"},
		{"/mnt/five", "git:~/app@new/one", "new/one", ""},
		{"/mnt/six", "git:~/side", "kj/side", "no branch was named"},
		{"/mnt/seven", "git:~/bare.git", "kj/main", "no branch was named"},
	} {
		m, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: c.path, Source: c.source, ReadWrite: true})
		if err != nil || m.Branch != c.branch || !strings.HasPrefix(m.Notice, c.notice) || c.notice == "" && m.Notice != "" {
			t.Errorf("Add(%s) = branch %q, notice %q, %v; want %q, %q", c.source, m.Branch, m.Notice, err, c.branch, c.notice)
		}
		w.agree(m)
	}
	if got := w.git(repo, "status", "--porcelain", "--branch"); got != "## main" {
		t.Errorf("the user's own checkout is\n%s", got)
	}
}

func TestARepositoryThatIsCloned(t *testing.T) {
	w := newWorld(t)
	repo := w.repository("app", map[string]string{"a.txt": "a\n"})
	bare := filepath.Join(w.home, "bare.git")
	w.git(w.home, "clone", "-q", "--bare", repo, bare)
	m, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/clone", Source: "git:file://" + bare + "@main", ReadWrite: true})
	if err != nil || m.Branch != "main" || m.State != mounts.StateReady {
		t.Fatalf("Add = %+v, %v", m, err)
	}
	w.write(owner, "/mnt/clone/a.txt", "b\n")
	if _, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "clone", All: true, Message: "b"}); err != nil {
		t.Fatal(err)
	}
	w.agree(m)
	if _, err := os.Stat(filepath.Join(w.dir, "git", "clone.git", "HEAD")); err != nil {
		t.Error(err)
	}
	w.restart()
	w.agree(m)

	// A bare repository of our own is mounted as it is.
	if m, err = w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/bare", Source: "git:" + bare + "@main", ReadWrite: true}); err != nil || m.Branch != "main" {
		t.Fatalf("Add = %+v, %v", m, err)
	}
	w.agree(m)
	if _, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/none", Source: "git:file://" + bare + ".none"}); err == nil {
		t.Error("a repository that is not there is cloned")
	}
	if entries, _ := filepath.Glob(filepath.Join(w.dir, "git", "none*")); len(entries) > 0 {
		t.Errorf("of the clone that failed there is %v", entries)
	}
}

func TestACommitOfSomebodyElse(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
	w.read(amy, "/mnt/app/b.txt")
	w.put(filepath.Join(m.Dir, "b.txt"), "one\ntwo by hand\nthree\n")
	w.git(m.Dir, "commit", "-qam", "by hand")
	w.eventually(func() bool { return strings.Contains(w.read(amy, "/mnt/app/b.txt").Text, "by hand") })
	w.write(amy, "/mnt/app/b.txt", "one\ntwo by hand\nthree by amy\n")
	got, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", Paths: []string{"b.txt"}, Message: "three"})
	if err != nil || got.Author.Email != "amy@example.org" || got.Files[0].Added != 1 {
		t.Fatalf("Commit = %+v, %v", got, err)
	}
	w.agree(m)
	blame, err := w.Blame(w.ctx(), amy, mounts.BlameSpec{Path: "/mnt/app/b.txt"})
	if err != nil || len(blame.Lines) != 3 || blame.Lines[2].By != amy.By || blame.Lines[1].By == amy.By {
		t.Errorf("Blame = %+v, %v", blame, err)
	}
	log, err := w.Log(w.ctx(), amy, mounts.LogSpec{At: "app"})
	if err != nil || len(log) != 3 || log[0].Hash != got.Hash || log[1].Author.Name != "Olga" {
		t.Errorf("Log = %+v, %v", log, err)
	}
	diff, err := w.Diff(w.ctx(), amy, mounts.DiffSpec{At: "app", From: "HEAD~1", To: "HEAD"})
	if err != nil || len(diff) != 1 || !strings.Contains(diff[0].Unified, "+three by amy") {
		t.Errorf("Diff = %+v, %v", diff, err)
	}
	w.write(amy, "/mnt/app/a.go", "package x\n")
	if diff, err = w.Diff(w.ctx(), amy, mounts.DiffSpec{At: "app"}); err != nil || len(diff) != 1 || !strings.Contains(diff[0].Unified, "+package x") {
		t.Errorf("Diff = %+v, %v", diff, err)
	}
	status, err := w.Status(w.ctx(), amy, mounts.StatusSpec{At: "/mnt/app", Untracked: true})
	if err != nil || len(status.Files) != 1 || status.Files[0].Path != "a.go" || status.Files[0].Unstaged != 'M' || status.Files[0].Block == "" {
		t.Errorf("Status = %+v, %v", status, err)
	}
}

func TestNotesGoThroughARebaseAndASquash(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	amy, bot := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit), w.member("bot", kaijutsu.Agent, kaijutsu.RightEdit)
	base := w.git(m.Dir, "rev-parse", "HEAD")
	w.put(filepath.Join(m.Dir, "y.txt"), "y\n")
	w.git(m.Dir, "add", "y.txt")
	w.git(m.Dir, "commit", "-qm", "below")
	w.write(amy, "/mnt/app/x.txt", "by amy\n")
	_, err := w.Commit(w.ctx(), amy, mounts.CommitSpec{At: "app", All: true, Message: "amy's"})
	w.must(err)
	w.write(bot, "/mnt/app/x.txt", "by amy\nby bot\n")
	_, err = w.Commit(w.ctx(), amy, mounts.CommitSpec{At: "app", All: true, Message: "bot's"})
	w.must(err)
	old := w.git(m.Dir, "rev-parse", "HEAD")
	w.git(m.Dir, "rebase", "-q", "--onto", base, old+"~2")
	made, err := w.RewriteNotes(w.ctx(), amy, mounts.RewriteSpec{At: "app", Old: base + ".." + old, New: base + "..HEAD"})
	if err != nil || len(made) != 2 || made[0].Skipped+made[1].Skipped != "" || made[1].Lines != 2 {
		t.Fatalf("RewriteNotes = %+v, %v", made, err)
	}
	pairs := ""
	for _, h := range strings.Fields(w.git(m.Dir, "rev-list", "--reverse", base+"..HEAD")) {
		pairs += h + " NEW\n"
	}
	w.git(m.Dir, "reset", "-q", "--soft", base)
	w.git(m.Dir, "commit", "-qm", "both")
	made, err = w.RewriteNotes(w.ctx(), amy, mounts.RewriteSpec{At: "app", Pairs: strings.ReplaceAll(pairs, "NEW", w.git(m.Dir, "rev-parse", "HEAD"))})
	if err != nil || len(made) != 1 || made[0].Skipped != "" || made[0].Lines != 2 {
		t.Fatalf("RewriteNotes = %+v, %v", made, err)
	}
	note := w.git(m.Dir, "notes", "--ref=ai", "show", "HEAD")
	if !strings.Contains(note, "Amy <amy@example.org>") || !strings.Contains(note, `"bot"`) {
		t.Errorf("the note is\n%s", note)
	}
	for name, spec := range map[string]mounts.RewriteSpec{
		"nothing": {At: "app"}, "both": {At: "app", Old: "HEAD", Pairs: "x y"}, "no commits": {At: "app", Old: "none..HEAD"}, "no pairs": {At: "app", Pairs: "what\n"},
	} {
		if _, err := w.RewriteNotes(w.ctx(), amy, spec); err == nil {
			t.Errorf("%s: RewriteNotes takes it", name)
		}
	}
	w.agree(m)
}

func TestAConflictIsNotCommitted(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	f := w.read(owner, "/mnt/app/b.txt")
	w.write(owner, "/mnt/app/b.txt", "one\ntwo\nthree\n.\n")
	yes, no := true, false
	// The block is edited while the mount is read only, and the disk meanwhile.
	_, err := w.Set(w.ctx(), owner, mounts.SetSpec{Mount: "app", ReadWrite: &no})
	w.must(err)
	w.must(w.replace(owner, m.Context, f.Block, "one\nblock\nthree\n.\n"))
	w.put(filepath.Join(m.Dir, "b.txt"), "one\ndisk\nthree\n.\n")
	_, err = w.Set(w.ctx(), owner, mounts.SetSpec{Mount: "app", ReadWrite: &yes})
	w.must(err)
	w.until("/mnt/app", func(m mounts.Mount) bool { return m.Conflicts == 1 })
	if _, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "x"}); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "b.txt") {
		t.Errorf("Commit = %v", err)
	}
	status, err := w.Status(w.ctx(), owner, mounts.StatusSpec{At: "app"})
	if err != nil || len(status.Files) != 1 || !status.Files[0].Conflict {
		t.Errorf("Status = %+v, %v", status, err)
	}
	w.must(w.Resolve(w.ctx(), owner, "/mnt/app/b.txt", "block"))
	if _, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "x"}); err != nil {
		t.Errorf("Commit = %v", err)
	}
	if got := w.git(m.Dir, "show", "HEAD:b.txt"); got != "one\nblock\nthree\n." {
		t.Errorf("the commit has %q", got)
	}
	w.agree(m)
}

// TestAMountThatComesBackOnAnotherBranch is answered with that branch's context.
func TestAMountThatComesBackOnAnotherBranch(t *testing.T) {
	w := newWorld(t)
	dir := w.repository("app", map[string]string{"b.txt": "one\n"})
	w.git(dir, "branch", "topic")
	w.put(filepath.Join(dir, "b.txt"), "one\nmain\n")
	w.git(dir, "commit", "-qam", "main")
	w.git(dir, "branch", "feat")
	seen := make(map[string]kaijutsu.DocumentID)
	for i, branch := range []string{"topic", "feat", "topic", "feat", "feat"} {
		m, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "git:~/app@" + branch, ReadWrite: true})
		w.must(err)
		f := w.read(owner, "/mnt/app/b.txt")
		if m.Branch != branch || m.Context.IsZero() || m.Context != f.Context {
			t.Errorf("add %d: branch %s, context %v; its files are in %v", i, m.Branch, m.Context, f.Context)
		}
		if was := seen[branch]; !was.IsZero() && was != m.Context {
			t.Errorf("add %d: branch %s was in %v, is in %v", i, branch, was, m.Context)
		}
		for other, doc := range seen {
			if other != branch && doc == m.Context {
				t.Errorf("add %d: branches %s and %s share a context", i, other, branch)
			}
		}
		seen[branch] = m.Context
		_, err = w.Remove(w.ctx(), owner, mounts.RemoveSpec{Mount: "/mnt/app"})
		w.must(err)
	}
}

// TestOnlyOwnersDeleteWhatIsInNoOtherBranch has an editor try it.
func TestOnlyOwnersDeleteWhatIsInNoOtherBranch(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	dir := filepath.Join(w.home, "app")
	w.git(dir, "switch", "-qc", "precious")
	w.git(dir, "commit", "-q", "--allow-empty", "-m", "a week's work")
	w.git(dir, "switch", "-q", "main")
	bot := w.member("bot", kaijutsu.Agent, kaijutsu.RightEdit)
	if err := w.DeleteBranch(w.ctx(), bot, "app", "precious", false); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("an unmerged branch is deleted: %v", err)
	}
	if err := w.DeleteBranch(w.ctx(), bot, "app", "precious", true); !errors.Is(err, kaijutsu.ErrDenied) || !strings.Contains(err.Error(), "owner") {
		t.Errorf("an editor forces it: %v", err)
	}
	w.git(dir, "rev-parse", "--verify", "refs/heads/precious")
	_, err := w.CreateBranch(w.ctx(), bot, "app", "merged", "")
	w.must(err)
	w.must(w.DeleteBranch(w.ctx(), bot, "app", "merged", false))
	w.must(w.DeleteBranch(w.ctx(), owner, "app", "precious", true))
	w.agree(m)
}

// TestARepositoryWithoutACommit cannot be mounted, and the error says why.
func TestARepositoryWithoutACommit(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.home, "empty")
	w.must(os.MkdirAll(dir, 0o755))
	w.git(dir, "init", "-q")
	for _, source := range []string{"git:~/empty", "git:~/empty@feat"} {
		_, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/e", Source: source})
		if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "no commit yet") {
			t.Errorf("Add(%s) = %v", source, err)
		}
	}
	w.git(dir, "commit", "-q", "--allow-empty", "-m", "first")
	m, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/e", Source: "git:~/empty", ReadWrite: true})
	w.must(err)
	w.write(owner, "/mnt/e/x.txt", "x\n")
	_, err = w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "e", All: true, Message: "x"})
	w.must(err)
	w.agree(m)
}
