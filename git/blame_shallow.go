package git

import (
	"path/filepath"
	"strings"
)

// shallowCommits returns the commits at which a shallow clone ends: their
// parents are named and not there.
func (r *Repo) shallowCommits() map[Hash]bool {
	data, err := readSmall(filepath.Join(r.common, "shallow"))
	if err != nil || data == nil {
		return nil
	}
	out := make(map[Hash]bool)
	for line := range strings.Lines(string(data)) {
		if h := strings.TrimSpace(line); isHash(h) {
			out[Hash(h)] = true
		}
	}
	return out
}
