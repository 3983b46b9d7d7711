package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"kaijutsu"
)

// holdCommitter makes the committer wait until release is called, so that
// what is sent meanwhile ends up in one batch.
func holdCommitter(t testing.TB, s *Store) (release func()) {
	t.Helper()
	held, free := make(chan struct{}), make(chan struct{})
	it := &item{stage: func(*batch) error {
		close(held)
		<-free
		return errors.New("held")
	}}
	if err := s.send(context.Background(), it); err != nil {
		t.Fatal(err)
	}
	<-held
	return func() {
		close(free)
		if err := s.wait(it); err == nil {
			t.Error("the holding item was committed")
		}
	}
}

// queued waits until n items are in the queue.
func queued(t testing.TB, s *Store, n int) {
	t.Helper()
	waitFor(t, func() bool { return len(s.queue) == n })
}

func TestGroupCommit(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	before := s.Stats()
	release := holdCommitter(t, s)
	const n = 300
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = commit(s, context.Background(), testWrite(uint64(i), 0, 1, 100)) })
	}
	queued(t, s, n)
	release()
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := s.Stats().Batches - before.Batches; got != 1 {
		t.Errorf("%d writes took %d transactions, want 1", n, got)
	}
	if got := s.Stats().BatchSizes[8]; got != 1 {
		t.Errorf("batches of 256 to 511 = %d, want 1", got)
	}
}

func TestBatchesAreBounded(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	before := s.Stats()
	release := holdCommitter(t, s)
	const n, size = 20, 100 << 10
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = commit(s, context.Background(), testWrite(uint64(i), 0, 1, size)) })
	}
	queued(t, s, n)
	release()
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := s.Stats().Batches - before.Batches; got != n/4 {
		t.Errorf("%d writes of %d bytes took %d transactions, want %d", n, size, got, n/4)
	}
}

func TestTransactionTooBig(t *testing.T) {
	// The committer is told that more fits a transaction than does.
	s := openTest(t, Options{Dir: t.TempDir()})
	release := holdCommitter(t, s)
	s.batchBytes, s.batchRows = 1<<30, 1<<30
	before := s.Stats()
	const n = 40
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = commit(s, context.Background(), testWrite(uint64(i), 0, 1, 100<<10)) })
	}
	queued(t, s, n)
	release()
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(n) {
		checkChanges(t, mustLoad(t, s, i), i, 0, 1, 100<<10)
	}
	if got := s.Stats().Batches - before.Batches; got < 8 || got >= n {
		t.Errorf("%d writes took %d transactions, want halves of halves", n, got)
	}
	if got := s.Stats().Documents; got != n {
		t.Errorf("Stats().Documents = %d, want %d", got, n)
	}
	// One that cannot be split.
	it := &item{rows: 1, bytes: 1}
	it.stage = func(b *batch) error {
		for i := range uint64(20) {
			b.put(numberKey('z', i), value{kindInline, make([]byte, 100<<10)}, 0)
		}
		return nil
	}
	if err := s.submit(context.Background(), it); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("an item larger than a transaction = %v, want %v", err, kaijutsu.ErrTooLarge)
	}
	mustCommit(t, s, testWrite(1, 1, 1, 10))
}

func TestOneFailsAlone(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	mustCommit(t, s, testWrite(0, 0, 1, 10))
	before := s.Stats()
	release := holdCommitter(t, s)
	cancelled, cancel := context.WithCancel(context.Background())
	type try struct {
		name string
		ctx  context.Context
		w    Write
		want error
		got  error
	}
	tries := []try{
		{name: "good", ctx: context.Background(), w: testWrite(1, 0, 1, 10)},
		{name: "cancelled", ctx: cancelled, w: testWrite(2, 0, 1, 10), want: context.Canceled},
		{name: "conflict", ctx: context.Background(), w: testWrite(0, 5, 1, 10), want: kaijutsu.ErrConflict},
		{name: "good too", ctx: context.Background(), w: testWrite(3, 0, 2, 10)},
	}
	var wg sync.WaitGroup
	for i := range tries {
		wg.Go(func() { tries[i].got = commit(s, tries[i].ctx, tries[i].w) })
	}
	queued(t, s, len(tries))
	cancel()
	release()
	wg.Wait()
	for _, try := range tries {
		if !errors.Is(try.got, try.want) || (try.want == nil) != (try.got == nil) {
			t.Errorf("%s: Commit() = %v, want %v", try.name, try.got, try.want)
		}
	}
	if got := s.Stats().Batches - before.Batches; got != 1 {
		t.Errorf("they took %d transactions, want 1", got)
	}
	if _, err := s.Load(context.Background(), testDoc(2)); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("the cancelled write's document = %v, want %v", err, kaijutsu.ErrNotFound)
	}
	if got := s.Stats().Documents; got != 3 {
		t.Errorf("Stats().Documents = %d, want 3", got)
	}
}

