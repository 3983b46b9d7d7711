package provenance_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
)

func (w *world) wantMarks(doc kaijutsu.DocumentID, id blocks.ID, want string) {
	w.Helper()
	w.settle()
	if got := w.marks(doc, id); got != want {
		w.Errorf("marks = %q, want %q", got, want)
	}
}

const poem = "one\ntwo\nthree\nfour\nfive\n"

// cited is a source and a block that cites it: line 2 as 1, lines 3 and 4 as 2.
func (w *world) cited() (source, target kaijutsu.DocumentID, text, block blocks.ID) {
	w.Helper()
	source, target = w.context("Source"), w.context("Target")
	text, heads := w.text(source, poem)
	_, block = w.drift(owner.By, source, target, "a claim [1] [2]", cites(1, source, text, heads, 2, 2), cites(2, source, text, heads, 3, 4))
	w.wantMarks(target, block, "")
	return source, target, text, block
}

func TestStale(t *testing.T) {
	w := newWorld(t)
	source, target, text, block := w.cited()
	w.replace(source, text, strings.Replace(poem, "two", "TWO", 1))
	w.wantMarks(target, block, "1 changed")
	m := w.marksOf(target, block)[0]
	if !strings.Contains(m.Diff, "-two\n+TWO\n") || len(m.Heads) != 1 {
		t.Errorf("the mark is %+v, want a diff from two to TWO, and heads", m)
	}
	w.replace(source, text, strings.Replace(poem, "five", "FIVE", 1))
	w.wantMarks(target, block, "")
	w.replace(source, text, "zero\n"+poem)
	w.wantMarks(target, block, "")
	w.replace(source, text, strings.Replace(poem, "four", "4", 1))
	w.wantMarks(target, block, "2 changed")
	w.delete(source, text)
	w.wantMarks(target, block, "1 deleted, 2 deleted")
	w.undelete(source, text)
	w.wantMarks(target, block, "2 changed")
	w.replace(source, text, poem)
	w.wantMarks(target, block, "")
	if err := w.kernel.Delete(t.Context(), owner, source, true); err != nil {
		t.Fatal(err)
	}
	w.wantMarks(target, block, "1 context deleted, 2 context deleted")
	err := w.repo.View(t.Context(), target, func(v repo.View) error {
		for i := range v.Log().Len() {
			c, err := v.Log().Change(i)
			if err != nil {
				return err
			}
			if by, _ := v.Principal(c.Author()); c.Message == "op:drift_stale" && by.String() != "service:kaijutsu" {
				t.Errorf("a mark was written by %v", by)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestStaleKeepsTheRest holds that nothing but the marks of a meta is another.
func TestStaleKeepsTheRest(t *testing.T) {
	w := newWorld(t)
	source, target := w.context("Source"), w.context("Target")
	text, heads := w.text(source, poem)
	c := cites(1, source, text, heads, 0, 0)
	meta := fmt.Sprintf(`{"citations":[{"handle":%q,"ref":1}],"mine":{"b":[1,2.50],"a":null}}`, c.Handle.String())
	id, _ := w.insert(target, blocks.BlockSpec{Content: "a note", Meta: meta})
	w.replace(source, text, "x")
	w.wantMarks(target, id, "1 changed")
	w.replace(source, text, poem)
	w.wantMarks(target, id, "")
	err := w.repo.View(t.Context(), target, func(v repo.View) error {
		b, _ := v.Block(id)
		for _, part := range []string{`"mine":{"b":[1,2.50],"a":null}`, c.Handle.String()} {
			if !strings.Contains(b.Meta, part) {
				t.Errorf("meta = %s, want %s in it", b.Meta, part)
			}
		}
		if strings.Contains(b.Meta, "stale") || b.Content != "a note" {
			t.Errorf("block = %+v, want it as it was", b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestStaleAndAway holds that what is deleted or archived gets its marks when it
// is back.
func TestStaleAndAway(t *testing.T) {
	for _, restart := range []bool{false, true} {
		w := newWorld(t)
		again := func() {
			w.settle()
			if restart {
				w.restart()
			}
		}
		source, target, text, block := w.cited()
		w.delete(target, block)
		w.replace(source, text, "x")
		again()
		w.wantMarks(target, block, "")
		w.undelete(target, block)
		w.wantMarks(target, block, "1 changed, 2 changed")
		archive := func(on bool) {
			if _, err := w.kernel.Archive(t.Context(), owner, target, on); err != nil {
				t.Fatal(err)
			}
		}
		archive(true)
		w.replace(source, text, poem)
		again()
		w.wantMarks(target, block, "1 changed, 2 changed")
		archive(false)
		again()
		w.wantMarks(target, block, "")
		archive(true)
		again()
		w.replace(source, text, "two\n")
		again()
		archive(false)
		w.wantMarks(target, block, "2 changed")
	}
}

// TestMarksAreMended holds that what somebody makes of the marks does not stay.
func TestMarksAreMended(t *testing.T) {
	w := newWorld(t)
	source, target, text, block := w.cited()
	w.replace(source, text, "x")
	w.wantMarks(target, block, "1 changed, 2 changed")
	w.edit(owner.By, target, func(v repo.View, tx *blocks.Tx) error {
		b, _ := v.Block(block)
		meta, err := drift.MarkStale(b.Meta, nil)
		if err != nil {
			return err
		}
		return tx.SetMeta(block, meta)
	})
	w.wantMarks(target, block, "1 changed, 2 changed")
}

// TestStaleShowsNothingSecret holds that the diff of a source is shown only
// while who cited it may read it.
func TestStaleShowsNothingSecret(t *testing.T) {
	w := newWorld(t)
	source, target := w.context("Source"), w.context("Target")
	text, heads := w.text(source, poem)
	bot := w.member("bot", kaijutsu.RightEdit)
	_, block := w.drift(bot.By, source, target, "a claim [1]", cites(1, source, text, heads, 2, 2))
	w.replace(source, text, "open\n")
	w.wantMarks(target, block, "1 changed")
	if d := w.marksOf(target, block)[0].Diff; !strings.Contains(d, "+open") {
		t.Errorf("the diff is %q, want open in it", d)
	}
	if _, err := w.access.Grant(t.Context(), owner.By, source, "bot", kaijutsu.RightNone); err != nil {
		t.Fatal(err)
	}
	w.replace(source, text, poem)
	w.wantMarks(target, block, "")
	w.replace(source, text, "secret\n")
	w.wantMarks(target, block, "1 changed")
	if d := w.marksOf(target, block)[0].Diff; d != "" {
		t.Errorf("the diff is %q, want none", d)
	}
}

// TestCitationsOfWhatIsNotHere holds that they are left alone until it comes.
func TestCitationsOfWhatIsNotHere(t *testing.T) {
	w, there := newWorld(t), newWorld(t)
	source, target := w.context("Source"), w.context("Target")
	text, _ := w.text(source, poem)
	w.send(there, source)
	heads := there.replace(source, text, poem+"six\n")
	_, block := w.drift(owner.By, source, target, "a claim [1]", cites(1, source, text, heads, 6, 6))
	w.replace(source, text, "x\n"+poem)
	w.wantMarks(target, block, "")
	there.replace(source, text, poem+"seven\n")
	there.send(w, source)
	w.wantMarks(target, block, "1 changed")

	// A context that comes as a whole.
	far := there.context("Far")
	text, heads = there.text(far, poem)
	there.replace(far, text, "x")
	_, block = w.drift(owner.By, far, target, "a claim [1]", cites(1, far, text, heads, 1, 1))
	w.wantMarks(target, block, "")
	there.send(w, far)
	w.wantMarks(target, block, "1 changed")
}

// TestCitationsByShortHeads holds that a unique beginning of a hash is taken.
func TestCitationsByShortHeads(t *testing.T) {
	w := newWorld(t)
	source, target := w.context("Source"), w.context("Target")
	text, heads := w.text(source, poem)
	c := cites(1, source, text, heads, 2, 2)
	c.Handle.Heads[0] = c.Handle.Heads[0][:9]
	_, block := w.drift(owner.By, source, target, "a claim [1]", c)
	w.wantMarks(target, block, "")
	w.replace(source, text, "x")
	w.wantMarks(target, block, "1 changed")
}

// TestStaleComesSoon holds how long it takes, without anybody waiting for it.
func TestStaleComesSoon(t *testing.T) {
	w := newWorld(t)
	source, target, text, block := w.cited()
	watch, err := w.repo.Watch(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	until := func(want string) time.Duration {
		began := time.Now()
		for w.marks(target, block) != want {
			if _, err := watch.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return time.Since(began)
	}
	for range 3 {
		w.replace(source, text, strings.Replace(poem, "two", "TWO", 1))
		there := until("1 changed")
		w.replace(source, text, poem)
		gone := until("")
		t.Logf("the mark came after %v, and went after %v", there, gone)
		if limit := 2 * time.Second; there > limit || gone > limit {
			t.Errorf("marks took %v and %v, want them soon", there, gone)
		}
	}
	// While typing goes on the mark comes all the same.
	came := make(chan time.Duration, 1)
	go func() { came <- until("1 changed") }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		w.replace(source, text, strings.Replace(poem, "two", "two"+strings.Repeat("x", n+1), 1))
		select {
		case d := <-came:
			t.Logf("while typing goes on the mark came after %v", d)
			return
		case <-tick.C:
		}
		if n > 500 {
			t.Fatal("no mark comes while typing goes on")
		}
	}
}

// TestMarksDoNotFeedThemselves holds that two blocks that cite each other come
// to rest.
func TestMarksDoNotFeedThemselves(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	one, heads := w.text(a, poem)
	_, two := w.drift(owner.By, a, b, "a claim [1]", cites(1, a, one, heads, 2, 2))
	var at kaijutsu.Heads
	if err := w.repo.View(t.Context(), b, func(v repo.View) error { at = v.Heads; return nil }); err != nil {
		t.Fatal(err)
	}
	_, three := w.drift(owner.By, b, a, "a claim [1]", cites(1, b, two, at, 0, 0))
	w.wantMarks(a, three, "")
	w.replace(a, one, "x")
	w.wantMarks(b, two, "1 changed")
	w.wantMarks(a, three, "")
	var versions [2]uint64
	for i, doc := range []kaijutsu.DocumentID{a, b} {
		if err := w.repo.View(t.Context(), doc, func(v repo.View) error { versions[i] = v.Version(); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	w.settle()
	for i, doc := range []kaijutsu.DocumentID{a, b} {
		err := w.repo.View(t.Context(), doc, func(v repo.View) error {
			if v.Version() != versions[i] {
				t.Errorf("context %d is written to without end", i)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestManyCitations holds that a block of more citations than are watched, and
// diffs of more than fit, have marks that fit.
func TestManyCitations(t *testing.T) {
	w := newWorld(t)
	source, target := w.context("Source"), w.context("Target")
	var list []drift.Citation
	for i := range 70 {
		text, heads := w.text(source, strings.Repeat(fmt.Sprintf("line %d äöü\n", i), 100))
		list = append(list, cites(i+1, source, text, heads, 0, 0))
	}
	if _, err := (drift.Meta{Kind: drift.KindPush, Citations: list}).Encode(""); err != nil {
		list = list[:64] // more do not make a meta
	}
	_, block := w.drift(owner.By, source, target, "a claim", list...)
	w.settle()
	for _, c := range list {
		w.replace(source, blocks.ID(c.Handle.Block), strings.Repeat("other ß\n", 100))
	}
	w.settle()
	marks := w.marksOf(target, block)
	if len(marks) != 64 {
		t.Errorf("there are %d marks, want 64", len(marks))
	}
	for _, m := range marks {
		if len(m.Diff) > drift.MaxDiff || !utf8.ValidString(m.Diff) {
			t.Errorf("diff of mark %d: %d bytes, valid %v", m.Ref, len(m.Diff), utf8.ValidString(m.Diff))
		}
	}
	w.restart()
	w.settle()
	if got := len(w.marksOf(target, block)); got != 64 {
		t.Errorf("after a restart there are %d marks, want 64", got)
	}
}
