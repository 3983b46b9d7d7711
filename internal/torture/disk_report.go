package torture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// DiskReport is what a fault of a disk did.
type DiskReport struct {
	Lives     int            `json:"starts"`
	Checks    int            `json:"checks"`                 // of a context against the ledger
	Points    map[string]int `json:"points,omitempty"`       // how often was struck where
	Never     []string       `json:"never_struck,omitempty"` // points that were seen
	Outcomes  map[string]int `json:"outcomes,omitempty"`     // how rounds ended
	StartMost time.Duration  `json:"start_most_ns"`
	BackMost  time.Duration  `json:"back_most_ns,omitempty"` // from a disk that works again to a write
	starts    time.Duration
}

func (d *DiskReport) opened(took time.Duration) {
	d.Lives++
	d.starts += took
	d.StartMost = max(d.StartMost, took)
}

// came counts how a round ended.
func (d *DiskReport) came(outcome string) {
	if d.Outcomes == nil {
		d.Outcomes = make(map[string]int)
	}
	d.Outcomes[outcome]++
}

// sum fills in what was acknowledged.
func (d *DiskReport) sum(l *ledger, r *Report) {
	r.AckedByEditors, r.AckedByCallers = l.edits["editors"], l.edits["callers"]
	r.latencies(l)
	if r.Lost["A"] == 0 {
		r.Lost["A"] = 0 // to be written as a number
	}
}

func (d *DiskReport) print(b *strings.Builder, r *Report) {
	fmt.Fprintf(b, "  acknowledged     %d changes (%d to editors, %d to callers of operations), %d marks in texts\n",
		r.AckedByEditors+r.AckedByCallers, r.AckedByEditors, r.AckedByCallers, r.Marks)
	fmt.Fprintf(b, "  lost             %s changes, %s marks; doubled %s marks; looked for %d times\n", byNode(r.Lost), byNode(r.LostMarks), byNode(r.Doubled), d.Checks)
	if d.Lives > 0 {
		fmt.Fprintf(b, "  started          %d times, in %s on average, %s at most\n", d.Lives, ms(d.starts/time.Duration(d.Lives)), ms(d.StartMost))
	}
	if len(d.Points) > 0 {
		fmt.Fprintf(b, "  struck           %d points of the disk; %d more were seen and never struck\n", len(d.Points), len(d.Never))
		for _, name := range slices.Sorted(maps.Keys(d.Points)) {
			fmt.Fprintf(b, "    %4d  %s\n", d.Points[name], name)
		}
	}
	if d.BackMost > 0 {
		fmt.Fprintf(b, "  wrote again      %s at most after the disk worked again, or the start\n", ms(d.BackMost))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Outcomes)) {
		fmt.Fprintf(b, "  · %d rounds: %s\n", d.Outcomes[name], name)
	}
}
