package provenance_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// moment is what a block said at some heads.
type moment struct {
	heads   kaijutsu.Heads
	content string
}

// origin is a block that is cited.
type origin struct {
	doc     kaijutsu.DocumentID
	id      blocks.ID
	moments []moment
	gone    bool // its context is deleted
}

// claim is a block that cites.
type claim struct {
	doc       kaijutsu.DocumentID
	id        blocks.ID
	citations []struct {
		drift.Citation
		of   *origin
		said []string // the lines
	}
	deleted bool
}

// play is a random history of sources and of what cites them, in one world and
// with a second one that edits the same sources without knowing of the first.
type play struct {
	*world
	there    *world
	rng      *rand.Rand
	lines    int
	callers  []op.Call
	origins  []*origin
	claims   []*claim
	targets  []kaijutsu.DocumentID
	archived map[kaijutsu.DocumentID]bool

	right, wrong, missed, fresh int // marks, over all checks
	unclear                     int // judged by View.Fate only
}

func (p *play) line() string { p.lines++; return fmt.Sprintf("line %d\n", p.lines) }

func (p *play) text() string {
	var b strings.Builder
	for range 3 + p.rng.IntN(8) {
		b.WriteString(p.line())
	}
	return b.String()
}

func pick[T any](p *play, list []T) T { return list[p.rng.IntN(len(list))] }

