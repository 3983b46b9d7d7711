package changegraph

import "kaijutsu/internal/amfile"

// TakeWaiting takes out all changes that wait, and returns the function that
// tries them again: for when Restore adds what they wait for, which sets nothing
// free by itself.
func (g *Graph) TakeWaiting() (retry func()) {
	var taken []*orphan
	for o := g.waiting.oldest; o != nil; o = o.newer {
		taken = append(taken, o)
	}
	for _, o := range taken {
		if o.from != nil {
			o.from.waits--
		}
	}
	g.waiting.init()
	return func() {
		for _, o := range taken {
			c, err := amfile.DecodeChange(o.raw)
			if err != nil {
				continue // it was decoded from the same bytes before it was queued
			}
			if _, refusal := g.add(c, o.from); refusal != nil {
				o.from.tell(refusal)
			}
		}
	}
}
