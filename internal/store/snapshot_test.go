package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"

	"kaijutsu"
)

func mustPut(t testing.TB, s *Store, doc uint64, snap Snapshot) {
	t.Helper()
	if err := s.PutSnapshot(context.Background(), testDoc(doc), snap); err != nil {
		t.Fatalf("PutSnapshot(%d, covers %d) = %v", doc, snap.Covers, err)
	}
}

// testSnapshot is determined by its arguments.
func testSnapshot(doc, covers uint64, size int) Snapshot {
	return Snapshot{Covers: covers, Chunk: testChange(doc, 1<<40+covers, size).Raw}
}

// checkSnapshot loads a document and compares all of it.
func checkSnapshot(t testing.TB, s *Store, doc uint64, want *Snapshot, changes uint64, size int) {
	t.Helper()
	d := mustLoad(t, s, doc)
	if !reflect.DeepEqual(d.Snapshot, want) {
		t.Errorf("snapshot of document %d differs from what was put", doc)
	}
	from := uint64(0)
	if want != nil {
		from = want.Covers
	}
	checkChanges(t, d, doc, from, changes, size)
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	type step struct {
		commit int    // changes in one write; or
		covers uint64 // a snapshot of size
		size   int
	}
	for _, tc := range []struct {
		name  string
		size  int // of changes
		steps []step
	}{
		{"everything", 100, []step{{commit: 5}, {covers: 5, size: 1000}}},
		{"the beginning", 100, []step{{commit: 1}, {commit: 1}, {commit: 1}, {covers: 1, size: 1000}}},
		{"one after another", 100, []step{{commit: 5}, {covers: 3, size: 1000}, {commit: 5}, {covers: 7, size: 10}, {covers: 10, size: 300 << 10}}},
		{"the same again", 100, []step{{commit: 5}, {covers: 4, size: 1000}, {covers: 4, size: 2000}}},
		{"exactly a part", 100, []step{{commit: 5}, {covers: 5, size: partBytes}}},
		{"many parts", 100, []step{{commit: 5}, {covers: 5, size: 3<<20 + 1}, {commit: 1}, {covers: 6, size: 2 << 20}}},
		{"more rows than a transaction deletes", 10, []step{{commit: 500}, {commit: 500}, {commit: 500}, {commit: 1}, {covers: 1400, size: 10}}},
		{"up to a segment", 20, []step{{commit: 3}, {commit: 2000}, {covers: 3, size: 10}}},
		{"into a segment", 20, []step{{commit: 3}, {commit: 2000}, {commit: 2}, {covers: 1000, size: 10}}},
		{"into a segment, twice", 20, []step{{commit: 2000}, {covers: 1, size: 10}, {covers: 1999, size: 10}, {commit: 1}}},
		{"behind a segment", 20, []step{{commit: 2000}, {commit: 2000}, {covers: 2000, size: 10}, {covers: 2500, size: 10}, {commit: 1}, {covers: 4001, size: 10}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			s := openTest(t, Options{Dir: dir})
			mustCommit(t, s, testWrite(8, 0, 2, 50)) // a neighbour
			var changes uint64
			var want *Snapshot
			for i, step := range tc.steps {
				if step.commit > 0 {
					mustCommit(t, s, testWrite(7, changes, step.commit, tc.size))
					changes += uint64(step.commit)
				} else {
					snap := testSnapshot(7, step.covers, step.size)
					mustPut(t, s, 7, snap)
					want = &snap
				}
				checkSnapshot(t, s, 7, want, changes, tc.size)
				if i%2 == 0 {
					sweepNow(t, s)
					checkSnapshot(t, s, 7, want, changes, tc.size)
				}
			}
			closeTest(t, s)
			s = openTest(t, Options{Dir: dir})
			sweepNow(t, s)
			checkSnapshot(t, s, 7, want, changes, tc.size)
			checkChanges(t, mustLoad(t, s, 8), 8, 0, 2, 50)
			if got := leftovers(t, s); len(got) > 0 {
				t.Errorf("leftovers: %v", got)
			}
			info, err := s.Info(context.Background(), testDoc(7))
			if err != nil || info.Changes != changes || info.Covers != want.Covers || info.Bytes != changes*uint64(tc.size) {
				t.Errorf("Info() = %+v, %v; want %d changes of %d bytes, %d covered", info, err, changes, tc.size, want.Covers)
			}
		})
	}
}

