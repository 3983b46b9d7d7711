package authorship_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/repo"
)

// BenchmarkAttribution finds out who wrote the 5,000 lines of a file with
// 100,000 changes by three principals, and makes and encodes the note of it.
func BenchmarkAttribution(b *testing.B) {
	const lines, changes = 5000, 100_000
	w := newWorld(b)
	doc := w.context("app@main")
	id := blocks.NewID(w.clock.now())
	w.edit(doc, repo.Edit{By: authorship.Git}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: id, Kind: blocks.KindFile, Role: blocks.RoleSystem, Form: blocks.FormText, Content: strings.Repeat("a line\n", lines)})
	})
	w.typeMany(b, doc, changes)
	text, heads := w.content(doc, id)
	spec := authorship.NoteSpec{Doc: doc, Heads: heads, Files: []authorship.NoteFile{{Path: "a", Block: id, Data: []byte(text)}}}
	var size, entries int
	for b.Loop() {
		note, err := w.book.Note(b.Context(), spec)
		if err != nil {
			b.Fatal(err)
		}
		size, entries = len(note.Encode()), len(note.Files[0].Entries)
	}
	b.ReportMetric(float64(size), "note-bytes")
	b.ReportMetric(float64(entries), "entries")
	b.ReportMetric(float64(len(w.lines(doc, id))), "lines")
}

// typeMany makes many changes in a text, a character each, by three who take
// turns; they come as another node's would, many at a time.
func (w *world) typeMany(b *testing.B, doc kaijutsu.DocumentID, changes int) {
	b.Helper()
	var first *amfile.Change // the one that made the text
	err := w.repo.View(w.ctx, doc, func(v repo.View) (err error) {
		first, err = v.Log().Change(v.Log().Len() - 1)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	var text uint64
	var there []uint64 // the characters that were there, but line feeds
	for i, op := range first.Ops {
		switch id := first.StartOp + uint64(i); {
		case op.Action == amfile.MakeText:
			text = id
		case op.Insert && string(op.Value.Raw) != "\n":
			there = append(there, id)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	in := repo.Delivery{Node: "there", Signers: make(map[kaijutsu.ActorID]repo.Signer)}
	seqs := make(map[kaijutsu.ActorID]uint64)
	last, next := first.Hash, first.MaxOp()+1
	for i := range changes {
		by := editors[i/50%len(editors)]
		actor := kaijutsu.ActorID("the actor of " + by.Name)
		in.Signers[actor] = repo.Signer{By: by}
		seqs[actor]++
		k := rng.IntN(len(there))
		at := amfile.OpID{Counter: there[k], Actor: 1}
		op := amfile.Op{Obj: amfile.OpID{Counter: text, Actor: 1}, Seq: true, Elem: at}
		switch i % 10 {
		case 0:
			op.Action, op.Pred = amfile.Delete, []amfile.OpID{at}
			there = slices.Delete(there, k, k+1)
		default:
			op.Action, op.Insert, op.Value = amfile.Put, true, amfile.StringValue("x")
		}
		c := &amfile.Change{
			Deps: []kaijutsu.ChangeHash{last}, Actors: []kaijutsu.ActorID{actor, first.Author()}, Seq: seqs[actor], StartOp: next,
			Time: w.clock.now().Unix() + int64(i), Ops: []amfile.Op{op},
		}
		if err := amfile.EncodeChange(c); err != nil {
			b.Fatal(err)
		}
		last, next = c.Hash, next+1
		if in.Changes = append(in.Changes, c); len(in.Changes) == 5000 || i == changes-1 {
			if _, err := w.repo.Absorb(w.ctx, doc, in); err != nil {
				b.Fatal(err)
			}
			in.Changes = nil
		}
	}
}
