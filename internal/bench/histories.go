package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// What the editing trace that everybody measures with consists of: the writing
// of a paper, by one person, character by character
// (https://github.com/automerge/automerge-perf).
const (
	traceInserts = 182_315
	traceDeletes = 77_463
)

// emptyText is a document with one empty text.
func emptyText() history { return history{name: "an empty text"} }

// manyTexts is a document of n texts, each made by one change.
func manyTexts(name string, n int, text func(i int) string) history {
	return history{name: fmt.Sprintf("%d %s", n, name), changes: n, steps: func(yield func(step) bool) {
		for i := range n {
			if !yield(step{text: i + 1, insert: text(i), after: -1, before: -1}) {
				return
			}
		}
	}}
}

// proseOf returns words, n characters of them.
func proseOf(n int) func(i int) string {
	return func(i int) string {
		var b strings.Builder
		for part := 0; b.Len() < n; part++ {
			b.WriteString(prose(i*n + part))
		}
		return b.String()[:n]
	}
}

// noiseOf returns n characters that hardly compress: ideographs drawn at random,
// three bytes each of which an entropy coder leaves two and a bit.
func noiseOf(n int) func(i int) string {
	const first, last = 0x4e00, 0x9fff // of the block CJK Unified Ideographs
	return func(i int) string {
		random := rand.New(rand.NewPCG(9, uint64(i)))
		text := make([]rune, n)
		for j := range text {
			text[j] = rune(first + random.IntN(last-first+1))
		}
		return string(text)
	}
}

// typed is a text as somebody writes it: inserts characters put in and removes
// taken out, one change each, in runs of a few, with the cursor jumping between
// some of the runs. It is the same each time.
func typed(inserts, removes int) history {
	return history{
		name: fmt.Sprintf("typed %d-%d", inserts, removes), changes: inserts + removes,
		steps: func(yield func(step) bool) { (&writerAtWork{}).write(inserts, removes, yield) },
	}
}

// editingTrace is a history like that of the automerge-perf trace: as many
// characters put in and taken out.
func editingTrace() history { return typed(traceInserts, traceDeletes) }

// grown is a text with so many changes, seven of ten of them inserts, as in the trace.
func grown(changes int) history {
	removes := changes * 3 / 10
	return typed(changes-removes, removes)
}

// writerAtWork is a text and a cursor in it. What is left of the cursor ends
// with a character that shows, or is nothing.
type writerAtWork struct {
	left, right []int // numbers of characters; right has the next one last
	gone        []bool
	words       string // that are being written
}

const (
	meanRun  = 12   // edits of one kind in a row
	jumpOdds = 0.15 // that the cursor moves before a run
	nearJump = 400  // most jumps go no farther
)

// write makes the edits: runs of inserts and of removals, drawn in proportion to
// what is left of each.
func (w *writerAtWork) write(inserts, removes int, yield func(step) bool) {
	random := rand.New(rand.NewPCG(11, uint64(inserts)))
	for inserts+removes > 0 {
		if random.Float64() < jumpOdds {
			w.jump(random)
		}
		run := 1 + random.IntN(2*meanRun-1)
		if random.IntN(inserts+removes) < inserts || len(w.left) == 0 && inserts > 0 {
			for ; run > 0 && inserts > 0; run, inserts = run-1, inserts-1 {
				if !yield(w.insert()) {
					return
				}
			}
			continue
		}
		if len(w.left) == 0 {
			w.move(len(w.right)) // to the end, where there is something to take out
		}
		for ; run > 0 && removes > 0 && len(w.left) > 0; run, removes = run-1, removes-1 {
			if !yield(w.remove()) {
				return
			}
		}
	}
}

func last(numbers []int) int {
	if len(numbers) == 0 {
		return -1
	}
	return numbers[len(numbers)-1]
}

func (w *writerAtWork) insert() step {
	n := len(w.gone)
	i := n % blockChars
	if i == 0 {
		w.words = prose(n / blockChars)
	}
	s := step{insert: w.words[i : i+1], after: last(w.left), before: last(w.right)}
	w.gone, w.left = append(w.gone, false), append(w.left, n)
	return s
}

// remove takes out what is left of the cursor.
func (w *writerAtWork) remove() step {
	n := last(w.left)
	w.gone[n] = true
	w.settle()
	return step{remove: n}
}

// settle moves the cursor left to behind a character that shows.
func (w *writerAtWork) settle() {
	for len(w.left) > 0 && w.gone[last(w.left)] {
		w.right, w.left = append(w.right, last(w.left)), w.left[:len(w.left)-1]
	}
}

// jump moves the cursor, mostly a little, and one time in ten anywhere.
func (w *writerAtWork) jump(random *rand.Rand) {
	by := random.IntN(2*nearJump+1) - nearJump
	if all := len(w.left) + len(w.right); all > 0 && random.IntN(10) == 0 {
		by = random.IntN(all+1) - len(w.left)
	}
	w.move(by)
}

func (w *writerAtWork) move(by int) {
	for ; by > 0 && len(w.right) > 0; by-- {
		w.left, w.right = append(w.left, last(w.right)), w.right[:len(w.right)-1]
	}
	for ; by < 0 && len(w.left) > 0; by++ {
		w.right, w.left = append(w.right, last(w.left)), w.left[:len(w.left)-1]
	}
	w.settle()
}
