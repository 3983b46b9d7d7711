package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"kaijutsu"
)

const (
	maxIncludes    = 10    // files that include each other, as git's
	maxConfigItems = 50000 // settings of all files together
)

// configItem is one setting. The key is section.name or
// section.subsection.name, section and name in lower case.
type configItem struct {
	key, value string
	bare       bool // no = sign: a true boolean
}

// config is what the files of the system, of the user and of the repository
// set, in the order in which later ones win.
type config []configItem

// get returns the last value of a key.
func (c config) get(key string) (string, bool) {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].key == key {
			return c[i].value, true
		}
	}
	return "", false
}

// flag returns a boolean; what is none counts as not set.
func (c config) flag(key string, unset bool) bool {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].key != key {
			continue
		}
		if b, ok := configBool(c[i]); ok {
			return b
		}
		return unset
	}
	return unset
}

func configBool(item configItem) (value, ok bool) {
	if item.bare {
		return true, true
	}
	switch strings.ToLower(item.value) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, err := strconv.Atoi(item.value)
	return n != 0, err == nil
}

// path returns a value that is a file name, with ~/ put in full.
func (c config) path(key string) string {
	v, _ := c.get(key)
	return expandHome(v)
}

func expandHome(path string) string {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, path[1:])
}

// configFiles keeps the config of a repository until one of its files changes.
type configFiles struct {
	mu     sync.Mutex
	stamps map[string]fileStamp
	items  config
}

// load reads the files that git reads: system, user, repository and, with
// extensions.worktreeConfig, worktree.
func (f *configFiles) load(common, gitDir string) (config, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.currentLocked() {
		return f.items, nil
	}
	p := &configReader{stamps: map[string]fileStamp{}, gitDir: gitDir}
	for _, name := range systemConfigs() {
		if err := p.file(name, 0); err != nil && p.fatal {
			return nil, err
		}
	}
	if err := p.file(filepath.Join(common, "config"), 0); err != nil {
		return nil, err
	}
	if p.items.flag("extensions.worktreeconfig", false) {
		if err := p.file(filepath.Join(gitDir, "config.worktree"), 0); err != nil {
			return nil, err
		}
	}
	f.items, f.stamps = p.items, p.stamps
	return f.items, nil
}

func (f *configFiles) currentLocked() bool {
	for name, stamp := range f.stamps {
		if stampOf(name) != stamp || stamp.fresh() {
			return false
		}
	}
	return f.stamps != nil
}

// systemConfigs lists the files outside of repositories; git's variables are
// respected.
func systemConfigs() []string {
	var names []string
	if !envFlag("GIT_CONFIG_NOSYSTEM") {
		name := os.Getenv("GIT_CONFIG_SYSTEM")
		if name == "" {
			name = "/etc/gitconfig"
		}
		names = append(names, name)
	}
	if name, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		return append(names, name)
	}
	return append(names, filepath.Join(configHome(), "config"), expandHome("~/.gitconfig"))
}

// configHome returns the directory of git's files in the user's configuration.
func configHome() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git")
	}
	return expandHome("~/.config/git")
}

func envFlag(name string) bool {
	v, _ := configBool(configItem{value: os.Getenv(name)})
	return v
}

// configReader collects the settings of files.
type configReader struct {
	items  config
	stamps map[string]fileStamp
	gitDir string
	fatal  bool
}

func (p *configReader) file(name string, depth int) error {
	if depth > maxIncludes {
		return fmt.Errorf("config %s: more than %d includes of includes: %w", name, maxIncludes, kaijutsu.ErrInvalid)
	}
	if name == "" || name == os.DevNull {
		return nil
	}
	p.stamps[name] = stampOf(name)
	data, err := readSmall(name)
	if err != nil {
		return fmt.Errorf("reading config: %w", err)
	}
	items, err := parseConfig(data)
	if err != nil {
		return fmt.Errorf("config %s: %w", name, err)
	}
	for _, item := range items {
		if len(p.items) >= maxConfigItems {
			return fmt.Errorf("config %s: more than %d settings: %w", name, maxConfigItems, kaijutsu.ErrTooLarge)
		}
		p.items = append(p.items, item)
		if p.includes(item, name) {
			target := expandHome(item.value)
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(name), target)
			}
			if err := p.file(target, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// includes reports whether an item names a file to be read: include.path, or
// includeIf with a condition on the git directory that holds.
func (p *configReader) includes(item configItem, from string) bool {
	if item.key == "include.path" {
		return item.value != ""
	}
	cond, ok := strings.CutPrefix(item.key, "includeif.")
	if !ok || !strings.HasSuffix(cond, ".path") || item.value == "" {
		return false
	}
	cond = strings.TrimSuffix(cond, ".path")
	fold := false
	pattern, ok := strings.CutPrefix(cond, "gitdir:")
	if !ok {
		if pattern, ok = strings.CutPrefix(cond, "gitdir/i:"); !ok {
			return false
		}
		fold = true
	}
	pattern = expandHome(pattern)
	if rest, ok := strings.CutPrefix(pattern, "./"); ok {
		pattern = filepath.Join(filepath.Dir(from), rest)
	} else if !filepath.IsAbs(pattern) {
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	return wildmatch(pattern, p.gitDir, true, fold)
}

// parseConfig reads the syntax of git-config(1).
func parseConfig(data []byte) ([]configItem, error) {
	p := configParser{text: strings.TrimPrefix(string(data), "\ufeff"), line: 1}
	section := ""
	for {
		p.space()
		switch c := p.peek(); {
		case c == 0 && p.at >= len(p.text):
			return p.items, nil
		case c == '#' || c == ';':
			p.comment()
		case c == '[':
			name, err := p.section()
			if err != nil {
				return nil, err
			}
			section = name
		default:
			if err := p.setting(section); err != nil {
				return nil, err
			}
		}
		if len(p.items) > maxConfigItems {
			return nil, fmt.Errorf("more than %d settings: %w", maxConfigItems, kaijutsu.ErrTooLarge)
		}
	}
}
