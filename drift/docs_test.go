package drift_test

import (
	"os"
	"strings"
	"testing"

	"kaijutsu/drift"
)

// The page shows what the distiller makes, not what it once made.
func TestPageShowsTheExtracts(t *testing.T) {
	const page = "../docs/drift.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	fresh := string(b)
	for _, c := range []struct{ name, transcript, focus string }{
		{"incident", "incident", ""}, {"design", "design", ""}, {"debugging", "debugging", ""},
		{"focused", "incident", "what was decided about the grace period?"},
	} {
		req := drift.Request{Source: readTranscript(t, c.transcript), Focus: c.focus}
		if c.focus != "" {
			req.MaxWords = 150
		}
		begin, end := "<!-- extract "+c.name+" -->\n", "<!-- end of extract -->"
		before, rest, found := strings.Cut(fresh, begin)
		_, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("%s has no place for the extract %s", page, c.name)
		}
		fresh = before + begin + "\n```markdown\n" + extract(t, req).Text + "```\n\n" + end + after
	}
	if fresh == string(b) {
		return
	}
	if !*update {
		t.Fatalf("%s shows extracts that are not made any more; run go test ./drift -update", page)
	}
	if err := os.WriteFile(page, []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}
