package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"kaijutsu"
)

// refuseAfterWriting has the committer write w in full and then believe that
// the disk failed in the middle of it.
func refuseAfterWriting(t *testing.T, s *Store, w Write) {
	t.Helper()
	ctx := context.Background()
	blobs := &staging{s: s}
	defer blobs.abandon()
	p := prepared{doc: w.Doc, heads: w.Heads, anchor: w.Anchor}
	if err := p.encode(ctx, blobs, w); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("input/output error")
	it := &item{rows: p.rowCount(), bytes: p.bytes}
	it.stage = func(b *batch) error {
		doubtful := newBatch(b.c)
		err := errors.Join(p.stage(doubtful), doubtful.write(s.db))
		b.c.fail(doubtful, nil, failed)
		return errors.Join(failed, err)
	}
	if err := s.submit(ctx, it); err == nil || err.Error() != failed.Error() {
		t.Fatalf("the write of unknown outcome: %v, want %v", err, failed)
	}
}

// TestNumbersOfRefusedWrites holds that the numbers of outbox entries have no
// gap when a write was refused that is on disk after all.
func TestNumbersOfRefusedWrites(t *testing.T) {
	ctx := context.Background()
	write := func(doc, index uint64, entries ...string) Write {
		w := testWrite(doc, index, 1, 100)
		for _, e := range entries {
			w.Outbox = append(w.Outbox, []byte(e))
		}
		return w
	}
	setUp := func(t *testing.T) (*Store, string) {
		dir := t.TempDir()
		s := openTest(t, Options{Dir: dir})
		stored, err := s.Commit(ctx, write(1, 0, "a", "b"))
		if err != nil || stored.FirstOutbox != 1 {
			t.Fatalf("Commit() = %+v, %v; want the first entry to be 1", stored, err)
		}
		refuseAfterWriting(t, s, write(1, 1, "c", "d", "e"))
		wantOutbox(t, s, 1, "a", "b")
		return s, dir
	}
	t.Run("the process goes on", func(t *testing.T) {
		s, dir := setUp(t)
		stored, err := s.Commit(ctx, write(2, 0, "x"))
		if err != nil || stored.FirstOutbox != 3 {
			t.Fatalf("Commit() = %+v, %v; want its entry to be 3", stored, err)
		}
		wantOutbox(t, s, 1, "a", "b", "x")
		if err := s.DeleteOutboxUpTo(ctx, 1); err != nil {
			t.Fatal(err)
		}
		sweepNow(t, s)
		refuseAfterWriting(t, s, write(2, 1, "f"))
		wantOutbox(t, s, 2, "b", "x")
		s = openTest(t, Options{Dir: copyDir(t, dir)})
		wantOutbox(t, s, 2, "b", "x", "f")
	})
	t.Run("the process ends", func(t *testing.T) {
		_, dir := setUp(t)
		s := openTest(t, Options{Dir: copyDir(t, dir)})
		wantOutbox(t, s, 1, "a", "b", "c", "d", "e")
		if d := mustLoad(t, s, 1); len(d.Changes) != 2 {
			t.Errorf("the document has %d changes, want 2: with its entries the write is back", len(d.Changes))
		}
	})
}

func wantOutbox(t *testing.T, s *Store, first uint64, want ...string) {
	t.Helper()
	var got []string
	for _, entry := range allOutbox(t, s) {
		if next := first + uint64(len(got)); entry.Seq != next {
			t.Errorf("entry %q has number %d, want %d", entry.Value, entry.Seq, next)
		}
		got = append(got, string(entry.Value))
	}
	if !slices.Equal(got, want) {
		t.Errorf("outbox = %q, want %q", got, want)
	}
	if a, z := s.OutboxEnds(); a != first || z != first+uint64(len(want))-1 || s.OutboxLen() != uint64(len(want)) {
		t.Errorf("OutboxEnds() = %d, %d, OutboxLen() = %d; want %d, %d, %d", a, z, s.OutboxLen(), first, first+uint64(len(want))-1, len(want))
	}
}

func TestSummaries(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	want := make(map[kaijutsu.DocumentID]Summary)
	const n = 2*summaryPage + 3
	for i := range uint64(n) {
		w := testWrite(i+1, 0, 1+int(i%3), 50)
		mustCommit(t, s, w)
		want[w.Doc] = Summary{w.Doc, w.Heads, uint64(len(w.Changes))}
	}
	fork := forkWrite(5000, 2, 1, want[testDoc(2)].Heads)
	mustCommit(t, s, fork)
	want[fork.Doc] = Summary{fork.Doc, fork.Heads, fork.Base.Changes + uint64(len(fork.Changes))}
	if err := s.Delete(context.Background(), testDoc(9)); err != nil {
		t.Fatal(err)
	}
	delete(want, testDoc(9))
	var last kaijutsu.DocumentID
	listed := 0
	for got, err := range s.Summaries() {
		if err != nil {
			t.Fatal(err)
		}
		if w := want[got.Doc]; fmt.Sprint(got) != fmt.Sprint(w) || last.Compare(got.Doc) >= 0 {
			t.Errorf("summary = %+v behind %s, want %+v", got, last, w)
		}
		last = got.Doc
		listed++
	}
	if listed != len(want) {
		t.Errorf("%d summaries, want %d", listed, len(want))
	}
	for got, err := range s.Summaries() {
		if err != nil || got.Doc.IsZero() {
			t.Errorf("the first summary = %+v, %v", got, err)
		}
		break
	}
}

// BenchmarkOutbox prunes an outbox of 200,000 entries, and reads behind it
// while the rows of what was pruned are deleted.
func BenchmarkOutbox(b *testing.B) {
	ctx := context.Background()
	s := openTest(b, Options{Dir: b.TempDir()})
	var index uint64
	for range b.N {
		b.StopTimer()
		for range 200 {
			w := testWrite(1, index, 1, 50)
			index++
			for range 1000 {
				w.Outbox = append(w.Outbox, make([]byte, 24))
			}
			mustCommit(b, s, w)
		}
		last := s.LastOutbox()
		b.StartTimer()
		if err := s.DeleteOutboxUpTo(ctx, last-1); err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range s.Outbox(0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 1 {
			b.Fatalf("%d entries, want 1", n)
		}
	}
}
