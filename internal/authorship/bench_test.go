package authorship_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/repo"
)

// BenchmarkAttribution says who wrote the 5,000 lines of a file with 100,000
// changes by three principals, and makes the note of it.
func BenchmarkAttribution(b *testing.B) {
	const lines, changes = 5000, 100_000
	w := newWorld(b)
	doc := w.context("app@main")
	id, _ := w.file(authorship.Git, doc, strings.Repeat("a line of the file as it was in git\n", lines))
	w.typeMany(b, doc, id, changes)
	text, heads := w.content(doc, id)
	spec := authorship.NoteSpec{Doc: doc, Heads: heads, Files: []authorship.NoteFile{{Path: "a", Block: id, Data: []byte(text)}}}
	var size, entries int
	var inLines time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := w.book.Lines(b.Context(), doc, id); err != nil {
			b.Fatal(err)
		}
		inLines += time.Since(began)
		note, err := w.book.Note(b.Context(), spec)
		if err != nil {
			b.Fatal(err)
		}
		size, entries = len(note.Encode()), len(note.Files[0].Entries)
	}
	b.ReportMetric(float64(inLines.Milliseconds())/float64(b.N), "ms/lines")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)-float64(inLines.Milliseconds())/float64(b.N), "ms/note")
	b.ReportMetric(float64(size), "note-bytes")
	b.ReportMetric(float64(entries), "entries")
	b.ReportMetric(float64(len(w.lines(doc, id))), "lines")
}

// typeMany makes many small changes in a block, each by one of three; they come
// as another node's would, many at a time.
func (w *world) typeMany(b *testing.B, doc kaijutsu.DocumentID, id blocks.ID, changes int) {
	b.Helper()
	var m *blocks.Model
	var deps kaijutsu.Heads
	var startOp uint64
	err := w.repo.View(w.ctx, doc, func(v repo.View) (err error) {
		m, err = blocks.ModelAt(v.Log(), v.Heads)
		for i := range v.Log().Len() {
			h, err := v.Log().Header(i)
			if err != nil {
				return err
			}
			startOp = max(startOp, h.MaxOp()+1)
		}
		deps = v.Heads
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	signers := make(map[kaijutsu.ActorID]repo.Signer)
	var actors [3]kaijutsu.ActorID
	var seqs [3]uint64
	for k, by := range editors {
		actors[k] = kaijutsu.ActorID("the actor of " + by.Name)
		signers[actors[k]] = repo.Signer{By: by}
	}
	size := 5000 * 36
	in := repo.Delivery{Node: "there", Signers: signers}
	flush := func() {
		if _, err := w.repo.Absorb(w.ctx, doc, in); err != nil {
			b.Fatal(err)
		}
		in.Changes = nil
	}
	for i := range changes {
		k := rng.IntN(len(editors))
		seqs[k]++
		c, err := m.Commit(blocks.CommitOptions{Actor: actors[k], Seq: seqs[k], StartOp: startOp, Deps: deps, Time: w.clock.Add(time.Duration(i) * time.Second)}, func(tx *blocks.Tx) error {
			at, text := rng.IntN(size), "typed"
			switch i % 10 {
			case 0:
				text = "a new line\n"
			case 1:
				size -= 5
				return tx.SpliceText(id, at/2, 5, "")
			}
			size += len(text)
			return tx.SpliceText(id, at, 0, text)
		})
		if err != nil {
			b.Fatal(err)
		}
		m.Apply(c)
		startOp += uint64(len(c.Ops))
		deps = kaijutsu.NewHeads(c.Hash)
		if in.Changes = append(in.Changes, c); len(in.Changes) == 2000 {
			flush()
		}
	}
	if len(in.Changes) > 0 {
		flush()
	}
}
