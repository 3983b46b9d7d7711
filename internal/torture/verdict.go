package torture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// The checks by which a history is decided.
const (
	checkLost    = "lost"        // an acknowledged edit is not there at the end
	checkSaved   = "saved"       // it was acknowledged and is not there when its node comes back
	checkDoubled = "doubled"     // one edit shows twice
	checkSame    = "same"        // what shows is not what the changes add up to, or differs at equal heads
	checkOrder   = "order"       // changes that came out of order or twice are not taken
	checkBy      = "attribution" // an edit is booked on another principal
	checkDenied  = "denied"      // somebody without the right to wrote
	checkRevoked = "revoked"     // somebody whose rights were taken away was served
	checkEvents  = "events"      // the events have a gap, a double, or do not add up
	checkLatency = "latency"     // an honest writer waited, while nothing but attacks went on
	checkCrash   = "crash"       // a node ended by itself, does not start again, or its log has a panic or a data race
	checkMemory  = "memory"      // a node took more memory than it may
	checkWhole   = "whole"       // the run itself is not what it should be
)

// Checks are the names of all checks and what they find, in order.
func Checks() (names, about []string) {
	for _, c := range [][2]string{
		{checkLost, "an acknowledged edit is missing at the end, from the changes or from the text"},
		{checkSaved, "an edit was acknowledged by a node and is missing when the node comes back"},
		{checkDoubled, "one edit shows twice"},
		{checkSame, "what a node shows is not what its changes add up to, or two differ at equal heads"},
		{checkOrder, "changes that came out of order or twice were not taken"},
		{checkBy, "an edit is booked on another principal than made it"},
		{checkDenied, "an edit of somebody who may not make it was taken"},
		{checkRevoked, "somebody was served 100 ms after a token was revoked"},
		{checkEvents, "events are missing, doubled, or add up to something else"},
		{checkLatency, "an honest editor waited too long while nothing but attacks went on"},
		{checkCrash, "a node ended by itself or does not start again, or its log has a panic or a data race"},
		{checkMemory, "a node took more memory than it may"},
		{checkWhole, "the run did not come to its end, or shows nothing"},
	} {
		names, about = append(names, c[0]), append(about, c[1])
	}
	return names, about
}

const (
	// revokedWithin is how long after the answer a revoked token may still be
	// good for something.
	revokedWithin = 0.100
	// cutWithin is how long after it a connection may stand that nothing is
	// sent over. It is more, for it is measured on a machine that is busy.
	cutWithin = 2.0
	// honestWait is how long an honest editor may wait for an acknowledgement
	// while there are attacks and no faults.
	honestWait = 5 * time.Second
	// maxSame bounds the findings of one check.
	maxSame = 8
)

// Finding is one thing that is wrong.
type Finding struct {
	Check string `json:"check"`
	What  string `json:"what"`
}

func (f Finding) String() string { return f.Check + ": " + f.What }

// Verdict is what the checker says about a history.
type Verdict struct {
	Findings []Finding `json:"findings,omitempty"` // empty: it passed
	Notes    []string  `json:"notes,omitempty"`    // what it measured
}

// OK reports whether nothing was found.
func (v *Verdict) OK() bool { return len(v.Findings) == 0 }

// By returns the checks that found something.
func (v *Verdict) By() []string {
	var names []string
	for _, f := range v.Findings {
		if !slices.Contains(names, f.Check) {
			names = append(names, f.Check)
		}
	}
	return names
}

func (v *Verdict) found(check, format string, args ...any) {
	n := 0
	for _, f := range v.Findings {
		if f.Check == check {
			n++
		}
	}
	if n < maxSame {
		v.Findings = append(v.Findings, Finding{check, fmt.Sprintf(format, args...)})
	}
}

func (v *Verdict) note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

// decide checks a history. It looks at nothing else.
func decide(all []Entry) *Verdict {
	v := &Verdict{}
	if all[len(all)-1].Says != saysEnd {
		v.found(checkWhole, "the history has no end: the run was broken off")
	}
	b := readBook(all)
	for _, e := range all {
		switch e.Says {
		case saysWrong:
			v.found(e.Check, "%s", e.What)
		case saysDied:
			v.found(checkCrash, "at %.1f s node %s ended by itself: %s", e.At, e.Node, e.What)
		case saysLog:
			v.found(checkCrash, "the log of node %s has: %s", e.Node, e.What)
		case saysMemory:
			if limit := all[0].Memory; limit > 0 && e.N > limit {
				v.found(checkMemory, "at %.1f s node %s had %d MiB, it may have %d", e.At, e.Node, e.N, limit)
			}
		}
	}
	b.decideKept(v)
	b.decideShown(v)
	b.decideTexts(v)
	b.decideRights(v)
	b.decideWaits(v)
	if len(b.acked) == 0 {
		v.found(checkWhole, "nothing was acknowledged: this run shows nothing")
	}
	slices.SortStableFunc(v.Findings, func(a, b Finding) int { return cmp.Compare(rank(a.Check), rank(b.Check)) })
	b.measure(v, all)
	return v
}

func rank(check string) int {
	names, _ := Checks()
	return slices.Index(names, check)
}

// measure notes what a history says about time and memory.
func (b *book) measure(v *Verdict, all []Entry) {
	most, kinds := make(map[string]int), make(map[string]int)
	for _, e := range all {
		switch e.Says {
		case saysMemory:
			most[e.Node] = max(most[e.Node], e.N)
		case saysStrike:
			kinds[e.What]++
		}
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		parts = append(parts, fmt.Sprintf("%s %d", kind, kinds[kind]))
	}
	v.note("strikes: %s", strings.Join(parts, ", "))
	parts = nil
	for _, node := range slices.Sorted(maps.Keys(most)) {
		parts = append(parts, fmt.Sprintf("%s %d MiB", node, most[node]))
	}
	v.note("most memory: %s", strings.Join(parts, ", "))
	if n := len(b.cuts); n > 0 {
		slices.Sort(b.cuts)
		v.note("connections of revoked tokens ended %.0f ms after the answer in the median of %d, %.0f ms at most", 1000*b.cuts[n/2], n, 1000*b.cuts[n-1])
	}
	for _, w := range []struct {
		name string
		ms   []float64
	}{{"in peace", b.peace}, {"under attack", b.attacked}} {
		if n := len(w.ms); n > 0 {
			slices.Sort(w.ms)
			v.note("acknowledged %s: %d edits, %.1f ms median, %.1f ms p99, %.1f ms at most", w.name, n, w.ms[n/2], w.ms[n*99/100], w.ms[n-1])
		}
	}
}
