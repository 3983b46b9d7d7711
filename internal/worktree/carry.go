package worktree

import (
	"context"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

// Bounds of looking for the writers of lines that git brings.
const (
	maxCarried    = 48      // changes that one import carries lines of
	maxCarryBytes = 1 << 20 // of a text that is searched
	maxSources    = 8       // contexts that are searched
)

// writer is who wrote a line before git brought it again.
type writer struct {
	by      kaijutsu.Principal
	message string // of the change that brings it
}

// carry brings what git has put on the disk into a block, with the lines that
// our own logs know under the names of those who wrote them, each by way of git.
// It reports false, having done nothing, when there are none.
func (o *Overlay) carry(ctx context.Context, l *look) bool {
	if !l.b.Exists || !l.f.rec.Exists || len(l.text) > maxCarryBytes {
		return false
	}
	wanted := insertedLines(l.block, l.text)
	if len(wanted) == 0 {
		return false
	}
	known := o.writers(ctx, l.f, wanted)
	if len(known) == 0 {
		return false
	}
	steps := carrySteps(l.block, l.text, known)
	if len(steps) < 2 {
		return false
	}
	texts := l.text
	from := l.block
	for i, s := range steps {
		part := *l
		part.block, part.text = from, s.text
		exact, skip := false, false
		e, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: s.who.by, Via: s.via(), Message: s.who.message}, func(v repo.View, tx *blocks.Tx) (err error) {
			exact, skip, err = write(v, tx, &part)
			return err
		})
		if err == nil && skip {
			err = errAgain
		}
		if err != nil {
			o.fail(l.f, "import", unlessDone(ctx, err))
			return true // what is missing is found and brought when it is looked at again
		}
		from = s.text
		if i == len(steps)-1 {
			l.text = texts
			o.remember(imported{e.Change, []priorFile{o.taken(l, exact, e.Heads)}})
			o.fail(l.f, "import", unlessDone(ctx, o.reconciled(ctx, l.f)))
			o.fail(l.f, "keep", unlessDone(ctx, o.save(ctx, o.own.at.Doc, []*file{l.f})))
		} else {
			o.remember(imported{e.Change, []priorFile{{rec: l.f.rec, exists: true, data: l.disk}}})
		}
	}
	return true
}

// insertedLines are the lines that a text has and another has not, without
// those that hold nothing.
func insertedLines(from, to string) map[string]bool {
	wanted := map[string]bool{}
	for _, h := range textdiff.Hunks(from, to) {
		for _, line := range h.New {
			if strings.TrimSpace(line) != "" {
				wanted[line] = true
			}
		}
	}
	return wanted
}

// writers looks for who wrote lines: at what the block held before git brought
// something else, and in the blocks of the same file in the mount's other
// contexts. The first find counts, the newest first.
func (o *Overlay) writers(ctx context.Context, f *file, wanted map[string]bool) map[string]writer {
	known := map[string]writer{}
	look := func(doc kaijutsu.DocumentID, id blocks.ID, heads kaijutsu.Heads) {
		if len(known) == len(wanted) {
			return
		}
		if err := o.writersAt(ctx, doc, id, heads, wanted, known); err != nil && ctx.Err() == nil {
			o.cfg.Log.Debug("writers of lines are not known", "mount", o.cfg.Mount, "err", err)
		}
	}
	for i := len(f.rec.Past) - 1; i >= 0; i-- {
		look(o.own.at.Doc, f.rec.Block, f.rec.Past[i])
	}
	n := 0
	for _, doc := range o.cfg.Others() {
		if doc == o.own.at.Doc {
			continue
		}
		if n++; n > maxSources {
			break
		}
		if id, ok := o.blockAt(doc, f); ok {
			look(doc, id, nil)
		}
	}
	return known
}

