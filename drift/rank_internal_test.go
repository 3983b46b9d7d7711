package drift

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The ranks are those of the definition, on the whole matrix.
func TestPageRankIsThatOfTheMatrix(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 20 {
		n := 2 + random.IntN(30)
		weights := make([][]float64, n)
		for i := range weights {
			weights[i] = make([]float64, n)
		}
		var edges []edge
		for range random.IntN(3 * n) {
			a, b := random.IntN(n-1), n-1
			if random.IntN(2) == 0 {
				b = a + 1
			}
			if weights[a][b] == 0 {
				w := random.Float64() + 0.1
				weights[a][b], weights[b][a] = w, w
				edges = append(edges, edge{int32(a), int32(b), w})
			}
		}
		start := make([]float64, n)
		sum := 0.0
		for i := range start {
			start[i] = random.Float64()
			sum += start[i]
		}
		for i := range start {
			start[i] /= sum
		}
		want := matrixRank(weights, start)
		got, total := pageRank(edges, start), 0.0
		for i := range got {
			total += got[i]
			if math.Abs(got[i]-want[i]) > 1e-4 {
				t.Fatalf("round %d: rank of %d of %d = %v, want %v", round, i, n, got[i], want[i])
			}
		}
		if math.Abs(total-1) > 1e-9 {
			t.Fatalf("round %d: the ranks' sum is %v, want 1", round, total)
		}
	}
}

func matrixRank(weights [][]float64, start []float64) []float64 {
	n := len(start)
	rank := append([]float64(nil), start...)
	for range 500 {
		next := make([]float64, n)
		for i := range n {
			out := 0.0
			for _, w := range weights[i] {
				out += w
			}
			for j := range n {
				share := start[j]
				if out > 0 {
					share = weights[i][j] / out
				}
				next[j] += rank[i] * (damping*share + (1-damping)*start[j])
			}
		}
		rank = next
	}
	return rank
}
