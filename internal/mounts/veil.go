package mounts

import (
	"cmp"
	"slices"
	"strings"

	"kaijutsu/internal/op"
)

// hidden takes the places of the node's disk out of a text that somebody sees who
// does not own the kernel.
func (m *Mounts) hidden(c op.Call, text string) string {
	if owns(c) == nil || !strings.ContainsAny(text, `/\`) {
		return text
	}
	for _, dir := range m.places() {
		text = strings.ReplaceAll(text, dir, "…")
	}
	return text
}

// places returns the directories that are not everybody's to know, those first
// that lie in others.
func (m *Mounts) places() []string {
	dirs := []string{m.data, m.cfg.Dir, m.cfg.Home}
	m.mu.RLock()
	for _, r := range m.known.all {
		if r.node == m.cfg.Node {
			dirs = append(dirs, r.dir)
		}
	}
	m.mu.RUnlock()
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return len(dir) < 2 })
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return dirs
}

// veil is hidden of an error that leaves the mounts.
func (m *Mounts) veil(c op.Call, err *error) {
	if *err == nil {
		return
	}
	was := (*err).Error()
	if text := m.hidden(c, was); text != was {
		*err = &veiled{*err, text}
	}
}

// veiled is an error in other words.
type veiled struct {
	error
	text string
}

func (v *veiled) Error() string { return v.text }
func (v *veiled) Unwrap() error { return v.error }
