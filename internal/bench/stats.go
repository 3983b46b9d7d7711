package bench

import (
	"math"
	"slices"
	"time"
)

// quantile returns the q-quantile of the durations in milliseconds, by the
// nearest rank, so that it is one of them; NaN when there are none. It sorts d.
func quantile(d []time.Duration, q float64) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	slices.Sort(d)
	rank := int(math.Ceil(q*float64(len(d)))) - 1
	return millis(d[min(max(rank, 0), len(d)-1)])
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// spread is what the report shows of the values of all rounds.
type spread struct{ median, least, greatest float64 }

// spreadOf returns the spread of values, false when there are none.
func spreadOf(values []float64) (spread, bool) {
	if len(values) == 0 {
		return spread{}, false
	}
	s := slices.Sorted(slices.Values(values))
	mid := s[len(s)/2]
	if len(s)%2 == 0 {
		mid = (s[len(s)/2-1] + mid) / 2
	}
	return spread{mid, s[0], s[len(s)-1]}, true
}
