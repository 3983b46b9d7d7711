package cluster

import (
	"iter"
	"slices"

	"kaijutsu/internal/amfile"
)

const (
	// portionOps is how many operations are decoded together, unless one change
	// has more. Each takes some 150 bytes.
	portionOps = 200_000
	// smallOps is how many may be decoded by every lane at a time.
	smallOps = 2000
)

// wantedOf is those changes of a parcel that are to be taken, by number,
// ascending.
type wantedOf struct {
	p  *parcel
	at []int
}

func (w wantedOf) has(i int) bool {
	_, found := slices.BinarySearch(w.at, i)
	return found
}

// portions cuts what is wanted into parts of so many operations as their
// changes claim.
func portions(wants []wantedOf) iter.Seq2[[]wantedOf, int] {
	return func(yield func([]wantedOf, int) bool) {
		var part []wantedOf
		ops := 0
		for _, w := range wants {
			from := 0
			for k, i := range w.at {
				more := amfile.CountOps(w.p.batch.raws[i]) + 1
				if ops+more <= portionOps || ops == 0 {
					ops += more
					continue
				}
				if k > from {
					part = append(part, wantedOf{w.p, w.at[from:k]})
				}
				if !yield(part, ops) {
					return
				}
				part, ops, from = nil, more, k
			}
			if len(w.at) > from {
				part = append(part, wantedOf{w.p, w.at[from:]})
			}
		}
		if len(part) > 0 {
			yield(part, ops)
		}
	}
}
