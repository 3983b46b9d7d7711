package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// fill makes blocks of 200 characters, every other one a record.
func (h *house) fill(context string, n int) (ids []blocks.ID) {
	h.t.Helper()
	id, err := kaijutsu.ParseContextID(context)
	if err != nil {
		h.t.Fatal(err)
	}
	for len(ids) < n {
		_, err := h.repo.Edit(h.t.Context(), id.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
			for range min(200, n-len(ids)) {
				spec := blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: words(len(ids), 200)}
				if len(ids)%2 == 1 {
					spec.Role = blocks.RoleModel
				}
				ids = append(ids, spec.ID)
				if err := tx.InsertBlock(spec); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	h.call(owner(), "kernel_search", `{"query": "settle"}`) // what is indexed now is not indexed later
	return ids
}

// words are n characters that are seldom the same.
func words(seed, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "word%d line%d\n", (seed*31+i*17)%9973, i)
	}
	return b.String()[:n]
}

func (h *house) bench(b *testing.B, name, in string) {
	b.Helper()
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		result, err := h.set.Call(b.Context(), owner(), name, json.RawMessage(in))
		if err != nil {
			b.Fatal(err)
		}
		size = len(result)
	}
	b.ReportMetric(float64(size), "result-B")
}

// BenchmarkBlockAppend is one durable append to a context of 10,000 blocks, a
// sync of the disk included.
func BenchmarkBlockAppend(b *testing.B) {
	h := start(b)
	c := h.context("Large")
	ids := h.fill(c, 10_000)
	h.bench(b, "block_append", quote(`{"context": %, "block_id": %, "text": "line\n"}`, c, string(ids[0])))
}

// BenchmarkBlockAppendBuffered is one small append that waits for others.
func BenchmarkBlockAppendBuffered(b *testing.B) {
	h := start(b)
	c := h.context("Large")
	ids := h.fill(c, 10_000)
	h.bench(b, "block_append", quote(`{"context": %, "block_id": %, "text": "x"}`, c, string(ids[0])))
}

func BenchmarkBlockList(b *testing.B) {
	h := start(b)
	c := h.context("Large")
	h.fill(c, 10_000)
	h.bench(b, "block_list", quote(`{"context": %, "limit": 10000}`, c))
}

func BenchmarkBlockRead(b *testing.B) {
	h := start(b)
	c := h.context("Large")
	ids := h.fill(c, 10_000)
	h.bench(b, "block_read", quote(`{"context": %, "block_id": %}`, c, string(ids[5000])))
}

// BenchmarkKernelSearch looks into 1,000 contexts of 100 blocks each.
func BenchmarkKernelSearch(b *testing.B) {
	h := start(b)
	for i := range 1000 {
		c := h.context(fmt.Sprintf("Context %d", i))
		h.fill(c, 100)
		if i%100 == 7 {
			h.block(c, "the needle in the hay", "")
		}
	}
	h.call(owner(), "kernel_search", `{"query": "needle"}`) // everything is read
	for _, bb := range []struct{ name, query string }{
		{"selective", `needle in \w+ hay`}, {"one_word", "word31 "}, {"none", "absent"},
	} {
		b.Run(bb.name, func(b *testing.B) { h.bench(b, "kernel_search", quote(`{"query": %}`, bb.query)) })
	}
}

// BenchmarkBlockBlame is the blame of a block of 100,000 characters that five
// people wrote in 20,000 changes.
func BenchmarkBlockBlame(b *testing.B) {
	h := start(b)
	c := h.context("Blame")
	id := blocks.ID(h.block(c, "", ""))
	doc := h.replica(c, amy).doc
	for i := range 20_000 {
		by := kaijutsu.Principal{Name: fmt.Sprintf("writer %d", i%5), Kind: kaijutsu.Person}
		_, err := h.repo.Edit(b.Context(), doc, repo.Edit{By: by}, func(_ repo.View, tx *blocks.Tx) error {
			return tx.SpliceText(id, (i*7919)%(5*i+1), 0, "word ")
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, by := range []string{"characters", "lines"} {
		b.Run(by, func(b *testing.B) {
			h.bench(b, "block_blame", quote(`{"context": %, "block_id": %, "by": %, "text": false}`, c, string(id), by))
		})
	}
}
