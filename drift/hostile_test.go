package drift_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

// What is hostile costs no more time than what is long.
func TestExtractsOfHostileText(t *testing.T) {
	const size = 128 << 10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, content := range map[string]string{
		"one word": fill("a"), "marks": "a" + fill("\u0301"), "backticks": fill("` `` "), "brackets": fill("(["), "full stops": fill("a. "),
		"refs": fill("[1] "), "no sentence end": fill("word "), "lines": fill("a\n"), "lists": fill("- we decided it is so\n"),
		"joiners": fill("\u200d"), "flags": fill("🇩🇪"), "quotes": fill("> "), "fences": fill("```\n~~~\n"), "headings": fill("# a\n"),
		"Han": fill("東京都に住んで。"), "no UTF-8": fill("we decided \xff. "), "apostrophes": fill("a'"), "numbers": fill("1,"), "dots": fill("."),
		"crowded": crowded(size), "alike": fill("we decided to keep the pool as one of us said. "),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			begun := time.Now()
			_, err := drift.Extractive().Distil(ctx, drift.Request{Source: talk(content), Focus: content[:len(content)/4]})
			if err != nil && !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Error(err)
			}
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("an extract of 128 KB took %v", took)
			} else {
				t.Log(took)
			}
		})
	}
}

// crowded returns sentences that have about as many words in common as can be
// without those being in too many of them.
func crowded(size int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < size {
		for range 40 {
			fmt.Fprintf(&b, "word%03d ", random.IntN(220))
		}
		b.WriteString("ends here.\n\n")
	}
	return b.String()
}

func FuzzExtractive(f *testing.F) {
	f.Add("We decided to use `a.b` (see [3]). Why?\n\n- one\n  two", "use")
	f.Add("# Decisions\n\n1) x y z\n\n|a|b|\n\n> quote of **four words\n\n東京都に住んで。", "")
	f.Fuzz(func(t *testing.T, content, focus string) {
		req := drift.Request{Source: talk(content, "The archive has a reading room in the cellar.", content), Focus: focus}
		b, err := drift.Extractive().Distil(context.Background(), req)
		if err != nil {
			t.Fatalf("Distil(%q) = %v", content, err)
		}
		checkExtract(t, req, b)
	})
}
