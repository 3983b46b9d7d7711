package blocks

import (
	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// tracing is what is kept of how things showed before the change at hand: of
// the blocks that it touches what they were, and of the list the rows that may
// leave their place. Nothing else is looked at, so that a change costs what it
// touches and not what there is.
type tracing struct {
	m      *Model
	author uint32 // whose change it is
	start  uint32 // counter of its first operation

	title   string
	context kaijutsu.ContextID
	was     []rowBefore
	index   map[ID]int // in was
	list    listTrace
}

// rowBefore is a block as it was before the change touched it.
type rowBefore struct {
	block *blockMap
	row   Block      // without content and depth
	seq   *sequence  // that held the content
	str   string     // the content, of a scalar
	text  *textTrace // nil while nothing has happened to seq
}

// Trace takes in a change as Apply does, and says what shows otherwise than
// before: the steps that make the list that Blocks returns now of the one that
// it returned before. What is hidden, before and after, gives none, and neither
// does what reads the same.
//
// It costs what it tells of, whatever else there is: an edit its operations
// and a walk over the runs of characters that one text is made of, at most; a
// block that enters the list its place among its siblings; one that is moved or
// deleted the blocks below it. Where parents run in circles, or blocks stand too
// deep, it may cost what hangs below those, and a look at every block.
//
// The same changes in the same order always give the same steps.
func (m *Model) Trace(c *amfile.Change) (Delta, []Step) {
	m.cut()
	t := &tracing{m: m, author: m.actor(c.Author()), start: uint32(c.StartOp), title: m.Title(), context: m.Context()}
	m.tracing = t
	delta := m.Apply(c)
	m.tracing = nil
	return delta, t.steps()
}

// keepRow notes how a block shows, before the change first touches it. It
// returns nil for one that does not show under its id.
func (t *tracing) keepRow(b *blockMap) *rowBefore {
	if t.m.blocks[b.key] != b {
		return nil
	}
	if i, ok := t.index[b.key]; ok {
		return &t.was[i]
	}
	if t.index == nil {
		t.index = make(map[ID]int)
	}
	t.index[b.key] = len(t.was)
	w := rowBefore{block: b}
	var current forms
	w.row, current = t.m.readFields(b, 0)
	form, e := current.form()
	if w.row.Form = form; e != nil {
		w.seq, w.str = e.seq, e.str
	}
	t.was = append(t.was, w)
	return &t.was[len(t.was)-1]
}

// steps says what has become of it all, once the change is applied.
func (t *tracing) steps() []Step {
	var steps []Step
	if id := t.m.Context(); id != t.context {
		steps = append(steps, Step{Kind: StepContext, Context: id})
	}
	if title := t.m.Title(); title != t.title {
		steps = append(steps, Step{Kind: StepTitle, Title: title})
	}
	steps = t.list.after(t.m, steps)
	for i := range t.was {
		if w := &t.was[i]; t.m.blocks[w.block.key] == w.block && t.m.visible(w.block) && !t.list.entered(t.m, w.block) {
			steps = t.fieldSteps(w, steps)
		}
	}
	return steps
}

// fieldSteps says what has become of a row that was in the list and still is.
func (t *tracing) fieldSteps(w *rowBefore, steps []Step) []Step {
	before := &w.row
	now, current := t.m.readFields(w.block, 0)
	var e *entry
	now.Form, e = current.form()
	if splices, length := t.splices(w, e); len(splices) > 0 {
		steps = append(steps, Step{Kind: StepText, ID: now.ID, Splices: splices, Length: length})
	}
	if now.Status != before.Status {
		steps = append(steps, Step{Kind: StepStatus, ID: now.ID, Status: now.Status})
	}
	if now.Meta != before.Meta || now.Kind != before.Kind || now.Role != before.Role || now.Form != before.Form {
		steps = append(steps, Step{Kind: StepMeta, ID: now.ID, Meta: now.Meta, BlockKind: now.Kind, Role: now.Role, Form: now.Form})
	}
	if now.Collapsed != before.Collapsed || now.Excluded != before.Excluded || now.Ephemeral != before.Ephemeral {
		steps = append(steps, Step{Kind: StepFlags, ID: now.ID, Collapsed: now.Collapsed, Excluded: now.Excluded, Ephemeral: now.Ephemeral})
	}
	return steps
}
