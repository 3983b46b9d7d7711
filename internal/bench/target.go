package bench

import (
	"fmt"
	"slices"
	"strings"
)

// noneOfIt is less than one of anything: the most of what may not be.
const noneOfIt = 0.5

// target is what a row is to be.
type target struct {
	row string
	// atMost is the most that ours may be; 0: nothing is said of that.
	atMost float64
	// rival, if not empty, is whose value is to be at least times ours.
	rival string
	times float64
}

// verdict says what is wanted of a row, and whether it is so.
func (s *section) verdict(targets []target, name string) string {
	var parts []string
	ours, measured := s.median(name, oursName)
	for _, t := range targets {
		if t.row != name || !measured {
			continue
		}
		switch {
		case t.atMost == noneOfIt && ours == 0:
			parts = append(parts, "none: met")
		case t.atMost == noneOfIt:
			parts = append(parts, "none: **missed**")
		case t.atMost > 0 && ours <= t.atMost:
			parts = append(parts, fmt.Sprintf("≤ %s: met", number(t.atMost)))
		case t.atMost > 0:
			parts = append(parts, fmt.Sprintf("≤ %s: **missed**, %s×", number(t.atMost), number(ours/t.atMost)))
		}
		if !slices.ContainsFunc(s.servers, func(c server) bool { return c.name == t.rival }) {
			continue
		}
		wanted := fmt.Sprintf("≥ %s× better than %s", number(t.times), t.rival)
		if t.times == 1 {
			wanted = "better than " + t.rival
		}
		theirs, ok := s.median(name, t.rival)
		switch {
		case !ok:
			parts = append(parts, wanted+": it did not finish")
		case theirs >= t.times*ours:
			parts = append(parts, wanted+": met")
		default:
			parts = append(parts, fmt.Sprintf("%s: **missed**, %s×", wanted, number(theirs/ours)))
		}
	}
	return strings.Join(parts, "<br>")
}
