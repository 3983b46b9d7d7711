package repo_test

import (
	"fmt"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
)

// typed makes a context in which one block is typed, n changes in all.
func typed(t testing.TB, r *repo.Repo, n int) kaijutsu.DocumentID {
	t.Helper()
	doc := newContext(t, r, "Typed")
	id := insert(t, r, doc, "x")
	var writers sync.WaitGroup
	const crowd = 50
	for w := range crowd {
		writers.Go(func() {
			for i := w; i < n-3; i += crowd {
				_, err := r.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(id, "y") })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	return doc
}

// deliveries returns the parts that bring all of a document, as Since gives
// them, decoded.
func deliveries(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID, have kaijutsu.Heads) []repo.Delivery {
	t.Helper()
	from, err := r.Origin(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	var out []repo.Delivery
	err = r.Since(t.Context(), doc, have, func(part []repo.Change) error {
		d := repo.Delivery{Node: "other", Signers: make(map[kaijutsu.ActorID]repo.Signer), Anchor: from.Anchor}
		for _, c := range part {
			decoded, err := amfile.DecodeChange(c.Raw)
			if err != nil {
				return err
			}
			d.Changes = append(d.Changes, decoded)
			d.Signers[c.Author()] = repo.Signer{By: c.By, Via: c.Via}
		}
		out = append(out, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func absorbAll(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID, parts []repo.Delivery) (taken int) {
	t.Helper()
	for _, d := range parts {
		got, err := r.Absorb(t.Context(), doc, d)
		if err != nil {
			t.Fatal(err)
		}
		taken += got.Taken
	}
	return taken
}

// BenchmarkAbsorb brings a document of 100,000 changes, and 1,000 of 100 from
// 16 goroutines, with nobody and with somebody following.
func BenchmarkAbsorb(b *testing.B) {
	from, _ := benchHouse(b)
	const changes = 100_000
	doc := typed(b, from, changes)
	large := deliveries(b, from, doc, nil)
	var many [][]repo.Delivery
	var docs []kaijutsu.DocumentID
	for range 1000 {
		doc := typed(b, from, 100)
		docs, many = append(docs, doc), append(many, deliveries(b, from, doc, nil))
	}
	for _, traced := range []bool{false, true} {
		b.Run(fmt.Sprintf("one/traced=%v", traced), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				r, _ := benchHouseWith(b, traced)
				b.StartTimer()
				if got := absorbAll(b, r, doc, large); got != changes {
					b.Fatalf("took %d changes, want %d", got, changes)
				}
			}
		})
		b.Run(fmt.Sprintf("many/traced=%v", traced), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				r, _ := benchHouseWith(b, traced)
				b.StartTimer()
				done := make(chan bool)
				for worker := range 16 {
					go func() {
						for i := worker; i < len(docs); i += 16 {
							absorbAll(b, r, docs[i], many[i])
						}
						done <- true
					}()
				}
				for range 16 {
					<-done
				}
			}
		})
	}
}

// BenchmarkReplay resumes near the end of a document of 100,000 changes: for
// the first time, and again a little earlier or later.
func BenchmarkReplay(b *testing.B) {
	from, _ := benchHouse(b)
	const changes = 100_000
	doc := typed(b, from, changes)
	resume := func(b *testing.B, r *repo.Repo, at uint64) {
		n := 0
		err := r.Replay(b.Context(), doc, at, 0, func(uint64, repo.Change) error { n++; return nil })
		if err != nil || n != int(changes-at) {
			b.Fatalf("Replay(%d) = %v after %d changes", at, err, n)
		}
	}
	parts := deliveries(b, from, doc, nil)
	b.Run("first", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			r, _ := benchHouse(b)
			absorbAll(b, r, doc, parts)
			b.StartTimer()
			resume(b, r, changes-1000)
		}
	})
	b.Run("again", func(b *testing.B) {
		resume(b, from, changes-1200)
		b.ResetTimer()
		for i := range b.N {
			resume(b, from, changes-1000+uint64(i%500))
		}
	})
}
