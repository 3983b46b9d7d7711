package git

import (
	"path/filepath"
	"strings"
	"syscall"
)

const (
	maxIgnoreFile  = 4 << 20
	maxIgnoreRules = 20000 // of one file; what is over is ignored
)

// parseIgnore reads a .gitignore file as git's dir.c does.
func parseIgnore(data []byte) []pathPattern {
	var rules []pathPattern
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if line == "" || line[0] == '#' || len(line) > maxPath {
			continue
		}
		if line = trimSpaces(line); line == "" {
			continue
		}
		if p := parsePathPattern(line); p.text != "" {
			rules = append(rules, p)
		}
		if len(rules) >= maxIgnoreRules {
			break
		}
	}
	return rules
}

// trimSpaces takes off spaces at the end that no backslash protects.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(s))
	}
	return s[:end]
}

// Ignored reports whether git ignores a path that is not tracked: by the
// .gitignore files on its way, the repository's info/exclude or
// core.excludesFile. dir says that the path is a directory. What lies in an
// ignored directory is ignored.
func (w *Worktree) Ignored(path string, dir bool) bool {
	return w.ignores().ignored(path, dir)
}

// ignores returns what decides about paths now; it may be kept for one walk.
func (w *Worktree) ignores() *ignoreSource {
	c, _ := w.config()
	s := &ignoreSource{}
	read := func(name string, flags int) []pathPattern {
		rules, _ := readCached(&w.files, name, flags, parseIgnore)
		return rules
	}
	user := c.path("core.excludesfile")
	if user == "" {
		user = filepath.Join(configHome(), "ignore")
	}
	s.user = read(user, 0)
	s.info = read(filepath.Join(w.repo.common, "info", "exclude"), 0)
	seen := map[string][]pathPattern{}
	s.dir = func(dir string) []pathPattern {
		rules, ok := seen[dir]
		if !ok {
			rules = read(filepath.Join(w.dir, filepath.FromSlash(dir), ".gitignore"), syscall.O_NOFOLLOW)
			seen[dir] = rules
		}
		return rules
	}
	return s
}

// ignoreSource finds out which paths are ignored.
type ignoreSource struct {
	dir        func(dir string) []pathPattern // of a directory's .gitignore; "" is the top
	info, user []pathPattern
}

func (s *ignoreSource) ignored(path string, dir bool) bool {
	for i := range len(path) {
		if path[i] == '/' && s.matches(path[:i], true) {
			return true
		}
	}
	return s.matches(path, dir)
}

// matches decides about a path whose directories are not ignored: the nearest
// file first, in a file the last line.
func (s *ignoreSource) matches(path string, dir bool) bool {
	for at := strings.LastIndexByte(path, '/'); ; at = strings.LastIndexByte(path[:at], '/') {
		top := ""
		if at >= 0 {
			top = path[:at]
		}
		if p := lastMatch(s.dir(top), path[at+1:], dir); p != nil {
			return !p.negated
		}
		if at < 0 {
			break
		}
	}
	for _, rules := range [][]pathPattern{s.info, s.user} {
		if p := lastMatch(rules, path, dir); p != nil {
			return !p.negated
		}
	}
	return false
}

func lastMatch(rules []pathPattern, rel string, dir bool) *pathPattern {
	for i := len(rules) - 1; i >= 0; i-- {
		if p := &rules[i]; (dir || !p.dirOnly) && p.match(rel) {
			return p
		}
	}
	return nil
}
