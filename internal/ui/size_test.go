package ui

import (
	"os"
	"path"
	"testing"
)

// What the scripts of the page may weigh, compressed. The engine, which is
// WebAssembly, is apart.
const (
	maxScripts      = 600_000
	maxFirstScripts = 350_000
)

func TestSize(t *testing.T) {
	weigh := func(name string) int {
		t.Helper()
		b, err := os.ReadFile("dist/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if z := newFile(name, func() []byte { return b }).gzipped(); z != nil {
			return len(z)
		}
		return len(b)
	}
	m := readManifest(t)
	all, first, engine := 0, 0, 0
	for name := range m.Files {
		switch path.Ext(name) {
		case ".js":
			all += weigh(name)
		case ".wasm":
			engine += weigh(name)
		}
	}
	for _, name := range m.First {
		first += weigh(name)
	}
	t.Logf("scripts %d bytes, %d of them at first; engine %d bytes", all, first, engine)
	if all > maxScripts || first > maxFirstScripts || first == 0 {
		t.Errorf("scripts weigh %d bytes, at first %d; want at most %d and %d", all, first, maxScripts, maxFirstScripts)
	}
}
