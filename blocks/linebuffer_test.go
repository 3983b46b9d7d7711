package blocks

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLineBufferIsItsText compares a buffer with the text that it stands for.
func TestLineBufferIsItsText(t *testing.T) {
	for seed := range 20 {
		rng := rand.New(rand.NewSource(int64(seed)))
		some := func(n int) string {
			var b strings.Builder
			for range rng.Intn(n + 1) {
				fmt.Fprintf(&b, "%s%d\n", strings.Repeat("é", rng.Intn(3)), rng.Intn(100))
			}
			return b.String()
		}
		text := some(3*chunkLines) + "last"[:4*rng.Intn(2)]
		b := newLineBuffer(text)
		for range 100 {
			lines := strings.SplitAfter(text, "\n")
			if lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
			line := rng.Intn(len(lines) + 1)
			end := line + rng.Intn(len(lines)-line+1)>>rng.Intn(8)
			front, part := strings.Join(lines[:line], ""), strings.Join(lines[line:end], "")
			if b.lines != len(lines) || b.bytes != len(text) {
				t.Fatalf("seed %d: %d lines of %d bytes, want %d of %d", seed, b.lines, b.bytes, len(lines), len(text))
			}
			if got, before := b.slice(line, end); got != part || before != utf8.RuneCountInString(front) {
				t.Fatalf("seed %d: lines %d to %d = %q behind %d, want %q behind %d", seed, line, end, got, before, part, utf8.RuneCountInString(front))
			}
			ins := some(2 * chunkLines >> rng.Intn(10))
			if line == len(lines) && !b.ended() && ins != "" {
				ins = "\n" + ins
			}
			b.replace(line, end, ins)
			text = front + ins + text[len(front)+len(part):]
		}
	}
}
