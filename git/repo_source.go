package git

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"kaijutsu"
)

// Source is where a git mount comes from: a directory with a repository, or
// the URL of one, and a branch, "" for that of its HEAD.
type Source struct {
	Dir, URL, Branch string
}

// maxSource bounds what ParseSource looks at, in bytes.
const maxSource = 4096

// ParseSource reads SOURCE[@BRANCH], with or without "git:" in front. SOURCE is
// a directory (absolute, or with ~/), a URL (https, http, ssh, git, file) or
// user@host:path as ssh takes it. The @ of a branch is the last one behind the
// host; a directory that has such a name as a whole wins. Errors wrap
// kaijutsu.ErrInvalid.
func ParseSource(s string) (Source, error) {
	src, err := parseSource(strings.TrimPrefix(s, "git:"))
	if err != nil {
		return Source{}, kaijutsu.About("source", fmt.Errorf("source %.200q: %w", redact(s), err))
	}
	if src.Branch != "" {
		if err := CheckBranchName(src.Branch); err != nil {
			return Source{}, kaijutsu.About("source", fmt.Errorf("source %.200q: %w", redact(s), err))
		}
	}
	return src, nil
}

func parseSource(s string) (Source, error) {
	if s == "" || len(s) > maxSource || strings.ContainsAny(s, "\x00\n\r") || s[0] == '-' {
		return Source{}, fmt.Errorf("it is empty, too long, begins with a dash or has line feeds: %w", kaijutsu.ErrInvalid)
	}
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		return parseURL(scheme, rest)
	}
	if strings.Contains(s, "::") {
		return Source{}, fmt.Errorf("a transport of its own is not supported: %w", kaijutsu.ErrInvalid)
	}
	colon, slash := strings.IndexByte(s, ':'), strings.IndexByte(s, '/')
	if colon > 0 && (slash < 0 || colon < slash) {
		host, path := s[:colon], s[colon+1:]
		path, branch := cutBranch(path)
		if _, h, ok := strings.Cut(host, "@"); path == "" || strings.HasPrefix(host, "-") || ok && (h == "" || h[0] == '-') {
			return Source{}, fmt.Errorf("it names no host and path: %w", kaijutsu.ErrInvalid)
		}
		return Source{URL: host + ":" + path, Branch: branch}, nil
	}
	return parseDir(s)
}

// cutBranch splits off a branch behind the last @.
func cutBranch(s string) (rest, branch string) {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

func parseURL(scheme, rest string) (Source, error) {
	switch scheme = strings.ToLower(scheme); scheme {
	case "https", "http", "ssh", "git", "file":
	default:
		return Source{}, fmt.Errorf("scheme %.20q is none of https, http, ssh, git and file: %w", scheme, kaijutsu.ErrInvalid)
	}
	slash := strings.IndexByte(rest, '/')
	if slash < 0 || slash == 0 && scheme != "file" {
		return Source{}, fmt.Errorf("the URL has no host and path: %w", kaijutsu.ErrInvalid)
	}
	host := rest[:slash]
	path, branch := cutBranch(rest[slash:])
	u, err := url.Parse(scheme + "://" + host + path)
	if err != nil || strings.HasPrefix(u.Hostname(), "-") || u.Path == "" || u.Path == "/" {
		return Source{}, fmt.Errorf("this is no URL of a repository: %w", kaijutsu.ErrInvalid)
	}
	return Source{URL: scheme + "://" + host + path, Branch: branch}, nil
}

func parseDir(s string) (Source, error) {
	check := func(dir string) (string, error) {
		dir = expandHome(dir)
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("directory %.200q is not absolute and does not begin with ~/: %w", dir, kaijutsu.ErrInvalid)
		}
		return filepath.Clean(dir), nil
	}
	dir, err := check(s)
	if err != nil {
		return Source{}, err
	}
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		return Source{Dir: dir}, nil
	}
	rest, branch := cutBranch(s)
	if branch == "" && rest != s {
		return Source{}, fmt.Errorf("the branch behind @ is empty: %w", kaijutsu.ErrInvalid)
	}
	if dir, err = check(rest); err != nil {
		return Source{}, err
	}
	return Source{Dir: dir, Branch: branch}, nil
}

// redact hides the password of a URL.
func redact(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	host, path, _ := strings.Cut(rest, "/")
	user, host, ok := cutLast(host, "@")
	if !ok {
		return s
	}
	name, _, hasPassword := strings.Cut(user, ":")
	if hasPassword {
		user = name + ":***"
	}
	return scheme + "://" + user + "@" + host + "/" + path
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// redacted is an error whose text has no password of a URL in it.
type redacted struct {
	error
	secret string
}

func (e redacted) Error() string { return strings.ReplaceAll(e.error.Error(), e.secret, "***") }
func (e redacted) Unwrap() error { return e.error }

// withoutSecret hides the password of a URL in an error.
func withoutSecret(rawURL string, err error) error {
	u, parseErr := url.Parse(rawURL)
	if err == nil || parseErr != nil || u.User == nil {
		return err
	}
	if secret, ok := u.User.Password(); ok && secret != "" {
		return redacted{err, secret}
	}
	return err
}
