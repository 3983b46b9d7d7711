package drift_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"kaijutsu/blocks"
	"kaijutsu/drift"
)

// long returns a conversation of at least so many bytes: the three transcripts
// over and over, their numbers and some of their words changed so that no
// sentence is there twice.
func long(t testing.TB, size int) drift.Source {
	var src drift.Source
	for n, total := 0, 0; total < size; n++ {
		for _, name := range transcriptNames {
			part := readTranscript(t, name)
			src.Title, src.Context, src.Heads = part.Title, part.Context, part.Heads
			for _, p := range part.Blocks {
				p.ID = blocks.ID(fmt.Sprintf("0198c0de-0000-7000-8000-%012d", len(src.Blocks)+1))
				p.Content = strings.NewReplacer(" the ", fmt.Sprintf(" the%d ", n), " is ", fmt.Sprintf(" is not%d ", n)).Replace(p.Content)
				src.Blocks = append(src.Blocks, p)
				total += len(p.Content)
			}
		}
	}
	return src
}

func BenchmarkExtractive(b *testing.B) {
	for _, size := range []int{40 << 10, 200 << 10, 2 << 20} {
		for _, focus := range []string{"", "what was decided about connections?"} {
			req := drift.Request{Source: long(b, size), Focus: focus}
			b.Run(fmt.Sprintf("%dKB/focus=%v", size>>10, focus != ""), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					if _, err := drift.Extractive().Distil(context.Background(), req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkItem(b *testing.B) {
	it := stagedItem(b)
	raw, err := drift.EncodeItem(it)
	if err != nil {
		b.Fatal(err)
	}
	meta, err := it.Meta.Encode("")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if _, err := drift.EncodeItem(it); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := drift.DecodeItem(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("meta", func(b *testing.B) {
		for b.Loop() {
			if _, ok := drift.ParseMeta(meta); !ok {
				b.Fatal("not read")
			}
		}
	})
}
