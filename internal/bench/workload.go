package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
)

// workload is one thing that is measured, on fresh servers.
type workload struct {
	name  string // for --only
	title string // in the report
	about string // what is done, as a paragraph
	// who says which contestants take part; nil: all but the relay.
	who func(c contestant) bool
	// limit is how long it may take with one contestant, in one round.
	limit   time.Duration
	run     func(ctx context.Context, s *stage) error
	targets []target
	charts  []chart
}

// workloads are all there are, in the order of the report.
func workloads() []workload {
	return []workload{
		fanOut(), gathering(), manyDocuments(), joinBlocks(), joinTrace(), rush(),
		stream(), footprint(), disk(), flushing(), growth(),
	}
}

// choose returns the workloads of some names, separated by commas; all for none.
func choose(all []workload, only string) ([]workload, error) {
	if only == "" {
		return all, nil
	}
	var names []string
	for _, w := range all {
		names = append(names, w.name)
	}
	var chosen []workload
	for name := range strings.SplitSeq(only, ",") {
		found := false
		for _, w := range all {
			if w.name == strings.TrimSpace(name) {
				chosen, found = append(chosen, w), true
			}
		}
		if !found {
			return nil, fmt.Errorf("workload %q: %w; there are %s", name, kaijutsu.ErrNotFound, strings.Join(names, ", "))
		}
	}
	return chosen, nil
}

// takesPart reports whether a contestant is measured.
func (w workload) takesPart(c contestant) bool {
	if w.who == nil {
		return c.name != relayName
	}
	return w.who(c)
}

// everybody is all contestants, the relay too.
func everybody(contestant) bool { return true }

// asShipped is ours and the rivals as they come: what is measured depends little
// on how sure a rival's disk is.
func asShipped(c contestant) bool { return c.name != relayName && !c.durable() }

// withStorage is ours and of each rival one configuration that has its documents
// when it is started again.
func withStorage(c contestant) bool {
	return c.name != relayName && !c.fleeting && (!c.durable() || c.name == "y-websocket-durable")
}
