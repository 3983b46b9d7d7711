package mounts_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
	"kaijutsu/internal/worktree"
)

// sh runs the git command and returns what it writes, as it is.
func (s *session) sh(dir string, args ...string) string {
	cmd := exec.Command("git", append([]string{"-c", "init.defaultBranch=main", "-c", "gc.auto=0", "-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=Olga", "GIT_AUTHOR_EMAIL=olga@example.org", "GIT_COMMITTER_NAME=Olga", "GIT_COMMITTER_EMAIL=olga@example.org",
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		s.fail("git %s: %w\n%s%s", strings.Join(args, " "), err, &out, &errs)
	}
	return out.String()
}

// changedPaths returns the files that are not as in the last commit.
func (s *session) changedPaths() (out []string) {
	for p, f := range s.files {
		text, was := s.head[p]
		if f.exists != was || f.exists && text != f.text() {
			out = append(out, p)
		}
	}
	for p := range s.head {
		if s.files[p] == nil {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// commit commits some of the files that changed, and checks the commit.
func (s *session) commit(c op.Call, p step) {
	all := s.changedPaths()
	var chosen, names []string
	for i, path := range all {
		if p.b == 999 || (p.b>>(i%9))&1 == 1 || i == p.a%len(all) {
			chosen = append(chosen, path)
			names = append(names, []string{"", s.at + "/"}[i%2]+path)
		}
	}
	if len(chosen) == 0 {
		return
	}
	s.say("commit %q of %q by %s", chosen, all, nameOf(c))
	subject := fmt.Sprintf("commit %d", len(s.commits))
	made, err := s.Commit(s.ctx, c, mounts.CommitSpec{At: s.at, Paths: names, Message: subject})
	s.must(err)
	s.say("  is %s", made.Hash)
	s.counts.commits++
	for _, path := range chosen {
		if f := s.files[path]; f != nil && f.exists {
			s.head[path] = f.text()
		} else {
			delete(s.head, path)
		}
	}
	s.commits = append(s.commits, string(made.Hash))
	if !slices.ContainsFunc(s.cast, func(c op.Call) bool { return c.By.Name+"@example.org" == made.Author.Email }) {
		s.fail("the author is %v", made.Author)
	}
	s.checkCommit(chosen, subject)
	s.checkGit(len(s.commits)%3 == 0)
}

// finish checks every line of every file once more.
func (s *session) finish() {
	clear(s.notes)
	for _, p := range slices.Sorted(maps.Keys(s.head)) {
		s.checkLines(s.files[p], false)
	}
	s.checkGit(true)
}

// checkCommit holds the last commit against what should be in it.
func (s *session) checkCommit(chosen []string, subject string) {
	dir, n := s.mount.Dir, len(s.commits)
	if got, want := s.sh(dir, "log", "-1", "--format=%H %P %cn %s"), fmt.Sprintf("%s %s Kaijutsu %s\n", s.commits[n-1], s.commits[n-2], subject); got != want {
		s.fail("git log says %q, want %q", got, want)
	}
	files := strings.Split(strings.TrimSuffix(s.sh(dir, "diff-tree", "-r", "-z", "--no-commit-id", "--no-renames", "--name-only", "HEAD"), "\x00"), "\x00")
	if !slices.Equal(files, chosen) {
		s.fail("the commit changes %q, want %q", files, chosen)
	}
	for _, path := range chosen {
		text, there := s.head[path]
		if !there {
			continue
		}
		if got := s.sh(dir, "cat-file", "blob", "HEAD:"+path); plain(got) != text {
			s.fail("the commit has of %s\n%q, want\n%q", path, got, text)
		}
		s.checkLines(s.files[path], true)
	}
}

// checkLines holds each line of a file that is as in the last commit against the
// note of that commit, if the file is of it, the notes of those that git blames,
// and Blame.
func (s *session) checkLines(f *model, ofHead bool) {
	if f == nil || s.head[f.path] != f.text() {
		return // edited since
	}
	lines := f.lines()
	blamed := s.blame(f.path)
	if len(blamed) != len(lines) {
		s.fail("git blames %d lines of %s, which has %d", len(blamed), f.path, len(lines))
	}
	var told []string
	if f.block != "" {
		told = s.told(f)
	}
	head := s.commits[len(s.commits)-1]
	for i, l := range lines {
		want := f.who(l)
		if want == disk || want == loaded {
			want = ""
		}
		if ofHead {
			s.counts.noted++
			if got := s.note(head).writer(f.path, i+1); got != want {
				s.fail("line %d of %s, %q: the note of %s says %q wrote it, the book %q", i+1, f.path, l.text, head, got, f.who(l))
			}
		}
		b := blamed[i]
		s.counts.blamed++
		got := s.note(b.commit).writer(b.path, b.line)
		if writers := s.ever[l.text]; len(writers) > 1 {
			// Git may take an equal line for this one: then for one that was there.
			s.counts.loose++
			if !writers[got] && !(got == "" && (writers[disk] || writers[loaded])) {
				s.fail("line %d of %s, %q: git blames line %d of %s in %s, which %q wrote; the book names %q", i+1, f.path, l.text, b.line, b.path, b.commit, got, slices.Sorted(maps.Keys(writers)))
			}
		} else if got != want {
			s.fail("line %d of %s, %q: git blames line %d of %s in %s, which %q wrote by its note; the book says %q", i+1, f.path, l.text, b.line, b.path, b.commit, got, f.who(l))
		}
		if told != nil && told[i] != f.who(l) && (told[i] != disk || f.who(l) != loaded) {
			s.fail("line %d of %s, %q: Blame says %q, the book %q", i+1, f.path, l.text, told[i], f.who(l))
		}
	}
}

// told returns the writers of a file's lines by Blame.
func (s *session) told(f *model) []string {
	got, err := s.Blame(s.ctx, owner, mounts.BlameSpec{Path: s.at + "/" + f.path})
	s.must(err)
	var out []string
	for i, l := range got.Lines {
		who := l.By.Name
		switch {
		case l.By == worktree.Disk && l.Source == "disk":
			who = disk
		case l.By.IsZero() || l.By.Kind == kaijutsu.Service || l.Source == "git":
			who = loaded
		}
		if l.Line != i+1 {
			s.fail("Blame of %s: line %d is %d", f.path, i+1, l.Line)
		}
		out = append(out, who)
	}
	if n := len(f.lines()); len(out) != n {
		s.fail("Blame tells of %d lines of %s, which has %d", len(out), f.path, n)
	}
	return out
}

// checkGit holds what the git command says of the worktree against what should
// be.
func (s *session) checkGit(full bool) {
	s.sync()
	dir := s.mount.Dir
	var want []string
	for _, p := range s.changedPaths() {
		f, was := s.files[p], false
		if _, was = s.head[p]; f == nil || !f.exists {
			want = append(want, " D "+p)
		} else if was {
			want = append(want, " M "+p)
		} else {
			want = append(want, "?? "+p)
		}
	}
	slices.Sort(want)
	got := strings.Split(s.sh(dir, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"), "\x00")
	got = got[:len(got)-1]
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.fail("git status says %q, want %q", got, want)
	}
	log := strings.Fields(s.sh(dir, "log", "--format=%H", "--reverse"))
	if !slices.Equal(log, s.commits) {
		s.fail("git log says %q, want %q", log, s.commits)
	}
	if list := s.sh(dir, "worktree", "list", "--porcelain"); !strings.Contains(list, "worktree "+dir+"\nHEAD "+log[len(log)-1]+"\n") || strings.Contains(list, "prunable") {
		s.fail("git worktree list says\n%s", list)
	}
	if full {
		if out := s.sh(dir, "fsck", "--full", "--strict"); strings.Contains(out, "error") || strings.Contains(out, "missing") || strings.Contains(out, "warning") {
			s.fail("git fsck says\n%s", out)
		}
	}
}

// origin is a line of git blame.
type origin struct {
	commit, path string
	line         int
}

var blameHead = regexp.MustCompile(`^([0-9a-f]{40}) (\d+) \d+`)

// blame asks the git command for the lines of a file as HEAD has it.
func (s *session) blame(path string) (out []origin) {
	for line := range strings.Lines(s.sh(s.mount.Dir, "blame", "--line-porcelain", "HEAD", "--", path)) {
		if m := blameHead.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[2])
			s.must(err)
			out = append(out, origin{commit: m[1], line: n})
		} else if name, ok := strings.CutPrefix(line, "filename "); ok {
			out[len(out)-1].path = strings.TrimSuffix(name, "\n")
		}
	}
	return out
}

// note is a note of the git-ai format as a stranger reads it: the writer of each
// line that it attests, by path and line.
type note map[string]map[int]string

func (n note) writer(path string, line int) string { return n[path][line] }

// note reads the note of a commit with the git command; none says nothing.
func (s *session) note(commit string) note {
	n, ok := s.notes[commit]
	if ok {
		return n
	}
	n = make(note)
	s.notes[commit] = n
	if commit == s.commits[0] {
		return n
	}
	raw := s.sh(s.mount.Dir, "notes", "--ref=ai", "show", commit)
	attests, meta, ok := strings.Cut(raw, "---\n")
	if !ok || attests != "" && !strings.HasSuffix(attests, "\n") {
		s.fail("the note of %s is\n%s", commit, raw)
	}
	var m struct {
		Schema string `json:"schema_version"`
		Base   string `json:"base_commit_sha"`
		Humans map[string]struct{ Author string }
		Agents map[string]struct {
			ID struct{ Tool, ID, Model string } `json:"agent_id"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal([]byte(meta), &m); err != nil || m.Schema != "authorship/3.0.0" || m.Base != commit {
		s.fail("the note of %s is\n%s\n%w", commit, raw, err)
	}
	resolve := func(key string) string {
		if h, ok := m.Humans[key]; ok && key == "h_"+digest(h.Author) {
			name, _, _ := strings.Cut(h.Author, " <")
			if who := strings.ToLower(name); h.Author == name+" <"+who+"@example.org>" {
				return who
			}
		}
		session, _, _ := strings.Cut(key, "::t_")
		if a, ok := m.Agents[session]; ok && session == "s_"+digest(a.ID.Tool+":"+a.ID.ID) && a.ID.Model == "m-1" && a.ID.ID == s.mount.Context.Name() {
			return a.ID.Tool
		}
		s.fail("the note of %s names %q:\n%s", commit, key, raw)
		return ""
	}
	path := ""
	for line := range strings.Lines(attests) {
		line = strings.TrimSuffix(line, "\n")
		entry, ok := strings.CutPrefix(line, "  ")
		if !ok {
			path = strings.TrimSuffix(strings.TrimPrefix(line, `"`), `"`)
			if n[path] != nil {
				s.fail("the note of %s has %s twice:\n%s", commit, path, raw)
			}
			n[path] = make(map[int]string)
			continue
		}
		key, ranges, _ := strings.Cut(entry, " ")
		who := resolve(key)
		for r := range strings.SplitSeq(ranges, ",") {
			from, to, isRange := strings.Cut(r, "-")
			if !isRange {
				to = from
			}
			first, err := strconv.Atoi(from)
			s.must(err)
			last, err := strconv.Atoi(to)
			s.must(err)
			for i := first; i <= last; i++ {
				if n[path][i] != "" {
					s.fail("the note of %s attests line %d of %s twice:\n%s", commit, i, path, raw)
				}
				n[path][i] = who
			}
		}
	}
	return n
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:14]
}
