package blocks

import (
	"slices"
	"unicode/utf8"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/textdiff"
)

// Trace takes in a change as Apply does and says what shows otherwise than
// before, as steps on the list of blocks that Blocks returns.
func (m *Model) Trace(c *amfile.Change) (Delta, []Step) {
	before, title, context := m.Blocks(), m.Title(), m.Context()
	delta := m.Apply(c)
	after := m.Blocks()
	var steps []Step
	if id := m.Context(); id != context {
		steps = append(steps, Step{Kind: StepContext, Context: id})
	}
	if t := m.Title(); t != title {
		steps = append(steps, Step{Kind: StepTitle, Title: t})
	}
	was, is := make(map[ID]Block), make(map[ID]Block)
	for _, b := range after {
		is[b.ID] = b
	}
	var now []ID
	for _, b := range before {
		was[b.ID] = b
		if a, ok := is[b.ID]; !ok || a.Author != b.Author || !a.Created.Equal(b.Created) {
			delete(was, b.ID)
			steps = append(steps, Step{Kind: StepDeleted, ID: b.ID})
			continue
		}
		now = append(now, b.ID)
	}
	last := ID("")
	for i, a := range after {
		b, ok := was[a.ID]
		switch {
		case !ok:
			now = slices.Insert(now, i, a.ID)
			steps = append(steps, Step{Kind: StepInserted, ID: a.ID, After: last, Block: &a})
		case now[i] != a.ID:
			j := slices.Index(now, a.ID)
			now = slices.Insert(slices.Delete(now, j, j+1), i, a.ID)
			fallthrough
		case a.Parent != b.Parent || a.Depth != b.Depth:
			steps = append(steps, Step{Kind: StepMoved, ID: a.ID, After: last, Parent: a.Parent, Depth: a.Depth})
		}
		last = a.ID
		if !ok {
			continue
		}
		if a.Content != b.Content {
			steps = append(steps, Step{Kind: StepText, ID: a.ID, Splices: textdiff.Splices(b.Content, a.Content), Length: utf8.RuneCountInString(a.Content)})
		}
		if a.Status != b.Status {
			steps = append(steps, Step{Kind: StepStatus, ID: a.ID, Status: a.Status})
		}
		if a.Meta != b.Meta || a.Kind != b.Kind || a.Role != b.Role || a.Form != b.Form {
			steps = append(steps, Step{Kind: StepMeta, ID: a.ID, Meta: a.Meta, BlockKind: a.Kind, Role: a.Role, Form: a.Form})
		}
		if a.Collapsed != b.Collapsed || a.Excluded != b.Excluded || a.Ephemeral != b.Ephemeral {
			steps = append(steps, Step{Kind: StepFlags, ID: a.ID, Collapsed: a.Collapsed, Excluded: a.Excluded, Ephemeral: a.Ephemeral})
		}
	}
	return delta, steps
}