// blockAt returns the block of a file in another context of the mount.
func (o *Overlay) blockAt(doc kaijutsu.DocumentID, f *file) (blocks.ID, bool) {
	if _, err := o.cfg.Store.Record(o.keys.file(doc, f.rec.Block)); err == nil {
		return f.rec.Block, true
	}
	return "", false
}

// writersAt adds who wrote the wanted lines of a block, as it was at some heads
// or, without, as it is.
func (o *Overlay) writersAt(ctx context.Context, doc kaijutsu.DocumentID, id blocks.ID, heads kaijutsu.Heads, wanted map[string]bool, known map[string]writer) error {
	return o.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		m := v.Model()
		b, ok := m.Block(id)
		content := b.Content
		if ok && heads != nil {
			then, err := v.ContentAt(id, heads)
			if err != nil {
				return err
			}
			content = then.Content
		}
		if !ok || len(content) > maxCarryBytes {
			return nil
		}
		lines := strings.SplitAfter(content, "\n")
		any := false
		for _, line := range lines {
			if _, have := known[line]; wanted[line] && !have {
				any = true
				break
			}
		}
		if !any {
			return nil
		}
		if heads != nil {
			var err error
			if m, err = v.At(heads); err != nil {
				return err
			}
		}
		by, err := m.Lines(id, v.Log())
		if err != nil {
			return err
		}
		for i, line := range lines {
			if _, have := known[line]; i >= len(by) || have || !wanted[line] {
				continue
			}
			who, via := v.Principal(by[i].Actor)
			if who.IsZero() || who.Kind == kaijutsu.Service {
				continue
			}
			known[line] = writer{who, o.carriedMessage(v, doc, by[i].Change, via)}
		}
		return nil
	})
}

// carriedMessage names the change that wrote a line: of one that was carried
// itself, the one that it names.
func (o *Overlay) carriedMessage(v repo.View, doc kaijutsu.DocumentID, change kaijutsu.ChangeHash, via kaijutsu.Principal) string {
	if via == Git {
		if i, ok := v.Log().Index(change); ok {
			if c, err := v.Log().Change(i); err == nil && strings.HasPrefix(c.Message, "carried ") {
				return c.Message
			}
		}
	}
	if doc == o.own.at.Doc {
		return "carried " + change.String()
	}
	return fmt.Sprintf("carried %s %s", change, doc.Name())
}

// carryStep is one change of an import that carries lines: who makes it, and the
// text after it.
type carryStep struct {
	who  writer
	text string
}

// via is git for those who wrote lines once, and nobody for git itself.
func (s carryStep) via() kaijutsu.Principal {
	if s.who.by == Git {
		return kaijutsu.Principal{}
	}
	return Git
}

// carrySteps cuts an import into changes: git's first, without the lines that
// others wrote, then the lines of each of their changes.
func carrySteps(from, to string, known map[string]writer) []carryStep {
	type placed struct {
		line string
		who  writer
	}
	git := writer{by: Git, message: "op:file_import"}
	var lines []placed
	var order []writer
	seen := map[writer]bool{}
	all := strings.SplitAfter(to, "\n")
	inserted := make([]bool, len(all))
	for _, h := range textdiff.Hunks(from, to) {
		for i := h.NewStart; i < h.NewEnd && i < len(all); i++ {
			inserted[i] = true
		}
	}
	for i, line := range all {
		who, ok := known[line]
		if !ok || !inserted[i] {
			who = git
		}
		if who != git && !seen[who] {
			if len(order) == maxCarried {
				who = git
			} else {
				seen[who] = true
				order = append(order, who)
			}
		}
		lines = append(lines, placed{line, who})
	}
	done := map[writer]bool{git: true}
	text := func() string {
		var b strings.Builder
		for _, p := range lines {
			if done[p.who] {
				b.WriteString(p.line)
			}
		}
		return b.String()
	}
	steps := []carryStep{{git, text()}}
	for _, who := range order {
		done[who] = true
		steps = append(steps, carryStep{who, text()})
	}
	return steps
}
