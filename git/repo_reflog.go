package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"kaijutsu"
)

// maxReflog bounds a reflog that is read, in bytes.
const maxReflog = 64 << 20

// cutReflog takes name@{n} apart, gitrevisions(7).
func cutReflog(name string) (ref, n string, ok bool) {
	at := strings.LastIndex(name, "@{")
	if at < 0 || !strings.HasSuffix(name, "}") {
		return "", "", false
	}
	return name[:at], name[at+2 : len(name)-1], true
}

// resolveLog returns what a ref was n changes ago, by its reflog. Without a
// name the ref is the branch that is checked out.
func (r *Repo) resolveLog(gitDir, name, times string) (Hash, error) {
	n, err := strconv.ParseUint(times, 10, 32)
	if err != nil {
		return "", fmt.Errorf("@{%s}: only how many changes ago is understood, as in main@{1}: %w", times, kaijutsu.ErrInvalid)
	}
	full, now, err := r.logged(gitDir, name)
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.refHome(gitDir, full), "logs", filepath.FromSlash(full))
	data, err := readFile(path, maxReflog, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist) && n == 0:
		return now, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s has no reflog: %w", full, kaijutsu.ErrNotFound)
	case err != nil:
		return "", err
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	if n > uint64(len(lines)) {
		return "", fmt.Errorf("the reflog of %s has only %d entries: %w", full, len(lines), kaijutsu.ErrNotFound)
	}
	// What it was before the first entry is the first's old name.
	field := 1
	at := len(lines) - 1 - int(n)
	if at < 0 {
		field, at = 0, 0
	}
	names := bytes.Fields(lines[at])
	if len(names) < 2 || !isHash(string(names[field])) {
		return "", fmt.Errorf("the reflog of %s makes no sense at entry %d: %w", full, n, kaijutsu.ErrInvalid)
	}
	h := Hash(names[field])
	if h == zeroHash {
		return "", fmt.Errorf("%s was not there yet: %w", full, kaijutsu.ErrNotFound)
	}
	return h, nil
}

// logged returns the ref whose log a name means, and what it is now.
func (r *Repo) logged(gitDir, name string) (string, Hash, error) {
	if name == "" {
		return r.resolveRef(gitDir, "HEAD") // the branch that it points to
	}
	if name == "@" {
		name = "HEAD"
	}
	return r.findRef(gitDir, name)
}
