package provenance_test

import (
	"os"
	"path/filepath"
	"testing"

	"kaijutsu"
)

// TestTheCache holds that an index starts from its file, and does as well with
// one that is damaged, of another kernel, or gone.
func TestTheCache(t *testing.T) {
	w := newWorld(t)
	source, target, text, block := w.cited()
	w.replace(source, text, "x")
	w.wantMarks(target, block, "1 changed, 2 changed")
	path := filepath.Join(w.dir, "drift", "drifts")
	for _, damage := range []struct {
		name string
		f    func([]byte) []byte
	}{
		{"as it was", func(b []byte) []byte { return b }},
		{"cut", func(b []byte) []byte { return b[:len(b)/2] }},
		{"a bit is another", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }},
		{"empty", func([]byte) []byte { return nil }},
		{"of another release", func(b []byte) []byte { return append([]byte("kaijutsu drifts 9 00000000\n"), b...) }},
	} {
		t.Run(damage.name, func(t *testing.T) {
			w.close()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage.f(b), 0o600); err != nil {
				t.Fatal(err)
			}
			w.noted.Store(nil)
			w.open()
			w.wantMarks(target, block, "1 changed, 2 changed")
			w.wantEdges(owner, arrow(source, target, "push 1"))
			w.wantInbox(w.member("amy"+damage.name[:1], kaijutsu.RightRead), target, "*a claim [1] [2]")
			w.replace(source, text, poem)
			w.wantMarks(target, block, "")
			w.replace(source, text, "x")
			w.wantMarks(target, block, "1 changed, 2 changed")
		})
	}
}