// TestSweeperComesLate hands the sweeper a chore that it found before the blob
// was published.
func TestSweeperComesLate(t *testing.T) {
	for _, tc := range []struct {
		name      string
		sameBatch bool
	}{{"after", false}, {"in the same transaction", true}} {
		t.Run(tc.name, func(t *testing.T) {
			s := openTest(t, Options{Dir: t.TempDir()})
			mustCommit(t, s, testWrite(1, 0, 1, 10))
			snap := testSnapshot(1, 1, 1<<20)
			blobs := &staging{s: s}
			chunk, err := blobs.add(context.Background(), snap.Chunk)
			if err != nil {
				t.Fatal(err)
			}
			number := blobs.chores[0]
			publish := &item{rows: 3, bytes: 1000, stage: func(b *batch) error {
				err := b.flip(testDoc(1), snap, chunk, s.chores.take())
				blobs.publish(b)
				return err
			}}
			release := holdCommitter(t, s)
			if err := s.send(context.Background(), publish); err != nil {
				t.Fatal(err)
			}
			swept := make(chan error)
			sweep := func() { swept <- s.doChore(context.Background(), number, chore{blob: chunk}) }
			if tc.sameBatch {
				go sweep()
				queued(t, s, 2)
			}
			release()
			if err := s.wait(publish); err != nil {
				t.Fatal(err)
			}
			blobs.keep()
			if !tc.sameBatch {
				go sweep()
			}
			if err := <-swept; err != nil {
				t.Errorf("doChore() = %v, want nothing done", err)
			}
			checkSnapshot(t, s, 1, &snap, 1, 10)
		})
	}
}

func TestCancelledWhileQueueIsFull(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	release := holdCommitter(t, s)
	for range cap(s.queue) {
		if err := s.send(context.Background(), &item{stage: func(*batch) error { return nil }}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- commit(s, ctx, testWrite(1, 0, 1, 10)) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Commit() = %v, want %v", err, context.Canceled)
	}
	release()
	mustCommit(t, s, testWrite(1, 0, 1, 10))
}

func TestCancelledLargeWrite(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- commit(s, ctx, testWrite(1, 0, 1, 60<<20)) }()
	waitFor(t, func() bool { return s.Stats().Batches > 5 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("Commit() = %v, want %v", err, context.Canceled)
	}
	waitFor(t, func() bool { return len(leftovers(t, s)) == 0 }) // without a restart
	if _, err := s.Load(context.Background(), testDoc(1)); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Load() = %v, want %v", err, kaijutsu.ErrNotFound)
	}
}

// TestManyAtOnce is for the race detector.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	const docs, writes = 8, 120
	var wg sync.WaitGroup
	for doc := range uint64(docs) {
		wg.Go(func() {
			index := uint64(0)
			for n := range uint64(writes) {
				w := crashWrite(doc, n, index)
				if err := commit(s, context.Background(), w); err != nil {
					t.Errorf("Commit() = %v", err)
					return
				}
				index += uint64(len(w.Changes))
				if n%30 == 29 {
					if err := s.PutSnapshot(context.Background(), testDoc(doc), crashSnapshot(doc, index-n%5)); err != nil {
						t.Errorf("PutSnapshot() = %v", err)
					}
				}
				if d, err := s.Load(context.Background(), testDoc(doc)); n%10 == 0 && (err != nil || !d.Heads.Equal(w.Heads)) {
					t.Errorf("Load() = heads %v, %v; want what was committed just now", d.Heads, err)
				}
			}
		})
		wg.Go(func() { // a reader of another's document
			for range writes {
				if _, err := s.Load(context.Background(), testDoc(doc)); err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
					t.Errorf("Load() = %v", err)
				}
			}
		})
	}
	wg.Go(func() {
		for i := range 200 {
			if err := s.PutRecord(context.Background(), fmt.Sprint(i%7), []byte("x")); err != nil {
				t.Error(err)
			}
			s.Stats()
		}
	})
	wg.Go(func() {
		for range 10 {
			for _, err := range s.Documents() {
				if err != nil {
					t.Error(err)
				}
			}
		}
	})
	wg.Wait()
	expect := make([]uint64, crashDocs)
	for doc := range docs {
		expect[doc] = writes
	}
	checkCrashed(t, s, expect, make([]uint64, crashDocs))
	closeTest(t, s)
	checkCrashed(t, openTest(t, Options{Dir: dir}), expect, make([]uint64, crashDocs))
}

// TestRowTooLarge writes a row that would end up in Badger's value log, with one
// that would not: only the first is refused, and the store goes on.
func TestRowTooLarge(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	if err := commit(s, context.Background(), testWrite(1, 0, 1, 100)); err != nil {
		t.Fatal(err)
	}
	heads := make(kaijutsu.Heads, maxHeads)
	for i := range heads {
		heads[i][0], heads[i][1] = byte(i>>8), byte(i)
	}
	large := testWrite(2, 0, 1, 100)
	large.Heads, large.Base = heads, &Base{Doc: testDoc(1), Heads: heads, Changes: 1}
	release := holdCommitter(t, s)
	var errs [2]error
	var wg sync.WaitGroup
	for i, w := range []Write{large, testWrite(3, 0, 1, 100)} {
		wg.Go(func() { errs[i] = commit(s, context.Background(), w) })
		queued(t, s, i+1)
	}
	release()
	wg.Wait()
	if !errors.Is(errs[0], kaijutsu.ErrTooLarge) {
		t.Errorf("a row of %d heads: %v, want an error wrapping ErrTooLarge", 2*maxHeads, errs[0])
	}
	if errs[1] != nil || s.Trouble() != nil {
		t.Errorf("the write beside it: %v; trouble: %v", errs[1], s.Trouble())
	}
	if _, err := s.Info(context.Background(), testDoc(2)); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Info of the refused document: %v, want an error wrapping ErrNotFound", err)
	}
}
