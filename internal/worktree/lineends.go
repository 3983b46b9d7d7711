package worktree

import (
	"context"
	"strings"

	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

// ending is how lines of a file end in a block that has the shape was, and on the
// disk now has another: "" where that is no matter.
func ending(was, now shape) string {
	switch {
	case was.EOL == eolCRLF && now.EOL != eolCRLF:
		return "\r\n"
	case was.EOL != eolCRLF && now.EOL == eolCRLF:
		return "\n"
	}
	return ""
}

// reended returns a text with the ends that its lines have in another, where most
// of those that both have end otherwise there; else the text as it is, and no
// places. Places are of its lines, from 0. Lines that the other has not get the
// ending, unless that is "".
func reended(text, like, ending string) (string, []int) {
	if len(text) > maxCarryBytes || len(like) > maxCarryBytes || !strings.Contains(text, "\r\n") && !strings.Contains(like, "\r\n") {
		return text, nil
	}
	unix := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	mine, other := strings.SplitAfter(text, "\n"), strings.SplitAfter(like, "\n")
	var places []int
	both := 0
	mapped := make([]bool, len(mine))
	for i, at := range textdiff.LineMap(unix(text), unix(like)) {
		if at < 0 || at >= len(mine) || i >= len(other) {
			continue
		}
		mapped[at] = true
		if both++; mine[at] != other[i] {
			mine[at] = other[i]
			places = append(places, at)
		}
	}
	if len(places)*2 < both || len(places) == 0 {
		return text, nil
	}
	for at, line := range mine {
		if bare, ok := strings.CutSuffix(line, "\n"); ok && !mapped[at] && ending != "" {
			if end := strings.TrimSuffix(bare, "\r") + ending; end != line {
				mine[at] = end
				places = append(places, at)
			}
		}
	}
	return strings.Join(mine, ""), places
}

// reend gives lines of a block the ends that they have on the disk, when most got
// others there: each in the name of who wrote it, so that it stays theirs. What
// else differs is left.
func (o *Overlay) reend(ctx context.Context, l *look) error {
	if !l.b.Exists {
		return nil
	}
	text, places := reended(l.block, l.text, ending(l.f.rec.Shape, l.shape))
	if places == nil {
		return nil
	}
	whose, err := o.writersOf(ctx, l, places)
	if err != nil {
		return err
	}
	exact, heads, err := o.bring(ctx, l, reendSteps(l.block, text, places, whose), nil)
	switch {
	case err != nil:
		return err
	case !exact:
		return errAgain
	}
	l.block, l.heads = text, heads
	l.b.Hash = hashText(text)
	return nil
}

// writersOf returns who wrote lines of a block; those of services come by them
// again.
func (o *Overlay) writersOf(ctx context.Context, l *look, places []int) (whose []writer, err error) {
	nobody := writer{by: o.cfg.DiskAs, message: "op:file_import"}
	err = o.cfg.Repo.View(ctx, o.own.at.Doc, func(v repo.View) error {
		by, err := v.Model().Lines(l.f.rec.Block, v.Log())
		if err != nil {
			return err
		}
		whose = make([]writer, len(places))
		for i, at := range places {
			if whose[i] = nobody; at >= len(by) {
				continue
			}
			who, via := v.Principal(by[at].Actor)
			switch {
			case who == Git || who == Disk:
				whose[i].by = who
			case !who.IsZero():
				whose[i] = writer{who, o.carriedMessage(v, o.own.at.Doc, by[at].Change, via)}
			}
		}
		return nil
	})
	return whose, err
}

// reendSteps cuts the change of ends into one for each writer.
func reendSteps(from, to string, places []int, whose []writer) []carryStep {
	var order []writer
	lines := map[writer][]int{}
	for i, who := range whose {
		if lines[who] == nil {
			if len(order) == maxCarried {
				who = order[len(order)-1]
			} else {
				order = append(order, who)
			}
		}
		lines[who] = append(lines[who], places[i])
	}
	now, then := strings.SplitAfter(from, "\n"), strings.SplitAfter(to, "\n")
	var steps []carryStep
	for _, who := range order {
		for _, at := range lines[who] {
			now[at] = then[at]
		}
		steps = append(steps, carryStep{who: who, text: strings.Join(now, "")})
	}
	return steps
}
