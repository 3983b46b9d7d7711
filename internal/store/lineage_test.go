package store

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"kaijutsu"
)

// forkWrite is the first write of a document that rests on another one.
func forkWrite(doc, parent, changes uint64, heads kaijutsu.Heads) Write {
	w := testWrite(doc, 0, 1, 100)
	w.Base = &Base{Doc: testDoc(parent), Heads: heads, Changes: changes}
	w.Anchor = w.Changes[0].Hash
	w.Actors = []Actor{{ID: "fork", Principal: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}}}
	return w
}

func forksOf(t *testing.T, s *Store, doc uint64) []kaijutsu.DocumentID {
	t.Helper()
	forks, err := s.Forks(context.Background(), testDoc(doc))
	if err != nil {
		t.Fatal(err)
	}
	return forks
}

func TestForkRestsUntilItIsWhole(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	parent := testWrite(1, 0, 5, 100)
	mustCommit(t, s, parent)
	w := forkWrite(2, 1, 5, parent.Heads)
	mustCommit(t, s, w)
	mustCommit(t, s, testWrite(2, 1, 2, 100))
	check := func(when string, base *Base) {
		t.Helper()
		d := mustLoad(t, s, 2)
		if !reflect.DeepEqual(d.Base, base) || d.Before != 5 || d.Anchor != w.Anchor {
			t.Errorf("%s: fork = base %+v, before %d, anchor %v; want %+v, 5, %v", when, d.Base, d.Before, d.Anchor, base, w.Anchor)
		}
		info, err := s.Info(context.Background(), testDoc(2))
		if err != nil || info.Changes != 8 || info.Before != 5 {
			t.Errorf("%s: Info = %+v, %v; want 8 changes, 5 of them before the log", when, info, err)
		}
		var want []kaijutsu.DocumentID
		if base != nil {
			want = append(want, testDoc(2))
		}
		if got := forksOf(t, s, 1); !slices.Equal(got, want) {
			t.Errorf("%s: Forks = %v, want %v", when, got, want)
		}
	}
	check("at first", w.Base)
	closeTest(t, s)
	s = openTest(t, Options{Dir: dir})
	check("after a restart", w.Base)
	if err := s.Delete(context.Background(), testDoc(1)); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Delete of what a fork rests on = %v, want ErrConflict", err)
	}
	mustPut(t, s, 2, testSnapshot(2, 2, 1000))
	check("when it is whole", nil)
	if err := s.Delete(context.Background(), testDoc(1)); err != nil {
		t.Errorf("Delete = %v", err)
	}
	closeTest(t, s)
	s = openTest(t, Options{Dir: dir})
	check("after another restart", nil)
	sweepNow(t, s)
	if got := leftovers(t, s); len(got) > 0 {
		t.Errorf("leftovers: %v", got)
	}
}

func TestLineageIsChecked(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	parent := testWrite(1, 0, 5, 100)
	mustCommit(t, s, parent)
	mustCommit(t, s, forkWrite(2, 1, 5, parent.Heads))
	late := testWrite(1, 5, 1, 100)
	late.Base = &Base{Doc: testDoc(2), Heads: late.Heads, Changes: 1}
	other := testWrite(2, 1, 1, 100)
	other.Anchor = other.Changes[0].Hash
	for name, c := range map[string]struct {
		w    Write
		want error
	}{
		"no such base":         {forkWrite(3, 9, 5, parent.Heads), kaijutsu.ErrNotFound},
		"a base without heads": {forkWrite(3, 1, 5, nil), kaijutsu.ErrInvalid},
		"a base of nothing":    {forkWrite(3, 1, 0, parent.Heads), kaijutsu.ErrInvalid},
		"a base too late":      {late, kaijutsu.ErrConflict},
		"another anchor":       {other, kaijutsu.ErrConflict},
		"an anchor alone":      {Write{Doc: testDoc(1), Anchor: parent.Changes[0].Hash}, kaijutsu.ErrInvalid},
	} {
		if err := commit(s, context.Background(), c.w); !errors.Is(err, c.want) {
			t.Errorf("Commit(%s) = %v, want %v", name, err, c.want)
		}
	}
	mustLoad(t, s, 1)
	mustLoad(t, s, 2)
	if got := allDocuments(t, s); len(got) != 2 {
		t.Errorf("Documents() = %v, want two", got)
	}
}

