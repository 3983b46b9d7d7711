package drift

import (
	"context"
	"fmt"
	"strings"

	"kaijutsu"
)

// ExtractiveName is the name of the distiller that Extractive returns.
const ExtractiveName = "extractive"

// The lengths of an extract, in words.
const (
	minWords     = 150 // so that the longest sentence fits
	maxWords     = 5000
	minExtract   = 80  // of a short conversation
	extractShare = 0.4 // of all words: more would be a copy
	headingWords = 3   // "## Open questions"
	bulletMarks  = 3   // "- " and " [12]", of which Unicode makes up to two
	closingWords = 42  // the last line, at most
)

// closing is how the last line of an extract begins. It is no sentence of those
// who talk, and no other extract takes it.
const closing = "_An extract made without a model: "

// Extractive returns the distiller that needs no model: it picks sentences of
// the conversation and leaves them as they are. They are ranked by TextRank (R.
// Mihalcea and P. Tarau, EMNLP 2004), a focus moving the ranks towards what
// shares its words; cue words tell decisions, findings and open questions. Each
// sentence is cited to its lines; the last line of the text says how it was
// made. The same source gives the same text, in time that grows with the length
// of the source.
func Extractive() Distiller { return extractive{} }

type extractive struct{}

func (extractive) Name() string { return ExtractiveName }

// Distil fails with kaijutsu.ErrInvalid when there is no sentence to pick.
func (extractive) Distil(ctx context.Context, req Request) (Briefing, error) {
	words := req.MaxWords
	if words == 0 {
		words = DefaultWords
	}
	if words < minWords || words > maxWords {
		return Briefing{}, kaijutsu.About("max_words", fmt.Errorf("distil: max_words %d: want %d to %d: %w", words, minWords, maxWords, kaijutsu.ErrInvalid))
	}
	focus := focusWords(req.Focus)
	list, left, err := candidates(ctx, req.Source, focus)
	if err != nil {
		return Briefing{}, err
	}
	if len(list) == 0 {
		return Briefing{}, kaijutsu.About("source", fmt.Errorf("distil: blocks read: %d; none has a sentence of %d to %d words that an extract could take: %w", len(req.Source.Blocks), minCuedWords, maxSentenceWords, kaijutsu.ErrInvalid))
	}
	found := len(list)
	x := newIndex(list)
	list, match := x.strongest(list, x.focusOf(list, focus), maxSentences)
	edges := x.similarities(list)
	if err := ctx.Err(); err != nil {
		return Briefing{}, err
	}
	for i, rank := range pageRank(edges, starts(list, match)) {
		list[i].rank = rank
	}
	score(list, match, len(req.Source.Blocks))
	chosen := choose(list, extractWords(list, words))
	b := Briefing{Distiller: ExtractiveName}
	if isFocused(req.Focus) && match == nil {
		b.Note = "no sentence has a word of the focus, so this is an extract of everything"
	} else if left > 0 {
		b.Note = fmt.Sprintf("the first %d blocks were too much to read", left)
	}
	b.write(req.Source, list, chosen, found)
	if req.Progress != nil {
		req.Progress(b.Text)
	}
	return b, ctx.Err()
}

// extractWords returns how many words the sentences of an extract may have that
// is to have less than most.
func extractWords(list []sentence, most int) int {
	all := 0
	for i := range list {
		all += len(list[i].words)
	}
	return min(most-closingWords, max(minExtract, int(extractShare*float64(all))))
}

// bulletWords returns how many words a sentence takes in an extract.
func bulletWords(s *sentence) int {
	return max(len(s.words), len(strings.Fields(s.text))) + bulletMarks
}

// place is where a sentence stands.
type place struct{ block, first, last int }

// write puts the chosen sentences down, section by section, each with the lines
// that it is from.
func (b *Briefing) write(src Source, list []sentence, chosen []int, found int) {
	var text strings.Builder
	refs := make(map[place]int)
	for at := range sections {
		headed := false
		for _, i := range chosen {
			s := &list[i]
			if s.section != at {
				continue
			}
			if !headed {
				text.WriteString("## " + sectionNames[at] + "\n\n")
				headed = true
			}
			where := place{s.block, s.first, s.last}
			if refs[where] == 0 {
				refs[where] = len(refs) + 1
				b.Citations = append(b.Citations, src.citeLines(refs[where], s))
			}
			fmt.Fprintf(&text, "- %s [%d]\n", s.text, refs[where])
		}
		if headed {
			text.WriteByte('\n')
		}
	}
	fmt.Fprintf(&text, closing+"%d of %d sentences, word for word, ranked by TextRank and sorted by cue words", len(chosen), found)
	if b.Note != "" {
		text.WriteString("; " + b.Note)
	}
	text.WriteString("._\n")
	b.Text = text.String()
}

// citeLines returns the citation of the lines that a sentence is from.
func (src Source) citeLines(ref int, s *sentence) Citation {
	p := src.Blocks[s.block]
	c := Citation{Ref: ref, Handle: src.handle(p), Quote: Quote(linesOf(p.Content, s.first, s.last))}
	c.Handle.First, c.Handle.Last = s.first, s.last
	return c
}

// linesOf returns some lines of a text, from 1 and inclusive.
func linesOf(text string, first, last int) string {
	from := 0
	for range first - 1 {
		from = lineEnd(text, from)
	}
	to := from
	for range last - first + 1 {
		to = lineEnd(text, to)
	}
	return strings.TrimRight(strings.ToValidUTF8(text[from:to], "\uFFFD"), "\r\n")
}
