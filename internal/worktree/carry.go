package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
	"kaijutsu/internal/vfs"
)

// maxCarried bounds the changes that one import carries lines of, and
// maxCarryBytes a text that is searched.
const (
	maxCarried    = 48
	maxCarryBytes = 1 << 20
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
	steps := o.stepsTo(ctx, l, l.block, l.text)
	if len(steps) < 2 {
		return false
	}
	was := f.rec
	was.Past = slices.Clone(was.Past)
	exact, heads, err := o.bring(ctx, l, steps, func(s carryStep, e repo.Edited, exact bool) {
		o.remember(imported{e.Change, []priorFile{{rec: was, exists: true, data: l.disk}}})
		if s.text == l.text {
			return
		}
		if was.Base == nil && len(was.Heads) > 0 {
			f.past(was.Heads)
		}
		if f.halfway(s.text); exact {
			f.rec.Heads = e.Heads
			o.fail(f, "keep", unlessDone(ctx, o.save(ctx, o.own.at.Doc, []*file{f})))
		}
	})
	if err != nil {
		o.fail(f, "import", unlessDone(ctx, err))
		return true // what is missing comes in a later turn
	}
	f.rec = was
	o.taken(l, exact, heads)
	o.fail(f, "import", unlessDone(ctx, o.reconciled(ctx, f)))
	o.fail(f, "keep", unlessDone(ctx, o.save(ctx, o.own.at.Doc, []*file{f})))
	return true
}

// stepsTo returns the changes that make a block's text another, which git's text
// on the disk has become part of: at most one when no line of that has a writer
// that we know. Base is what the block and the disk come from.
func (o *Overlay) stepsTo(ctx context.Context, l *look, base, to string) []carryStep {
	if !l.b.Exists || max(len(to), len(l.text)) > maxCarryBytes {
		return nil
	}
	found := o.writers(ctx, l.f, base, l.text)
	if len(found) == 0 {
		return nil
	}
	if to == l.text && base == l.block {
		return carrySteps(to, found)
	}
	wanted := insertedLines(l.block, to)
	known, brought := map[int]writer{}, map[int]writer{}
	for i, at := range textdiff.LineMap(l.text, to) {
		if _, ok := wanted[i]; !ok || at < 0 {
			continue
		}
		if who, ok := found[at]; ok {
			known[i], brought[at] = who, who
		}
	}
	steps := carrySteps(to, known)
	for i, s := range carrySteps(l.text, brought) {
		steps[i].disk = s.text
	}
	return steps
}

// bring carries steps out, and calls after behind each with what they have come
// to. exact says that the block then holds the last one's text, and nothing that
// was typed meanwhile.
func (o *Overlay) bring(ctx context.Context, l *look, steps []carryStep, after func(s carryStep, e repo.Edited, exact bool)) (exact bool, heads kaijutsu.Heads, err error) {
	from := l.block
	exact = true
	for _, s := range steps {
		part := *l
		part.block, part.text = from, s.text
		same, skip := false, false
		e, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: s.who.by, Via: s.via(), Message: s.who.message}, func(v repo.View, tx *blocks.Tx) (err error) {
			if b, ok := v.Block(l.f.rec.Block); ok && !b.Deleted && b.Content == from && len(s.puts) > 0 {
				same, skip = true, false
				return s.put(tx, l.f.rec.Block)
			}
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
			after(s, e, exact)
		}
	}
	return exact, heads, nil
}

// halfway notes that a part of what git has brought is in the block, so that,
// should it end here, the rest is what the disk has changed since: text is the
// disk's as far as it was brought.
func (f *file) halfway(text string) {
	f.rec.Text, f.rec.Disk, f.rec.Stamp, f.rec.Base = hashText(text), hash{}, vfs.Stamp{}, &text
	f.saved = false
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
	disk string            // the disk's text without what later steps bring, where that is another
	puts []textdiff.Splice // that make the text of the step before this one's; none: found by comparing
}

// put carries a step out on the text of the one before.
func (s carryStep) put(tx *blocks.Tx, id blocks.ID) error {
	for _, p := range s.puts {
		if err := tx.SpliceText(id, p.Pos, p.Del, p.Ins); err != nil {
			return err
		}
	}
	return nil
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
	step := func(who writer) carryStep {
		var b strings.Builder
		var puts []textdiff.Splice
		pos, more := 0, false
		for _, p := range lines {
			if !done[p.who] {
				continue
			}
			b.WriteString(p.line)
			n := utf8.RuneCountInString(p.line)
			switch {
			case p.who != who:
				more = false
			case more:
				puts[len(puts)-1].Ins += p.line
			default:
				puts, more = append(puts, textdiff.Splice{Pos: pos, Ins: p.line}), true
			}
			pos += n
		}
		return carryStep{who: who, text: b.String(), disk: b.String(), puts: puts}
	}
	first := step(git)
	first.puts = nil
	steps := []carryStep{first}
	for _, who := range order {
		done[who] = true
		steps = append(steps, step(who))
	}
	return steps
}