func TestDeletedForGood(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	mustCommit(t, s, testWrite(1, 0, 3, 100))
	big := testWrite(2, 0, 700, 300) // segments
	for i := range 600 {
		big.Actors = append(big.Actors, Actor{ID: kaijutsu.ActorID([]byte{1, byte(i), byte(i >> 8)}), Principal: kaijutsu.Principal{Name: "amy"}})
	}
	mustCommit(t, s, big)
	mustCommit(t, s, testWrite(2, 700, 20, 100))
	mustPut(t, s, 2, testSnapshot(2, 710, 1<<20))
	if err := s.Delete(context.Background(), testDoc(2)); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		ctx := context.Background()
		_, load := s.Load(ctx, testDoc(2))
		_, info := s.Info(ctx, testDoc(2))
		for what, err := range map[string]error{
			"Load": load, "Info": info, "Commit": commit(s, ctx, testWrite(2, 0, 1, 100)),
			"Commit where it ended": commit(s, ctx, testWrite(2, 720, 1, 100)),
			"PutSnapshot":           s.PutSnapshot(ctx, testDoc(2), testSnapshot(2, 1, 100)),
			"Delete":                s.Delete(ctx, testDoc(2)),
			"fork of it":            commit(s, ctx, forkWrite(3, 2, 5, big.Heads)),
		} {
			if !errors.Is(err, kaijutsu.ErrNotFound) {
				t.Errorf("%s: %s = %v, want ErrDeleted or ErrNotFound", when, what, err)
			}
		}
		if !errors.Is(load, ErrDeleted) {
			t.Errorf("%s: Load = %v, want ErrDeleted", when, load)
		}
		if err := s.Delete(ctx, testDoc(8)); !errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, ErrDeleted) {
			t.Errorf("%s: Delete of a stranger = %v, want ErrNotFound", when, err)
		}
		if got := allDocuments(t, s); !slices.Equal(got, []kaijutsu.DocumentID{testDoc(1)}) {
			t.Errorf("%s: Documents() = %v, want the other one", when, got)
		}
		for name, err := range s.Records("") {
			t.Errorf("%s: Records() has %q, %v; want none", when, name, err)
		}
	}
	check("at once")
	sweepNow(t, s)
	if got := leftovers(t, s); len(got) > 0 {
		t.Errorf("leftovers: %v", got)
	}
	closeTest(t, s)
	s = openTest(t, Options{Dir: dir})
	check("after a restart")
	checkChanges(t, mustLoad(t, s, 1), 1, 0, 3, 100)
}

// goldenLineage is what the golden database of format 2 holds.
func goldenLineage(t *testing.T, s *Store, fill bool) {
	t.Helper()
	parent := testWrite(1, 0, 5, 100)
	fork, whole := forkWrite(2, 1, 5, parent.Heads), forkWrite(3, 1, 5, parent.Heads)
	if fill {
		for _, w := range []Write{parent, fork, whole, testWrite(3, 1, 1, 100), testWrite(4, 0, 2, 100)} {
			mustCommit(t, s, w)
		}
		mustPut(t, s, 3, testSnapshot(3, 1, 300))
		if err := s.Delete(context.Background(), testDoc(4)); err != nil {
			t.Fatal(err)
		}
		sweepNow(t, s)
		return
	}
	if d := mustLoad(t, s, 2); !reflect.DeepEqual(d.Base, fork.Base) || d.Before != 5 || d.Anchor != fork.Anchor || len(d.Changes) != 1 {
		t.Errorf("fork = %+v, want one of %+v", d, fork.Base)
	}
	if d := mustLoad(t, s, 3); d.Base != nil || d.Before != 5 || d.Anchor != whole.Anchor || len(d.Changes) != 1 || d.Snapshot == nil || d.Snapshot.Covers != 1 {
		t.Errorf("whole fork = %+v, want one that rests on nothing", d)
	}
	if _, err := s.Load(context.Background(), testDoc(4)); !errors.Is(err, ErrDeleted) {
		t.Errorf("Load = %v, want ErrDeleted", err)
	}
	if got := allDocuments(t, s); len(got) != 3 {
		t.Errorf("Documents() = %v, want three", got)
	}
}

// TestLineageForEver opens a database of format 2.
func TestLineageForEver(t *testing.T) {
	path := filepath.Join("testdata", "store-2.tar.gz")
	packGolden(t, path, func(s *Store) { goldenLineage(t, s, true) })
	dir := t.TempDir()
	if err := unpack(path, dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s := openTest(t, Options{Dir: dir})
		goldenLineage(t, s, false)
		closeTest(t, s)
	}
}

// TestLineageDecodes: what is written is what is read.
func TestLineageDecodes(t *testing.T) {
	for name, row := range lineageRows() {
		if row[0][0] != classDocument {
			continue
		}
		got, err := openDocument(row[0], row[1])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := got.value(); !reflect.DeepEqual(seal(row[0], again.kind, again.payload), row[1]) {
			t.Errorf("%s reads as %+v, which is written otherwise", name, got)
		}
		for n := range len(row[1]) {
			kind, payload, _ := unseal(row[0], row[1])
			_, _ = decodeDocumentAs(kind, payload[:min(n, len(payload))]) // an error, no panic
		}
	}
}
