package kernel_test

import (
	"fmt"
	"testing"

	"kaijutsu"
)

// BenchmarkResolve finds one of 2,000 contexts by each of its names.
func BenchmarkResolve(b *testing.B) {
	w := newWorld(b)
	var last kaijutsu.DocumentID
	title := ""
	for i := range 2_000 {
		title = fmt.Sprintf("Context %d", i)
		last = w.context(title).Doc
	}
	w.label(last, "last")
	for _, name := range []struct{ of, text string }{
		{"id", last.Name()}, {"label", "last"}, {"title", title}, {"short", w.kernel.Short(last)},
	} {
		b.Run(name.of, func(b *testing.B) {
			for b.Loop() {
				if doc, err := w.kernel.Resolve(b.Context(), owner, name.text, kaijutsu.RightRead); err != nil || doc != last {
					b.Fatal(doc, err)
				}
			}
		})
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if all, err := w.kernel.Contexts(b.Context(), owner, true); err != nil || len(all) != 2_000 {
				b.Fatal(len(all), err)
			}
		}
	})
}
