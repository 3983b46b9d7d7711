package git

import (
	"context"
	"errors"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
)

func TestClone(t *testing.T) {
	s := motley(t)
	s.git("branch", "feature/x")
	s.git("tag", "-a", "-m", "t", "v1")
	s.git("gc", "-q")
	s.commit("two", map[string]string{"later": "x\n"})
	backend, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&cgi.Handler{Path: backend, Args: []string{"http-backend"},
		Env: []string{"GIT_PROJECT_ROOT=" + s.dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}})
	defer server.Close()
	for name, url := range map[string]string{"http": server.URL + "/.git", "file": "file://" + s.dir, "path": s.dir} {
		t.Run(name, func(t *testing.T) {
			bare := s.at(filepath.Join(t.TempDir(), "clone.git"))
			bare.t = t
			r, err := Clone(context.Background(), url, bare.dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if out := bare.git("fsck", "--full"); strings.Contains(out, "error") {
				t.Errorf("git fsck: %s", out)
			}
			want := "refs/heads/main refs/remotes/origin/HEAD refs/remotes/origin/feature/x refs/remotes/origin/main refs/tags/v1"
			if got := strings.ReplaceAll(bare.git("for-each-ref", "--format=%(refname)"), "\n", " "); got != want {
				t.Errorf("refs %q, want %q", got, want)
			}
			ours := bare.add(r, "w", "feature/x")
			if got, want := ours.rev("HEAD"), s.rev("feature/x"); got != want {
				t.Errorf("feature/x is at %s, want %s", got, want)
			}
			s.commit("three "+name, map[string]string{"new": name})
			bare.git("fetch", "-q")
			if got, want := bare.rev("origin/main"), s.rev("main"); got != want {
				t.Errorf("after git fetch origin/main is %s, want %s", got, want)
			}
			if info, err := r.Commit("origin/main"); err != nil || info.Subject() != "three "+name {
				t.Errorf("Commit(origin/main) = %+v, %v", info, err)
			}
		})
	}
}

func TestCloneOfNothing(t *testing.T) {
	s := newSandbox(t)
	bare := s.at(filepath.Join(t.TempDir(), "clone.git"))
	r, err := Clone(context.Background(), s.dir, bare.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	ours := bare.add(r, "w", "main")
	if out := ours.git("status", "--porcelain"); out != "" {
		t.Errorf("git status: %s", out)
	}
	if _, err := Clone(context.Background(), filepath.Join(s.dir, "nowhere"), filepath.Join(t.TempDir(), "x"), nil); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("from nowhere: error %v, want ErrNotFound", err)
	}
	if _, err := Clone(context.Background(), s.dir, s.dir, nil); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("into a full directory: error %v, want ErrConflict", err)
	}
}

func TestOpenRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for name, tc := range map[string]struct {
		config []string
		want   error
	}{
		"sha256":            {[]string{"extensions.objectFormat=sha256"}, kaijutsu.ErrUnavailable},
		"reftable":          {[]string{"extensions.refStorage=reftable"}, kaijutsu.ErrUnavailable},
		"a partial clone":   {[]string{"extensions.partialClone=origin"}, kaijutsu.ErrUnavailable},
		"another extension": {[]string{"extensions.whatever=true"}, kaijutsu.ErrUnavailable},
		"another version":   {[]string{"core.repositoryFormatVersion=2"}, kaijutsu.ErrUnavailable},
		"worktree config":   {[]string{"extensions.worktreeConfig=true"}, nil},
		"precious objects":  {[]string{"extensions.preciousObjects=true"}, nil},
	} {
		s := motley(t)
		s.git("config", "core.repositoryFormatVersion", "1")
		f, err := os.OpenFile(filepath.Join(s.dir, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range tc.config {
			key, value, _ := strings.Cut(c, "=")
			section, key, _ := strings.Cut(key, ".")
			f.WriteString("[" + section + "]\n\t" + key + " = " + value + "\n")
		}
		f.Close()
		if _, err := Open(s.dir); !errors.Is(err, tc.want) {
			t.Errorf("%s: error %v, want %v", name, err, tc.want)
		}
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("an empty directory: error %v, want ErrNotFound", err)
	}
}

func TestParseSource(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "a@b")
	if err := os.Mkdir(odd, 0o777); err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]Source{
		"git:~/src/app@feature/x":        {Dir: filepath.Join(home, "src/app"), Branch: "feature/x"},
		"git:~/src/app":                  {Dir: filepath.Join(home, "src/app")},
		"git:git@host:a/b.git@main":      {URL: "git@host:a/b.git", Branch: "main"},
		"git:git@host:a/b.git":           {URL: "git@host:a/b.git"},
		"git:host:b.git":                 {URL: "host:b.git"},
		"git:https://h/r.git":            {URL: "https://h/r.git"},
		"https://h/r.git@main":           {URL: "https://h/r.git", Branch: "main"},
		"git:https://me:pw@h:8443/r.git": {URL: "https://me:pw@h:8443/r.git"},
		"git:ssh://git@h:22/r.git@a/b":   {URL: "ssh://git@h:22/r.git", Branch: "a/b"},
		"git:file:///srv/r.git@x":        {URL: "file:///srv/r.git", Branch: "x"},
		"git:" + odd:                     {Dir: odd},
		"git:" + odd + "@main":           {Dir: odd, Branch: "main"},
	} {
		if got, err := ParseSource(in); err != nil || got != want {
			t.Errorf("ParseSource(%q) = %+v, %v, want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "git:", "git:rel/path", "git:-upload-pack=x", "git:https://-h/x", "git:ext::sh -c x", "git:ftp://h/x", "git:https://h", "git:/a@b..c",
		"git:/a@", "git:-oProxyCommand=x:y", "git:a@-x:y", "git:/a\nb"} {
		if got, err := ParseSource(in); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("ParseSource(%q) = %+v, %v, want ErrInvalid", in, got, err)
		}
	}
}

func TestErrorsHidePasswords(t *testing.T) {
	_, err := Clone(context.Background(), "http://me:hunter2@127.0.0.1:1/r.git", filepath.Join(t.TempDir(), "r"), nil)
	if err == nil || strings.Contains(err.Error(), "hunter2") || !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("error %v, want ErrUnavailable without the password", err)
	}
}

func TestRefNamesAsGitChecksThem(t *testing.T) {
	s := newSandbox(t)
	parts := []string{"a", ".", "..", "/", "a.lock", "@", "@{", "~", "^", ":", "?", "*", "[", "\\", " ", "\x7f", "\t", "é", "-", "heads/x", "HEAD", ".a", "a.", "{", "}"}
	for _, x := range parts {
		for _, y := range append(parts, "") {
			name := "refs/heads/" + x + y
			want := s.cmd("check-ref-format", name).Run() == nil
			if got := checkRefName(name) == nil; got != want {
				t.Errorf("checkRefName(%q) is %v, git says %v", name, got, want)
			}
		}
	}
	for _, name := range []string{"-x", "HEAD", "@", "", "a b"} {
		if err := CheckBranchName(name); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("CheckBranchName(%q) = %v, want ErrInvalid", name, err)
		}
	}
}
