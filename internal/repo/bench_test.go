package repo_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// fillContext makes a context of blocks of 200 characters, half of them records.
func fillContext(t testing.TB, r *repo.Repo, n int) (kaijutsu.DocumentID, []blocks.ID) {
	t.Helper()
	cid, err := r.CreateContext(t.Context(), amy, "Large")
	if err != nil {
		t.Fatal(err)
	}
	var ids []blocks.ID
	for len(ids) < n {
		_, err := r.Edit(t.Context(), cid.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
			for range min(100, n-len(ids)) {
				spec := blocks.BlockSpec{ID: blocks.NewID(time.Now()), Role: blocks.RoleUser, Content: strings.Repeat("0123456789", 20)}
				if len(ids)%2 == 1 {
					spec.Role = blocks.RoleModel
				}
				if err := tx.InsertBlock(spec); err != nil {
					return err
				}
				ids = append(ids, spec.ID)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return cid.Document(), ids
}

func benchHouse(b *testing.B) (*repo.Repo, *store.Store) { return benchHouseWith(b, false) }

func benchHouseWith(b *testing.B, traced bool) (*repo.Repo, *store.Store) {
	log := slog.New(slog.DiscardHandler)
	s, err := store.Open(store.Options{Dir: b.TempDir(), Log: log})
	if err != nil {
		b.Fatal(err)
	}
	cfg := repo.Config{Log: log, Store: s}
	if traced {
		cfg.Trace = func(kaijutsu.DocumentID) bool { return true }
	}
	r := repo.Start(cfg)
	b.Cleanup(func() {
		if err := r.Close(); err != nil {
			b.Error(err)
		}
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return r, s
}

// BenchmarkAppend appends 20 characters to blocks of a context of 10,000. The
// time in the owner, before the disk, is reported apart from the whole.
func BenchmarkAppend(b *testing.B) {
	r, _ := benchHouse(b)
	doc, ids := fillContext(b, r, 10_000)
	text := strings.Repeat("append to ", 2)
	var whole, inOwner []time.Duration
	b.ResetTimer()
	for i := range b.N {
		id := ids[i*2%len(ids)]
		began := time.Now()
		took, err := r.EditTimed(b.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(id, text) })
		if err != nil {
			b.Fatal(err)
		}
		whole, inOwner = append(whole, time.Since(began)), append(inOwner, took)
	}
	b.StopTimer()
	report := func(name string, d []time.Duration) {
		slices.Sort(d)
		b.ReportMetric(float64(d[len(d)/2].Microseconds()), fmt.Sprintf("p50-%s-µs", name))
		b.ReportMetric(float64(d[len(d)*99/100].Microseconds()), fmt.Sprintf("p99-%s-µs", name))
	}
	report("durable", whole)
	report("owner", inOwner)
}

// BenchmarkFork forks a context of 10,000 blocks and reports the bytes of the
// changes that this adds.
func BenchmarkFork(b *testing.B) {
	r, s := benchHouse(b)
	doc, _ := fillContext(b, r, 10_000)
	before := s.Stats()
	b.ResetTimer()
	for range b.N {
		if _, err := r.Fork(b.Context(), amy, doc, nil, "Fork"); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(s.Stats().Bytes-before.Bytes)/float64(b.N), "change-bytes/fork")
}
