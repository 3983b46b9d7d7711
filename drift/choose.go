package drift

import (
	"cmp"
	"slices"
)

// How much of an extract's words a section takes at first, and how its
// sentences count against those of others.
var (
	shares = [sections]float64{decisions: 0.3, findings: 0.3, references: 0.15, questions: 0.15, other: 0.1}
	boosts = [sections]float64{decisions: 2, findings: 1.3, references: 1, questions: 1.2, other: 0.6}
)

// When two sentences say the same, and which are not worth their words.
const (
	sameWords     = 0.6  // of all words of both
	saidAlready   = 0.85 // of the words of the shorter one
	minSameWords  = 4
	worthless     = 0.08 // of the best score
	longSentence  = 35   // words
	shortQuestion = 5    // words
)

// score turns ranks into what sentences are chosen by.
func score(list []sentence, match []float64, blocks int) {
	for i := range list {
		s := &list[i]
		s.rank *= s.weight * boosts[s.section] * float64(len(list))
		if len(s.words) > longSentence {
			s.rank *= 0.8
		}
		if s.section == questions { // the later one was asked, the less it was answered
			s.rank *= 0.4 + float64(s.block+1)/float64(blocks)
			if len(s.words) < shortQuestion {
				s.rank *= 0.5
			}
		}
		if match != nil {
			s.rank *= unfocused + (1-unfocused)*match[i]
		}
	}
}

// choose returns which sentences an extract takes, in their order: the best of
// each section for its share of the words, then the best of what is left. What
// nearly says the same as one that was taken is not taken.
func choose(list []sentence, words int) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(coarse(list[b].rank), coarse(list[a].rank)) })
	var chosen []int
	var used [sections]int
	total := 0
	for _, limit := range []func(section, int) bool{
		func(s section, cost int) bool { return float64(used[s]+cost) <= shares[s]*float64(words) },
		func(s section, cost int) bool { return s != other || float64(used[s]+cost) <= 0.25*float64(words) },
		func(section, int) bool { return len(chosen) == 0 },
	} {
		for _, i := range order {
			s := &list[i]
			cost := bulletWords(s)
			if used[s.section] == 0 {
				cost += headingWords
			}
			if total+cost > words || !limit(s.section, cost) || s.rank < worthless*list[order[0]].rank || repeats(list, chosen, i) {
				continue
			}
			chosen = append(chosen, i)
			used[s.section] += cost
			total += cost
		}
	}
	slices.Sort(chosen)
	return chosen
}

// repeats reports whether a sentence was chosen, or one that says the same.
func repeats(list []sentence, chosen []int, i int) bool {
	for _, j := range chosen {
		if i == j || sayTheSame(list[i].terms, list[j].terms) {
			return true
		}
	}
	return false
}

func sayTheSame(a, b []int32) bool {
	both, short := float64(overlap(a, b)), min(len(a), len(b))
	if both == 0 {
		return false
	}
	return both >= sameWords*(float64(len(a)+len(b))-both) || short >= minSameWords && both >= saidAlready*float64(short)
}
