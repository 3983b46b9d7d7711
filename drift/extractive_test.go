package drift_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"kaijutsu/drift"
)

func TestExtractsOfTranscripts(t *testing.T) {
	for _, name := range transcriptNames {
		t.Run(name, func(t *testing.T) {
			b, err := drift.Extractive().Distil(context.Background(), drift.Request{Source: readTranscript(t, name)})
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "extracts", name+".md")
			if *update {
				if err := os.WriteFile(golden, []byte(b.Text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if b.Text != string(want) {
				t.Errorf("extract of %s = %s\nwant %s", name, b.Text, want)
			}
		})
	}
}
