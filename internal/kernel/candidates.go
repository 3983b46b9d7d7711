package kernel

import (
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// ambiguous says that a name may mean several contexts.
func (k *Kernel) ambiguous(c op.Call, name string, found []*summary) error {
	return fmt.Errorf("context %.100q: %w: it may mean %s", name, kaijutsu.ErrConflict, k.listed(c, found))
}

// listed names a few candidates.
func (k *Kernel) listed(c op.Call, found []*summary) string {
	const most = 5
	var parts []string
	for i, s := range found {
		if i == most {
			parts = append(parts, fmt.Sprintf("… (%d in all)", len(found)))
			break
		}
		parts = append(parts, k.called(c, s))
	}
	return strings.Join(parts, ", ")
}

// called is all that a context goes by: short id, label, title.
func (k *Kernel) called(c op.Call, s *summary) string {
	name := k.shortFor(c, s.doc)
	if label := k.Label(s.doc); label != "" {
		name += " " + label
	}
	return fmt.Sprintf("%s %q", name, clip(s.title))
}

// clip shortens a title for an error.
func clip(title string) string {
	const most = 60
	runes := []rune(title)
	if len(runes) <= most {
		return title
	}
	return string(runes[:most]) + "…"
}

// suggest says what a wrong name may have meant, and what there is.
func (k *Kernel) suggest(c op.Call, name string, all []*summary) string {
	var contexts []*summary
	var words []string
	for _, s := range all {
		if !s.context || k.records.archived(s.doc) {
			continue
		}
		contexts = append(contexts, s)
		words = append(words, s.title)
		if label := k.Label(s.doc); label != "" {
			words = append(words, label)
		}
	}
	if len(contexts) == 0 {
		return "; there are none yet"
	}
	there := "there are " + k.listed(c, contexts)
	if near := op.Nearest(name, words); near != "" {
		return fmt.Sprintf("; did you mean %q? %s", near, there)
	}
	return "; " + there
}
