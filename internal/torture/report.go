package torture

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Report is what one fault did, and what the checker found.
type Report struct {
	Fault  string        `json:"fault"`
	Seed   uint64        `json:"seed"`
	Rounds int           `json:"rounds"`
	Nodes  int           `json:"nodes"`
	Took   time.Duration `json:"took_ns"`

	AckedByEditors int `json:"acked_by_editors"` // changes
	AckedByCallers int `json:"acked_by_callers"`
	Marks          int `json:"acked_marks"` // in texts
	Changes        int `json:"changes"`     // in all contexts, at the end

	Converged time.Duration  `json:"converged_ns"`       // from the last edit to equal heads everywhere
	Lost      map[string]int `json:"lost_by_node"`       // acknowledged changes that are not there
	LostMarks map[string]int `json:"lost_marks_by_node"` // acknowledged marks that are not in the text
	Doubled   map[string]int `json:"doubled_marks_by_node"`

	Events     int            `json:"events"` // read by all followers
	Followers  int            `json:"followers"`
	Reconnects int            `json:"reconnects"`
	Resets     int            `json:"resets"`
	Mirrors    int            `json:"mirrors_equal"`
	Cuts       map[string]int `json:"cuts,omitempty"` // streams the server ended, by reason

	AckMedian time.Duration `json:"ack_median_ns"`
	Ack99     time.Duration `json:"ack_p99_ns"`
	AckMost   time.Duration `json:"ack_most_ns"`

	Drift *DriftReport `json:"drift,omitempty"` // of the faults of drifts, instead of the above

	Disk *DiskReport `json:"disk,omitempty"` // of the faults of a disk, besides the above

	Git *GitReport `json:"git,omitempty"` // of the fault git, likewise

	Findings []Finding `json:"findings,omitempty"` // of mixed runs: the problems, by check
	History  string    `json:"history,omitempty"`  // where what happened was kept

	Notes    []string `json:"notes,omitempty"`    // what the fault measured
	Problems []string `json:"problems,omitempty"` // empty: it passed
	Dir      string   `json:"dir,omitempty"`      // what was kept to look at
}

// OK reports whether the checker found nothing wrong.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// Print writes the report for people.
func (r *Report) Print(w io.Writer) error {
	var b strings.Builder
	verdict := "PASS"
	if !r.OK() {
		verdict = "FAIL"
	}
	fmt.Fprintf(&b, "%s  %s  seed %d, %d rounds, %d nodes, %s\n", verdict, r.Fault, r.Seed, r.Rounds, r.Nodes, r.Took.Round(100*time.Millisecond))
	switch {
	case r.Drift != nil:
		r.Drift.print(&b)
	case r.Git != nil:
		r.Git.print(&b)
	case r.Disk != nil:
		r.Disk.print(&b, r)
	default:
		r.printEdits(&b)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "  · %s\n", n)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "  ✗ %s\n", p)
	}
	if r.History != "" {
		fmt.Fprintf(&b, "  history: %s\n", r.History)
	}
	if r.Dir != "" {
		fmt.Fprintf(&b, "  kept: %s\n", r.Dir)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printEdits writes what became of the edits.
func (r *Report) printEdits(b *strings.Builder) {
	fmt.Fprintf(b, "  acknowledged     %d changes (%d to editors, %d to callers of operations), %d marks in texts\n",
		r.AckedByEditors+r.AckedByCallers, r.AckedByEditors, r.AckedByCallers, r.Marks)
	if len(r.Lost) > 0 { // of a mixed run it is among the findings
		fmt.Fprintf(b, "  lost             %s changes, %s marks; doubled %s marks\n", byNode(r.Lost), byNode(r.LostMarks), byNode(r.Doubled))
	}
	fmt.Fprintf(b, "  equal heads      %d changes on every node, %s after the last edit\n", r.Changes, r.Converged.Round(10*time.Millisecond))
	fmt.Fprintf(b, "  events           %d read by %d followers over %d reconnections, %d resets; %d mirrors equal\n", r.Events, r.Followers, r.Reconnects, r.Resets, r.Mirrors)
	fmt.Fprintf(b, "  acknowledged in  %s median, %s p99, %s at most\n", ms(r.AckMedian), ms(r.Ack99), ms(r.AckMost))
	for _, why := range slices.Sorted(maps.Keys(r.Cuts)) {
		fmt.Fprintf(b, "  · %d streams were ended by the server: %s\n", r.Cuts[why], why)
	}
}

// byNode writes counts as 0/0/0, in the order of the nodes' names.
func byNode(n map[string]int) string {
	var names, counts []string
	for name := range n {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		counts = append(counts, fmt.Sprint(n[name]))
	}
	if len(counts) == 0 {
		return "?"
	}
	return strings.Join(counts, "/")
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

// take adds a verdict to the report.
func (r *Report) take(v *Verdict) {
	r.Findings = append(r.Findings, v.Findings...)
	r.Notes = append(r.Notes, v.Notes...)
	for _, f := range v.Findings {
		r.Problems = append(r.Problems, f.String())
	}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (r *Report) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// latencies fills in what the writers waited.
func (r *Report) latencies(l *ledger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var took []time.Duration
	for _, a := range l.took {
		took = append(took, a.took)
	}
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	r.AckMedian, r.Ack99, r.AckMost = took[len(took)/2], took[len(took)*99/100], took[len(took)-1]
}
