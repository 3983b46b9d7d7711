package drift

import "math"

// The constants of PageRank, and when it is done.
const (
	damping   = 0.85
	tolerance = 1e-6 // sum of what the last step moved
	maxSteps  = 60
)

// pageRank returns how much of its time a walk spends at each sentence that
// goes to similar ones, and every now and then starts again at one that start
// says: Brin and Page's, on weighted edges that go both ways, and personalised
// by start, whose sum is 1. The ranks' sum is 1.
//
// It is written here because gonum's network.PageRank starts again everywhere
// alike and begins with random numbers: it could neither follow a focus nor
// promise the same extract twice.
func pageRank(edges []edge, start []float64) []float64 {
	out := make([]float64, len(start))
	for _, e := range edges {
		out[e.a] += e.weight
		out[e.b] += e.weight
	}
	rank, next := make([]float64, len(start)), make([]float64, len(start))
	copy(rank, start)
	for range maxSteps {
		lost := 0.0 // of sentences that are similar to none
		for i, r := range rank {
			next[i] = 0
			if out[i] == 0 {
				lost += r
			} else {
				rank[i] = r / out[i]
			}
		}
		for _, e := range edges { // the conversions keep machines from fusing, so that all agree
			next[e.b] += float64(rank[e.a] * e.weight)
			next[e.a] += float64(rank[e.b] * e.weight)
		}
		moved := 0.0
		for i := range next {
			next[i] = float64(damping*(next[i]+float64(lost*start[i]))) + float64((1-damping)*start[i])
			was := rank[i]
			if out[i] != 0 {
				was = float64(was * out[i])
			}
			moved += math.Abs(next[i] - was)
		}
		rank, next = next, rank
		if moved < tolerance {
			break
		}
	}
	return rank
}
