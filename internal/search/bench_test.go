package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

// prose writes n characters of words, few of them frequent.
type prose struct {
	rng   *rand.Rand
	zipf  *rand.Zipf
	words []string
}

func newProse() *prose {
	rng := rand.New(rand.NewPCG(7, 8))
	p := &prose{rng: rng, zipf: rand.NewZipf(rng, 1.1, 8, 19_999), words: make([]string, 20_000)}
	const letters = "etaoinshrdlucmfwypvbgkjqxz"
	for i := range p.words {
		var w strings.Builder
		for range 2 + rng.IntN(8) {
			w.WriteByte(letters[min(rng.IntN(26), rng.IntN(26))])
		}
		p.words[i] = w.String()
	}
	return p
}

func (p *prose) text(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(p.words[p.zipf.Uint64()])
		if p.rng.IntN(12) == 0 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()[:n]
}

const (
	benchContexts = 1000
	benchBlocks   = 100 // of each
)

// fill makes 1,000 contexts of 100 blocks of 200 characters; one block in
// 10,000 has "needle".
func (h *house) fill() {
	p := newProse()
	n := 0
	for i := range benchContexts {
		doc := h.context(fmt.Sprint(i))
		h.edit(doc, func(tx *blocks.Tx) error {
			for range benchBlocks {
				text := p.text(200)
				if n++; n%10_000 == 1 {
					text = text[:100] + "needle" + text[106:]
				}
				spec := blocks.BlockSpec{ID: blocks.NewID(time.Now()), Role: blocks.RoleModel, Content: text}
				if err := tx.InsertBlock(spec); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// BenchmarkSearch searches 100,000 blocks in 1,000 contexts, all of them
// closed.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	h := open(b, dir)
	began := time.Now()
	h.fill()
	b.Logf("filled in %v", time.Since(began))
	h.close()

	var before, after runtime.MemStats
	if err := removeAll(dir); err != nil {
		b.Fatal(err)
	}
	began = time.Now()
	h = open(b, dir)
	h.search(Query{Pattern: "needle"})
	b.Logf("built from nothing in %v", time.Since(began))
	began = time.Now()
	h.close()
	b.Logf("closed in %v", time.Since(began))
	runtime.GC()
	runtime.ReadMemStats(&before)
	began = time.Now()
	h = open(b, dir)
	h.search(Query{Pattern: "needle"})
	b.Logf("opened and searched in %v; %d documents were opened", time.Since(began), h.repo.Stats().Opened)
	runtime.GC()
	runtime.ReadMemStats(&after)
	s := h.index.Stats()
	b.Logf("heap %d MB with the store; %+v", int64(after.HeapAlloc-before.HeapAlloc)>>20, s)

	all := func(kaijutsu.DocumentID) bool { return true }
	for _, q := range []Query{
		{Pattern: "needle"},
		{Pattern: "(?i)NEEDLE"},
		{Pattern: `\bneedle\b|nonesuch`},
		{Pattern: "ee[a-d]le.*s"},
		{Pattern: "absent from all"},
		{Pattern: "e", MaxMatches: 100},
		{Pattern: `^\s*\d+$`},
		{Pattern: `(\w+) x+ (\w+)`},
	} {
		q.May = all
		b.Run(q.Pattern, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = h.search(q).Total
			}
			b.ReportMetric(float64(n), "matches")
		})
	}
	doc := h.context("busy")
	id := h.insert(doc, "text")[0]
	b.Run("needle after an append", func(b *testing.B) {
		for b.Loop() {
			h.edit(doc, func(tx *blocks.Tx) error { return tx.AppendText(id, ".") })
			h.search(Query{Pattern: "needle", May: all})
		}
	})
	b.Run("Locate", func(b *testing.B) {
		for b.Loop() {
			h.index.Locate(id)
		}
	})
}

func removeAll(dir string) error { return os.RemoveAll(filepath.Join(dir, "search")) }