// content returns what a block says in a world, "" when it is deleted.
func (w *world) content(doc kaijutsu.DocumentID, id blocks.ID) (s string, heads kaijutsu.Heads, deleted bool) {
	w.Helper()
	err := w.repo.View(w.ctx, doc, func(v repo.View) error {
		b, ok := v.Block(id)
		if !ok {
			w.Fatalf("no block %s", id)
		}
		s, heads, deleted = b.Content, v.Heads, b.Deleted
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return s, heads, deleted
}

// remember notes what a block says, for citations.
func (p *play) remember(o *origin) {
	if s, heads, deleted := p.content(o.doc, o.id); !deleted && strings.HasSuffix(s, "\n") {
		o.moments = append(o.moments, moment{heads, s})
	}
}

// alter changes a text in one of the ways in which people do.
func (p *play) alter(o *origin, now string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(now, "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	at := 0
	if len(lines) > 0 {
		at = p.rng.IntN(len(lines))
	}
	switch k := p.rng.IntN(7); {
	case k == 0 || len(lines) == 0:
		return strings.Join(lines[:at], "") + p.line() + strings.Join(lines[at:], "")
	case k == 1:
		return strings.Join(lines[:at], "") + strings.Join(lines[at+1:], "")
	case k == 2:
		lines[at] = p.line()
	case k == 3:
		lines[at] = "x" + lines[at]
	case k == 4:
		lines[at] = strings.TrimPrefix(lines[at], "x")
	default:
		return pick(p, o.moments).content
	}
	return strings.Join(lines, "")
}

func (p *play) step() {
	o := pick(p, p.origins)
	by := pick(p, p.callers)
	switch k := p.rng.IntN(100); {
	case k < 40 && !o.gone:
		w := p.world
		if p.rng.IntN(3) == 0 {
			w = p.there
		}
		now, _, deleted := w.content(o.doc, o.id)
		if deleted {
			return
		}
		next := p.alter(o, now)
		w.edit(by.By, o.doc, func(_ repo.View, tx *blocks.Tx) error { return tx.ReplaceText(o.id, next) })
		p.remember(o)
	case k < 45 && !o.gone:
		_, _ = p.kernel.Undo(p.ctx, by, o.doc, 1) // there may be nothing to undo
		p.remember(o)
	case k < 55 && !o.gone:
		p.there.send(p.world, o.doc)
		p.send(p.there, o.doc)
		p.remember(o)
	case k < 60 && !o.gone:
		if _, _, deleted := p.content(o.doc, o.id); deleted {
			p.undelete(o.doc, o.id)
		} else {
			p.delete(o.doc, o.id)
		}
	case k < 80:
		p.cite(by.By)
	case k < 85 && len(p.claims) > 0:
		c := pick(p, p.claims)
		if p.archived[c.doc] {
			return
		}
		if c.deleted = !c.deleted; c.deleted {
			p.delete(c.doc, c.id)
		} else {
			p.undelete(c.doc, c.id)
		}
	case k < 90:
		target := pick(p, p.targets)
		on := !p.archived[target]
		if on {
			p.settle() // what an archived context lacks is known then
		}
		if _, err := p.kernel.Archive(p.ctx, owner, target, on); err != nil {
			p.Fatal(err)
		}
		p.archived[target] = on
	case k == 90 && p.rng.IntN(3) == 0 && !o.gone:
		if err := p.kernel.Delete(p.ctx, owner, o.doc, true); err != nil {
			p.Fatal(err)
		}
		for _, other := range p.origins {
			other.gone = other.gone || other.doc == o.doc
		}
	case k < 95:
		p.noCache = p.rng.IntN(3) == 0
		p.restart()
	}
}

// cite makes a block that cites one or two spans.
func (p *play) cite(by kaijutsu.Principal) {
	target := pick(p, p.targets)
	if p.archived[target] {
		return
	}
	c := &claim{doc: target}
	var list []drift.Citation
	for ref := range 1 + p.rng.IntN(2) {
		o := pick(p, p.origins)
		m := pick(p, o.moments)
		lines := strings.SplitAfter(m.content, "\n")
		lines = lines[:len(lines)-1]
		first := 1 + p.rng.IntN(len(lines))
		last := first + p.rng.IntN(min(3, len(lines)-first+1))
		ci := cites(ref+1, o.doc, o.id, m.heads, first, last)
		list = append(list, ci)
		c.citations = append(c.citations, struct {
			drift.Citation
			of   *origin
			said []string
		}{ci, o, lines[first-1 : last]})
	}
	_, c.id = p.drift(by, list2doc(c), target, "a claim", list...)
	p.claims = append(p.claims, c)
}

func list2doc(c *claim) kaijutsu.DocumentID { return c.citations[0].of.doc }

// oracle says which marks a block is to have.
func (p *play) oracle(c *claim) string {
	var out []string
	for _, ci := range c.citations {
		reason := ""
		if ci.of.gone {
			reason = drift.ReasonContextDeleted
		} else {
			reason = p.fate(ci.of, ci.Citation, ci.said)
		}
		if reason != "" {
			out = append(out, fmt.Sprintf("%d %s", ci.Ref, reason))
		}
	}
	return strings.Join(out, ", ")
}

// fate says what became of cited lines: they stand when the text holds them, one
// behind the other, as whole lines. Each line of a play is another, so that
// there is nothing else to be asked; where changes came together so that one is
// there twice, or the last one has lost its end, the repo is.
func (p *play) fate(o *origin, ci drift.Citation, said []string) string {
	now, _, deleted := p.content(o.doc, o.id)
	heads, err := kaijutsu.ParseHeads(ci.Handle.Heads)
	if err != nil {
		p.Fatal(err)
	}
	var asked string
	err = p.repo.View(p.ctx, o.doc, func(v repo.View) error {
		f, err := v.Fate(o.id, heads, ci.Handle.First, ci.Handle.Last)
		asked = f.Reason
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	if deleted {
		return drift.ReasonDeleted
	}
	seen := make(map[string]bool)
	if !strings.HasSuffix(now, "\n") && now != "" {
		p.unclear++
		return asked
	}
	for _, l := range strings.SplitAfter(now, "\n") {
		if seen[l] {
			p.unclear++
			return asked
		}
		seen[l] = true
	}
	reason := ""
	if !strings.Contains("\n"+now, "\n"+strings.Join(said, "")) {
		reason = drift.ReasonChanged
	}
	if reason != asked {
		p.Errorf("lines %q in %q: the repo says %q, want %q", said, now, asked, reason)
	}
	return reason
}

// check compares the marks of all blocks with what they are to be.
func (p *play) check() {
	p.Helper()
	p.settle()
	for _, c := range p.claims {
		if c.deleted || p.archived[c.doc] {
			continue
		}
		want, got := p.oracle(c), p.marks(c.doc, c.id)
		p.count(want, got)
		if want != got {
			p.Errorf("block %s of %s: marks = %q, want %q", c.id, c.doc.Name(), got, want)
		}
	}
}

func (p *play) count(want, got string) {
	has := func(list, m string) bool { return strings.Contains(", "+list+", ", ", "+m+", ") }
	if want == "" && got == "" {
		p.fresh++
	}
	for m := range strings.SplitSeq(want, ", ") {
		switch {
		case m == "":
		case has(got, m):
			p.right++
		default:
			p.missed++
		}
	}
	for m := range strings.SplitSeq(got, ", ") {
		if m != "" && !has(want, m) {
			p.wrong++
		}
	}
}

// TestMarksAreExactlyThoseOfTheOracle plays random histories.
func TestMarksAreExactlyThoseOfTheOracle(t *testing.T) {
	plays, steps := 4, 120
	if os.Getenv("KJ_FULL") != "" {
		plays = 40
	}
	var total play
	for n := range plays {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Logf("seed %d", seed)
			p := &play{world: newWorld(t), there: newWorld(t), rng: rand.New(rand.NewPCG(seed, 0)), archived: make(map[kaijutsu.DocumentID]bool)}
			p.callers = []op.Call{owner, p.member("amy", kaijutsu.RightEdit), p.member("bot", kaijutsu.RightEdit)}
			for i := range 4 {
				source := p.context(fmt.Sprintf("Source %d", i))
				for range 2 {
					o := &origin{doc: source}
					o.id, _ = p.world.text(source, p.text())
					p.origins = append(p.origins, o)
				}
				p.send(p.there, source)
			}
			for _, o := range p.origins {
				p.remember(o)
			}
			for i := range 3 {
				p.targets = append(p.targets, p.context(fmt.Sprintf("Target %d", i)))
			}
			for i := range steps {
				if p.step(); i%6 == 5 {
					p.check()
				}
				if t.Failed() {
					t.FailNow()
				}
			}
			p.check()
			total.right, total.wrong, total.missed = total.right+p.right, total.wrong+p.wrong, total.missed+p.missed
			total.fresh, total.unclear = total.fresh+p.fresh, total.unclear+p.unclear
		})
	}
	t.Logf("%d marks right, %d wrong, %d missed; %d blocks without; %d asked of the repo", total.right, total.wrong, total.missed, total.fresh, total.unclear)
	if total.right == 0 || total.fresh == 0 {
		t.Error("nothing was shown")
	}
}
