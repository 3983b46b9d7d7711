package drift_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
)

var update = flag.Bool("update", false, "write golden files and the outputs in docs/drift.md anew")

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// transcriptNames are those of testdata/transcripts.
var transcriptNames = []string{"incident", "design", "debugging"}

// readTranscript reads a conversation: a line "title: …", then blocks, each
// below a line "@@ role kind author".
func readTranscript(t testing.TB, name string) drift.Source {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "transcripts", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(b), "\n\n@@ ")
	src := drift.Source{
		Title: strings.TrimPrefix(head, "title: "), Context: "0198c0de-0000-7000-8000-000000000001",
		Heads: kaijutsu.NewHeads(kaijutsu.ChangeHash{0xc0, 0xde}),
	}
	for i, part := range strings.Split(rest, "\n\n@@ ") {
		line, content, _ := strings.Cut(part, "\n")
		words := strings.Fields(line)
		if len(words) != 3 {
			t.Fatalf("%s: block %d begins %q, want role, kind and author", name, i, line)
		}
		src.Blocks = append(src.Blocks, drift.Passage{
			ID:   blocks.ID(fmt.Sprintf("0198c0de-0000-7000-8000-%012d", i+1)),
			Role: words[0], Kind: words[1], Author: words[2], Content: strings.TrimSuffix(content, "\n"),
		})
	}
	return src
}
