package worktree

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

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
	f := l.f
	if !f.rec.Exists {
		return false
	}
	steps := o.stepsTo(ctx, l, l.text)
	if len(steps) < 2 {
		return false
	}
	was, base := f.rec, f.base
	was.Past = slices.Clone(was.Past)
	exact, heads, err := o.bring(ctx, l, steps, func(text string, e repo.Edited) {
		o.remember(imported{e.Change, []priorFile{{rec: was, exists: true, data: l.disk}}})
		f.isPartly(text)
	})
	if err != nil {
		o.fail(f, "import", unlessDone(ctx, err))
		return true // what is missing is found and brought when it is looked at again
	}
	f.rec, f.base = was, base
	o.taken(l, exact, heads)
	o.fail(f, "import", unlessDone(ctx, o.reconciled(ctx, f)))
	o.fail(f, "keep", unlessDone(ctx, o.save(ctx, o.own.at.Doc, []*file{f})))
	return true
}

// stepsTo returns the changes that make a block's text another that git has
// brought: at most one when no line of it has a writer that we know.
func (o *Overlay) stepsTo(ctx context.Context, l *look, to string) []carryStep {
	if !l.b.Exists || len(to) > maxCarryBytes {
		return nil
	}
	known := o.writers(ctx, l.f, l.block, to)
	if len(known) == 0 {
		return nil
	}
	return carrySteps(to, known)
}

// bring carries steps out, and calls after behind each. exact says that the block
// then holds the last one's text, and nothing that was typed meanwhile.
func (o *Overlay) bring(ctx context.Context, l *look, steps []carryStep, after func(text string, e repo.Edited)) (exact bool, heads kaijutsu.Heads, err error) {
	from := l.block
	exact = true
	for _, s := range steps {
		part := *l
		part.block, part.text = from, s.text
		same, skip := false, false
		e, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: s.who.by, Via: s.via(), Message: s.who.message}, func(v repo.View, tx *blocks.Tx) (err error) {
			same, skip, err = write(v, tx, &part)
			return err
		})
		if err == nil && skip {
			err = errAgain
		}
		if err != nil {
			return false, nil, err
		}
		from, heads, exact = s.text, e.Heads, exact && same
		if after != nil {
			after(s.text, e)
		}
	}
	return exact, heads, nil
}

// insertedLines are the places of lines that a text has and another has not,
// without those that hold nothing.
func insertedLines(from, to string) map[int]string {
	wanted := map[int]string{}
	for _, h := range textdiff.Hunks(from, to) {
		for i, line := range h.New {
			if strings.TrimSpace(line) != "" {
				wanted[h.NewStart+i] = line
			}
		}
	}
	return wanted
}

// writers looks for who wrote the lines that a text has and another has not: at
// what the block held before git brought something else, and in the blocks of
// the same file in the mount's other contexts. The first find counts, the newest
// first.
func (o *Overlay) writers(ctx context.Context, f *file, from, to string) map[int]writer {
	s := &search{o: o, from: from, to: to, wanted: insertedLines(from, to), known: map[int]writer{}}
	look := func(doc kaijutsu.DocumentID, id blocks.ID, heads kaijutsu.Heads) {
		if len(s.known) == len(s.wanted) {
			return
		}
		if err := s.at(ctx, doc, id, heads); err != nil && ctx.Err() == nil {
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
	return s.known
}

// blockAt returns the block of a file in another context of the mount.
func (o *Overlay) blockAt(doc kaijutsu.DocumentID, f *file) (blocks.ID, bool) {
	if _, err := o.cfg.Store.Record(o.keys.file(doc, f.rec.Block)); err == nil {
		return f.rec.Block, true
	}
	return "", false
}

// search is the search for the writers of lines.
type search struct {
	o        *Overlay
	from, to string
	wanted   map[int]string // lines of to that from has not
	known    map[int]writer
}

// at adds who wrote lines of a block, as it was at some heads or, without, as it
// is.
func (s *search) at(ctx context.Context, doc kaijutsu.DocumentID, id blocks.ID, heads kaijutsu.Heads) error {
	return s.o.cfg.Repo.View(ctx, doc, func(v repo.View) error {
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
		back := comeBack(s.from, s.to, content, s.wanted)
		maps.DeleteFunc(back, func(i, _ int) bool { _, have := s.known[i]; return have })
		if len(back) == 0 {
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
		for i, at := range back {
			if at >= len(by) {
				continue
			}
			who, via := v.Principal(by[at].Actor)
			if who.IsZero() || who.Kind == kaijutsu.Service {
				continue
			}
			s.known[i] = writer{who, s.o.carriedMessage(v, doc, by[at].Change, via)}
		}
		return nil
	})
}

// comeBack returns which of the wanted lines of a text are lines of an earlier
// one that come back, and which: those that stand in the same order, and that the
// text before has fewer of. A line of hardly anything counts only next to another
// that comes back.
func comeBack(from, to, earlier string, wanted map[int]string) map[int]int {
	spare := map[string]int{}
	for line := range strings.Lines(earlier) {
		spare[line]++
	}
	for line := range strings.Lines(from) {
		spare[line]--
	}
	of := textdiff.LineMap(earlier, to)
	back := map[int]int{}
	for i, at := range of {
		if line, ok := wanted[i]; ok && at >= 0 && spare[line] > 0 {
			spare[line]--
			back[i] = at
		}
	}
	alone := func(i, at int) bool {
		before, ok := back[i-1]
		if ok && before == at-1 {
			return false
		}
		after, ok := back[i+1]
		return !ok || after != at+1
	}
	var weak []int
	for i, at := range back {
		if hardly(wanted[i]) && alone(i, at) {
			weak = append(weak, i)
		}
	}
	for _, i := range weak {
		delete(back, i)
	}
	return back
}

// hardly reports whether a line holds so little that many have it.
func hardly(line string) bool {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n < 4
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

// via is git for those who wrote lines once, and nobody for services.
func (s carryStep) via() kaijutsu.Principal {
	if s.who.by.Kind == kaijutsu.Service {
		return kaijutsu.Principal{}
	}
	return Git
}

// carrySteps cuts an import into changes: git's first, without the lines that
// others wrote, then the lines of each of their changes.
func carrySteps(to string, known map[int]writer) []carryStep {
	type placed struct {
		line string
		who  writer
	}
	git := writer{by: Git, message: "op:file_import"}
	var lines []placed
	var order []writer
	seen := map[writer]bool{}
	all := strings.SplitAfter(to, "\n")
	for i, line := range all {
		who, ok := known[i]
		if !ok {
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
