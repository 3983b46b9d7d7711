package shelldoor

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The operations that the line knows more about than their parameters.
const (
	mountName  = "mount_add"
	mountsName = "mount_list"
)

// listInstead returns the line of the list of mounts for a kj mount without
// anything; nil for every other line.
func (l *line) listInstead(args []string) *line {
	list := l.tree.ops[mountsName]
	if l.op.Name != mountName || len(args) > 0 || l.params != "" || list == nil {
		return nil
	}
	for _, v := range l.values {
		if v.set {
			return nil
		}
	}
	other := newLine(l.tree, list)
	other.asJSON = l.asJSON
	return other
}

// placesFor returns the places that words are for. A mount that may be left out
// is left out where the first word is no path of the kernel's file tree.
func (l *line) placesFor(args []string) []*value {
	places := l.places(len(args))
	if len(places) > 0 && places[0].optionalMount() && len(args) > 0 && !isTreePath(args[0]) {
		return places[1:]
	}
	return places
}

// optionalMount reports whether the parameter is a mount in front of other
// places, which may be left out.
func (p *param) optionalMount() bool { return p.arg && p.name == "mount" && !p.required }

// isTreePath reports whether a word is a path of the kernel's file tree.
func isTreePath(word string) bool { return strings.HasPrefix(strings.TrimPrefix(word, TextMark), "/") }

// takeSource makes the source of a mount one that a server on this machine
// finds: words of the line are meant from here, and ~ is this user's.
func (l *line) takeSource() error {
	v := l.value("source")
	if l.op.Name != mountName || v == nil || !v.set || l.tree.door.Local == nil || !l.tree.door.Local() {
		return nil
	}
	source, err := fromHere(v.word)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	raw, err := text(source)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	v.raw[0] = raw
	return nil
}

// remote is how sources begin that are no paths: of a URL, or of git's
// host:path.
var remote = regexp.MustCompile(`^([a-z][a-z0-9+.-]*://|[^/]+:)`)

// fromHere returns a source with an absolute path. A word that is a URL, or no
// directory of here, is returned as it is.
func fromHere(source string) (string, error) {
	rest, isGit := strings.CutPrefix(source, "git:")
	head := source[:len(source)-len(rest)]
	switch {
	case rest == "" || filepath.IsAbs(rest) || remote.MatchString(rest):
		return source, nil
	case rest == "~" || strings.HasPrefix(rest, "~/"):
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		return head + filepath.Join(home, rest[1:]), nil
	}
	if info, err := os.Stat(rest); !isGit && !strings.ContainsRune(rest, '/') && (err != nil || !info.IsDir()) {
		return source, nil // a word, such as memory
	}
	path, err := filepath.Abs(rest)
	return head + path, err
}
