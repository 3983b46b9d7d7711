package drift

import (
	"cmp"
	"math"
	"slices"
)

// The bounds of the graph, so that an extract takes bounded time.
const (
	maxSentences  = 2000 // that are compared with each other
	crowdedGraph  = 400  // sentences from which one common word makes none similar
	commonShare   = 5    // a word in more than one of so many sentences compares nothing
	commonAtLeast = 8    // sentences
)

// index numbers the words that sentences are about.
type index struct {
	numbers map[string]int32
	in      []int // how many sentences have each
}

// newIndex gives each sentence its terms: the words that are no stop words.
func newIndex(list []sentence) *index {
	x := &index{numbers: make(map[string]int32)}
	for i := range list {
		for _, w := range list[i].words {
			if stopWords[w] || len(w) == 1 {
				continue
			}
			n, known := x.numbers[w]
			if !known {
				n = int32(len(x.in))
				x.numbers[w] = n
				x.in = append(x.in, 0)
			}
			list[i].terms = append(list[i].terms, n)
		}
		slices.Sort(list[i].terms)
		list[i].terms = slices.Compact(list[i].terms)
		for _, n := range list[i].terms {
			x.in[n]++
		}
	}
	return x
}

// rarity returns the inverse document frequency of a term among n sentences.
func (x *index) rarity(term int32, n int) float64 {
	return math.Log1p(float64(n) / float64(1+x.in[term]))
}

// strongest returns at most most of the sentences, in their order, and how well
// they answer to the focus: those that have most of what the conversation is
// about, or of the focus, with all that ask or decide before the rest. It stands
// in for the ranking where there are too many.
func (x *index) strongest(list []sentence, match []float64, most int) ([]sentence, []float64) {
	if len(list) <= most {
		return list, match
	}
	at := make([]int, len(list))
	scores := make([]float64, len(list))
	for i, s := range list {
		at[i] = i
		for _, t := range s.terms {
			scores[i] += math.Log1p(float64(x.in[t]))
		}
		scores[i] = s.weight * scores[i] / (8 + float64(len(s.terms)))
		if s.section != other {
			scores[i] *= 2
		}
	}
	if best := slices.Max(scores); match != nil {
		for i := range scores {
			scores[i] += best * match[i]
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(coarse(scores[b]), coarse(scores[a])) })
	at = at[:most]
	slices.Sort(at)
	kept := make([]sentence, most)
	var keptMatch []float64
	for i, n := range at {
		kept[i] = list[n]
		if match != nil {
			keptMatch = append(keptMatch, match[n])
		}
	}
	return kept, keptMatch
}

// edge says how similar two sentences are.
type edge struct {
	a, b   int32
	weight float64
}

// similarities compares all sentences with each other as TextRank does: the
// words that two have in common over the logarithms of their lengths (R. Mihalcea
// and P. Tarau, TextRank: Bringing Order into Texts, EMNLP 2004, §4.1). The
// sentences are found by their words, so that those with nothing in common cost
// nothing; words that are in very many of them count for none.
func (x *index) similarities(list []sentence) []edge {
	common := max(commonAtLeast, len(list)/commonShare)
	least := int32(1)
	if len(list) > crowdedGraph {
		least = 2
	}
	postings := make([][]int32, len(x.in))
	shared := make([]int32, len(list)) // with the sentence at hand
	var met []int32
	var edges []edge
	for b, s := range list {
		for _, t := range s.terms {
			if x.in[t] > common {
				continue
			}
			for _, a := range postings[t] {
				if shared[a] == 0 {
					met = append(met, a)
				}
				shared[a]++
			}
			postings[t] = append(postings[t], int32(b))
		}
		for _, a := range met {
			if shared[a] >= least {
				length := math.Log1p(float64(len(list[a].terms))) + math.Log1p(float64(len(s.terms)))
				edges = append(edges, edge{a, int32(b), float64(shared[a]) / length})
			}
			shared[a] = 0
		}
		met = met[:0]
	}
	return edges
}

// overlap returns how many terms two ascending lists have in common.
func overlap(a, b []int32) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			a, b, n = a[1:], b[1:], n+1
		}
	}
	return n
}

// coarse rounds a score, so that machines which round differently agree.
func coarse(score float64) int64 { return int64(math.Round(score * 1e9)) }
