package blocks

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// sourceFile returns so many lines of about 40 characters, as code has them:
// some of them many times.
func sourceFile(rng *rand.Rand, lines int) string {
	words := strings.Fields("if err != nil return func for range := string int context repo block text line value ( ) { } [ ] . ,")
	var out strings.Builder
	for range lines {
		if rng.Intn(6) == 0 {
			out.WriteString("\t}\n")
			continue
		}
		for n := 0; n < 40; {
			w := words[rng.Intn(len(words))]
			if rng.Intn(4) == 0 {
				w += fmt.Sprint(rng.Intn(1000))
			}
			n += len(w) + 1
			out.WriteString(w + " ")
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// BenchmarkFile thaws the record of a file, and replaces what it holds: the
// change is made, checked and taken in.
func BenchmarkFile(b *testing.B) {
	for _, lines := range []int{5_000, 14_000} {
		rng := rand.New(rand.NewSource(1))
		content := sourceFile(rng, lines)
		tenth := strings.SplitAfter(content, "\n")
		for i := range tenth {
			if rng.Intn(10) == 0 {
				tenth[i] = strings.Replace(tenth[i], " ", " changed ", 1)
			}
		}
		for _, bb := range []struct {
			name string
			edit func(tx *Tx) error
		}{
			{"thaw", func(tx *Tx) error { return tx.Thaw(testID(1)) }},
			{"a character", func(tx *Tx) error { return tx.SpliceText(testID(1), 1000, 0, "x") }},
			{"every tenth line", func(tx *Tx) error { return tx.ReplaceText(testID(1), strings.Join(tenth, "")) }},
			{"another file", func(tx *Tx) error { return tx.ReplaceText(testID(1), sourceFile(rand.New(rand.NewSource(2)), lines/3)) }},
		} {
			b.Run(fmt.Sprintf("%d lines/%s", lines, bb.name), func(b *testing.B) {
				b.ReportMetric(float64(len(content)), "characters")
				for b.Loop() {
					b.StopTimer()
					g, m := changegraph.New(), NewModel()
					take := func(f func(tx *Tx) error) {
						c := must(m.Commit(CommitOptions{Actor: "amy", Time: testTime, Deps: g.Heads()}, f))
						c = must(amfile.DecodeChange(c.Raw))
						must(g.Add(c))
						m.Apply(c)
						b.ReportMetric(float64(len(c.Raw)), "bytes")
					}
					must(g.Add(must(amfile.DecodeChange(Genesis().Raw))))
					m.Apply(must(amfile.DecodeChange(Genesis().Raw)))
					take(func(tx *Tx) error {
						return tx.InsertBlock(BlockSpec{ID: testID(1), Kind: KindFile, Role: RoleSystem, Content: content})
					})
					if bb.name != "thaw" {
						take(func(tx *Tx) error { return tx.Thaw(testID(1)) })
					}
					b.StartTimer()
					take(bb.edit)
				}
			})
		}
	}
}
