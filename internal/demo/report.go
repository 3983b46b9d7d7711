package demo

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// Report is what the demo saw.
type Report struct {
	Edits          int           `json:"edits"`            // made by the two editors
	Pieces         int           `json:"pieces"`           // streamed by the agent and acknowledged
	AckedAtKill    int           `json:"acked_at_kill"`    // changes acknowledged when the server was killed
	FoundAfterKill int           `json:"found_after"`      // of those, on its disk after the restart
	Changes        int           `json:"changes"`          // in the context at the end
	EqualHeads     bool          `json:"equal_heads"`      // both editors and the server's disk
	Ack            time.Duration `json:"ack_median"`       // edit → acknowledged, which is on disk
	Visible        time.Duration `json:"visible_median"`   // edit → in the other editor's document
	Piece          time.Duration `json:"piece_median"`     // HTTP call → return, which is on disk
	Ready          time.Duration `json:"ready"`            // first start → serving
	ReadyAgain     time.Duration `json:"ready_after_kill"` // start after the kill → serving
	FirstLost      string        `json:"first_lost,omitempty"`
}

// OK reports whether nothing acknowledged was lost and all are equal.
func (r *Report) OK() bool { return r.FoundAfterKill == r.AckedAtKill && r.EqualHeads }

// report puts together what was seen.
func (s *stage) report(ctx context.Context) (*Report, error) {
	a, b := s.writers[0], s.writers[1]
	changes, err := s.onDisk(ctx)
	if err != nil {
		return nil, err
	}
	onDisk := make(map[string]struct{}, len(changes))
	for _, c := range changes {
		onDisk[c.Hash.String()] = struct{}{}
	}
	equal := a.doc.Heads().Equal(b.doc.Heads()) && len(changes) == a.doc.Len()
	for _, h := range a.doc.Heads() {
		if _, ok := onDisk[h.String()]; !ok {
			equal = false
		}
	}
	r := &Report{
		Edits: a.edits + b.edits, Pieces: s.agent.pieces,
		AckedAtKill: len(s.beforeKill), FoundAfterKill: s.survivors(),
		Changes: len(changes), EqualHeads: equal,
		Ack:     median(slices.Concat(a.acks, b.acks)),
		Visible: median(slices.Concat(a.journey.took, b.journey.took)),
		Piece:   median(s.agent.took),
		Ready:   s.readyFirst, ReadyAgain: s.readyAgain,
	}
	for h := range s.beforeKill {
		if _, ok := s.found[h]; !ok {
			r.FirstLost = h.String()
		}
	}
	return r, nil
}

// Print writes the report for people.
func (r *Report) Print(w io.Writer) error {
	verdict := "nothing that was acknowledged is lost"
	if r.FoundAfterKill != r.AckedAtKill {
		verdict = fmt.Sprintf("LOST %d, such as %s", r.AckedAtKill-r.FoundAfterKill, r.FirstLost)
	}
	heads := "equal"
	if !r.EqualHeads {
		heads = "DIFFERENT"
	}
	_, err := fmt.Fprintf(w, `
  edits made                 %d by two editors, %d pieces by an agent
  acknowledged at the kill   %d changes
  found after the kill       %d  %s
  heads at the end           %s (two editors and the server's disk, %d changes)
  edit → on disk             %s median
  edit → other editor        %s median
  agent's piece → on disk    %s median
  server ready               %s first, %s after the kill
`, r.Edits, r.Pieces, r.AckedAtKill, r.FoundAfterKill, verdict, heads, r.Changes,
		ms(r.Ack), ms(r.Visible), ms(r.Piece), ms(r.Ready), ms(r.ReadyAgain))
	return err
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond)) }

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)/2]
}
