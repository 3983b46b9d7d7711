package blocks

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/automerge/automerge-go"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// The native engine and amfile must agree on every document: heads, hashes and
// the bytes of all changes, whoever of them wrote the chunk.

func TestEngineAndFormatAgreeOnStoredDocuments(t *testing.T) {
	files, err := filepath.Glob("../internal/amfile/testdata/documents/*.automerge")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stored documents: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".automerge"), func(t *testing.T) {
			wantEngineAgrees(t, readFile(t, file))
		})
	}
}

func TestEngineAndFormatAgreeOnRealHistories(t *testing.T) {
	n := 2000
	if os.Getenv("KJ_FULL") != "" {
		n = 50_000
	}
	documents := realDocuments(t, 41, n)
	for name, chunk := range documents {
		t.Run(name, func(t *testing.T) { wantEngineAgrees(t, chunk) })
	}
	t.Logf("%d documents", len(documents))
}

// realDocuments returns documents with about so many changes together, made by
// internal/interop/generate.mjs, by name.
func realDocuments(t *testing.T, seed, changes int) map[string][]byte {
	script := fmt.Sprintf(`process.argv.push("--seed", "%d", "--changes", "%d"); await import("./generate.mjs")`, seed, changes)
	rest := runNode(t, []byte(script))
	number := func() int {
		n := binary.BigEndian.Uint32(rest)
		rest = rest[4:]
		return int(n)
	}
	block := func(size int) []byte {
		b := rest[:size]
		rest = rest[size:]
		return b
	}
	documents := map[string][]byte{}
	for len(rest) > 0 {
		name := string(block(number()))
		documents[name] = block(number())
		for n := number(); n > 0; n-- {
			block(number())
		}
		block(32 * number())
		block(number())
	}
	return documents
}

func wantEngineAgrees(t *testing.T, chunk []byte) {
	t.Helper()
	changes, err := amfile.DecodeDocument(chunk)
	if err != nil {
		t.Fatal(err)
	}
	wantInEngine(t, "their document", changes, func() (*automerge.Doc, error) { return automerge.Load(chunk) })
	wantInEngine(t, "our document", changes, func() (*automerge.Doc, error) {
		own, err := amfile.EncodeDocument(changes)
		if err != nil {
			t.Fatal(err)
		}
		return automerge.Load(own)
	})
	wantInEngine(t, "our changes", changes, func() (*automerge.Doc, error) {
		doc := automerge.New()
		var log []byte
		for _, c := range changes {
			log = append(log, c.Raw...)
		}
		return doc, doc.LoadIncremental(log)
	})
}

// wantInEngine demands that the document which load opens holds the changes,
// and that what the engine saves of it does.
func wantInEngine(t *testing.T, what string, want []*amfile.Change, load func() (*automerge.Doc, error)) {
	t.Helper()
	doc, err := load()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	var heads []kaijutsu.ChangeHash
	for _, head := range doc.Heads() {
		heads = append(heads, kaijutsu.ChangeHash(head))
	}
	if got, want := kaijutsu.NewHeads(heads...), headsOfChanges(want); !got.Equal(want) {
		t.Errorf("%s: heads %v, want %v", what, got, want)
	}
	byHash := map[kaijutsu.ChangeHash][]byte{}
	for _, c := range want {
		byHash[c.Hash] = c.Raw
	}
	theirs, err := doc.Changes()
	if err != nil || len(theirs) != len(want) {
		t.Errorf("%s: %d changes, %v, want %d", what, len(theirs), err, len(want))
	}
	for _, their := range theirs {
		raw := byHash[kaijutsu.ChangeHash(their.Hash())]
		c, err := amfile.DecodeChange(their.Save())
		if err != nil || !bytes.Equal(c.Raw, raw) {
			t.Fatalf("%s: change %s: %v, differs", what, their.Hash(), err)
		}
	}
	saved, err := amfile.DecodeDocument(doc.Save())
	if err != nil || len(saved) != len(want) {
		t.Fatalf("%s: saved by the engine: %d changes, %v, want %d", what, len(saved), err, len(want))
	}
	for _, c := range saved {
		if !bytes.Equal(byHash[c.Hash], c.Raw) {
			t.Fatalf("%s: saved by the engine: change %s is new", what, c.Hash)
		}
	}
}

func headsOfChanges(changes []*amfile.Change) kaijutsu.Heads {
	inner := map[kaijutsu.ChangeHash]bool{}
	for _, c := range changes {
		for _, dep := range c.Deps {
			inner[dep] = true
		}
	}
	var heads []kaijutsu.ChangeHash
	for _, c := range changes {
		if !inner[c.Hash] {
			heads = append(heads, c.Hash)
		}
	}
	return kaijutsu.NewHeads(heads...)
}