func TestRefusedSnapshots(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	mustCommit(t, s, testWrite(1, 0, 10, 10))
	mustPut(t, s, 1, testSnapshot(1, 5, 10))
	for _, tc := range []struct {
		name string
		doc  uint64
		snap Snapshot
		want error
	}{
		{"no such document", 2, testSnapshot(1, 1, 10), kaijutsu.ErrNotFound},
		{"too new", 1, testSnapshot(1, 11, 10), kaijutsu.ErrInvalid},
		{"too old", 1, testSnapshot(1, 4, 10), kaijutsu.ErrInvalid},
		{"of nothing", 1, testSnapshot(1, 0, 10), kaijutsu.ErrInvalid},
		{"empty", 1, Snapshot{Covers: 6}, kaijutsu.ErrInvalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := s.PutSnapshot(context.Background(), testDoc(tc.doc), tc.snap); !errors.Is(err, tc.want) {
				t.Errorf("PutSnapshot() = %v, want %v", err, tc.want)
			}
		})
	}
	want := testSnapshot(1, 5, 10)
	checkSnapshot(t, s, 1, &want, 10, 10)
}

// TestLargeSnapshot needs memory for two of them.
func TestLargeSnapshot(t *testing.T) {
	t.Parallel()
	size := 40 << 20
	if os.Getenv("KJ_FULL") != "" {
		size = 200 << 20
	}
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	mustCommit(t, s, testWrite(1, 0, 3, 10))
	want := testSnapshot(1, 2, size)
	done := make(chan int)
	stop := make(chan struct{})
	go func() { // others are not held up
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				done <- n
				return
			default:
				mustCommit(t, s, testWrite(2, uint64(n), 1, 10))
			}
		}
	}()
	mustPut(t, s, 1, want)
	close(stop)
	if n := <-done; n < 10 {
		t.Errorf("%d writes beside a snapshot of %d bytes", n, size)
	}
	checkSnapshot(t, s, 1, &want, 3, 10)
	closeTest(t, s)
	checkSnapshot(t, openTest(t, Options{Dir: dir}), 1, &want, 3, 10)
}

// TestManySnapshots makes sure that the store does not grow with what it
// deletes.
func TestManySnapshots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	const size, n = 2 << 20, 40
	for i := range uint64(n) {
		mustCommit(t, s, testWrite(1, i, 1, 100))
		mustPut(t, s, 1, testSnapshot(1, i+1, size))
	}
	sweepNow(t, s)
	t.Logf("%s on disk for %s of live data after writing %s",
		mebibytes(s.Stats().DiskBytes), mebibytes(size), mebibytes(n*size))
	if got := s.Stats().DiskBytes; got > n*size*3/4 {
		t.Errorf("%s on disk for %s of live data", mebibytes(got), mebibytes(size))
	}
	want := testSnapshot(1, n, size)
	checkSnapshot(t, s, 1, &want, n, 100)
}

func ExampleStore_PutSnapshot() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	s, err := Open(Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	defer s.Close()

	ctx := context.Background()
	w := testWrite(1, 0, 3, 150)
	if err := commit(s, ctx, w); err != nil {
		panic(err)
	}
	if err := s.PutSnapshot(ctx, w.Doc, Snapshot{Covers: 2, Chunk: []byte("the first two")}); err != nil {
		panic(err)
	}
	d, err := s.Load(ctx, w.Doc)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s, then %d change from index %d\n", d.Snapshot.Chunk, len(d.Changes), d.Changes[0].Index)
	// Output: the first two, then 1 change from index 2
}
