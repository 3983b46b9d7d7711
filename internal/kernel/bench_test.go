package kernel_test

import (
	"fmt"
	"testing"

	"kaijutsu"
)

// BenchmarkResolve finds one of 1,000 contexts.
func BenchmarkResolve(b *testing.B) {
	w := newWorld(b)
	var id string
	for n := range 1000 {
		id = w.context(fmt.Sprintf("Context %d", n)).ID
	}
	for name, of := range map[string]string{"id": id, "title": "Context 500", "beginning": id[:23]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := w.kernel.Resolve(b.Context(), owner, of, kaijutsu.RightEdit); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.kernel.Contexts(b.Context(), owner, false); err != nil {
				b.Fatal(err)
			}
		}
	})
}
