package git

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// attrSource finds the attributes of paths.
type attrSource struct {
	config config
	info   []attrRule                  // of the repository's info/attributes: they win
	dir    func(dir string) []attrRule // of a directory's .gitattributes; "" is the top
	user   []attrRule                  // of core.attributesFile
	system []attrRule
}

// builtinAttributes is what git defines itself.
var builtinAttributes = parseAttributes([]byte("[attr]binary -diff -merge -text\n"), true)

// lookup returns the attributes of a path, as collect_some_attrs of git's
// attr.c does: the nearest file wins, in a file the last line.
func (s *attrSource) lookup(path string) map[string]attrState {
	v := attrValues{states: map[string]attrState{}, path: path}
	frames := []attrFrame{{s.info, 0}}
	for at := strings.LastIndexByte(path, '/'); ; at = strings.LastIndexByte(path[:at], '/') {
		if at < 0 {
			frames = append(frames, attrFrame{s.dir(""), 0})
			break
		}
		frames = append(frames, attrFrame{s.dir(path[:at]), at + 1})
	}
	v.frames = append(frames, attrFrame{s.user, 0}, attrFrame{s.system, 0}, attrFrame{builtinAttributes, 0})
	for _, f := range v.frames {
		for i := len(f.rules) - 1; i >= 0; i-- {
			r := &f.rules[i]
			if r.macro == "" && !r.pattern.dirOnly && r.pattern.match(path[f.base:]) {
				v.set(r.states)
			}
		}
	}
	return v.states
}

// attrFrame is the rules of one file; base is where a path begins that is
// relative to its directory.
type attrFrame struct {
	rules []attrRule
	base  int
}

type attrValues struct {
	path   string
	frames []attrFrame
	states map[string]attrState
}

// set takes what is not there yet, the last of a line first, and opens macros.
func (v *attrValues) set(states []attrSetting) {
	for i := len(states) - 1; i >= 0; i-- {
		s := states[i]
		if _, there := v.states[s.name]; there {
			continue
		}
		v.states[s.name] = s.state
		if s.state == attrSet {
			v.set(v.macro(s.name))
		}
	}
}

func (v *attrValues) macro(name string) []attrSetting {
	for _, f := range v.frames {
		for i := len(f.rules) - 1; i >= 0; i-- {
			if f.rules[i].macro == name {
				return f.rules[i].states
			}
		}
	}
	return nil
}

// attr returns what is of use of a path's attributes.
func (s *attrSource) attr(path string) Attr {
	states := s.lookup(path)
	return newAttr(func(name string) attrState {
		if state, ok := states[name]; ok {
			return state
		}
		return attrUnspecified
	}, s.config)
}

// Attributes returns what the .gitattributes files, those of the repository
// and of the user, and the configuration say of a path now. Files that cannot
// be read count as empty.
func (w *Worktree) Attributes(path string) Attr {
	return w.attributes().attr(path)
}

// attributes returns a source that reads the worktree's own files, and where
// one is not there, the index.
func (w *Worktree) attributes() *attrSource {
	c, _ := w.config()
	s := w.repo.attributesOf(c, &w.files)
	s.dir = func(dir string) []attrRule {
		name := filepath.Join(w.dir, filepath.FromSlash(dir), ".gitattributes")
		rules, ok := readCached(&w.files, name, syscall.O_NOFOLLOW, func(data []byte) []attrRule {
			return parseAttributes(data, dir == "")
		})
		if !ok {
			return w.indexedAttributes(dir)
		}
		return rules
	}
	return s
}

// indexedAttributes returns the rules of a .gitattributes file that is in the
// index only.
func (w *Worktree) indexedAttributes(dir string) []attrRule {
	x, err := w.cachedIndex()
	if err != nil {
		return nil
	}
	e := x.Find(strings.TrimPrefix(dir+"/.gitattributes", "/"))
	if e == nil || !e.Mode.IsFile() {
		return nil
	}
	_, data, err := w.repo.readObject(e.Hash, maxAttrFile)
	if err != nil {
		return nil
	}
	return parseAttributes(data, dir == "")
}

// attributesOf returns a source with what does not lie in the worktree.
func (r *Repo) attributesOf(c config, files *fileCache) *attrSource {
	s := &attrSource{config: c}
	read := func(name string) []attrRule {
		if name == "" {
			return nil
		}
		rules, _ := readCached(files, name, 0, func(data []byte) []attrRule { return parseAttributes(data, true) })
		return rules
	}
	s.info = read(filepath.Join(r.common, "info", "attributes"))
	user := c.path("core.attributesfile")
	if user == "" {
		user = filepath.Join(configHome(), "attributes")
	}
	s.user = read(user)
	if !envFlag("GIT_ATTR_NOSYSTEM") {
		s.system = read("/etc/gitattributes")
	}
	return s
}

// config returns the settings of the worktree.
func (w *Worktree) config() (config, error) { return w.configs.load(w.repo.common, w.gitdir) }

// exists reports whether there is something at path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
