package shelldoor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Place is a context that a drift comes from or goes to, as far as people are
// shown.
type Place struct {
	Kernel string `json:"kernel"`
	ID     string `json:"id"`
	Short  string `json:"short"`
	Label  string `json:"label"`
	Title  string `json:"title"`
}

// String names a place by its label, its title or its id, and where it is; one
// that the caller may not read is hidden.
func (p Place) String() string {
	name := cmp.Or(p.Label, oneLine(p.Title, 40), p.Short, p.ID, "hidden")
	if p.Kernel != "" {
		return p.Kernel + ":" + name
	}
	if p.Short != "" && p.Short != name {
		name += " (" + p.Short + ")"
	}
	return name
}

// driftRow is a drift as the server shows it, as far as people are shown.
type driftRow struct {
	Drift     string `json:"drift"`
	Number    uint64 `json:"number"`
	State     string `json:"state"`
	Kind      string `json:"kind"`
	From      Place  `json:"from"`
	To        Place  `json:"to"`
	Block     string `json:"block_id"`
	By        string `json:"by"`
	At        string `json:"at"`
	Failures  int    `json:"failures"`
	LastError string `json:"last_error"`
	Reason    string `json:"reason"`
	Already   bool   `json:"already"`
	Model     string `json:"model"`
	Distiller string `json:"distiller"`
	Content   string `json:"content"`
	Length    int    `json:"length"`
	Citations []struct {
		Ref    int    `json:"ref"`
		Handle string `json:"handle"`
	} `json:"citations"`
}

// id is what a line calls the drift by: its number, or its id.
func (d driftRow) id() string {
	if d.Number > 0 {
		return fmt.Sprint(d.Number)
	}
	return d.Drift
}

func showPushed(s *screen, d driftRow) error {
	switch d.State {
	case "delivered":
		verb := "Delivered"
		if d.Already {
			verb = "Delivered before"
		}
		s.printf("%s → %s (block %s)\n", verb, s.clean(d.To.String()), d.Block)
	case "staged":
		what := "Staged drift"
		if d.Kind == "distill" {
			what = "Staged distilled drift"
		}
		s.printf("%s → %s (id=%s)\n", what, s.clean(d.To.String()), d.id())
	case "held":
		s.printf("Held at %s until somebody there consents (id=%s)\n", s.clean(d.To.String()), d.id())
	case "offered":
		s.printf("Offered → %s, where it waits for consent (id=%s)\n", s.clean(d.To.String()), d.id())
	default:
		s.printf("%s → %s (id=%s)\n", d.State, s.clean(d.To.String()), d.id())
	}
	if d.Reason != "" {
		fmt.Fprintf(s.notes, "%s\n", s.clean(d.Reason))
	}
	return nil
}

func showPulled(s *screen, d driftRow) error {
	s.printf("Pulled from %s → %s (block=%s)\n", s.clean(d.From.String()), s.clean(d.To.String()), d.Block)
	return nil
}

func showMerged(s *screen, d driftRow) error {
	s.printf("Merged %s → parent %s\n", s.clean(d.From.String()), s.clean(d.To.String()))
	return nil
}

// driftTable lists drifts, in the order of their numbers.
func driftTable(s *screen, items []driftRow) error {
	rows := [][]string{{"ID", "STATE", "FROM", "TO", "BY", "SINCE", "CONTENT"}}
	for _, d := range items {
		state := d.State
		if d.Failures > 0 {
			state += fmt.Sprintf(" (%s)", plural(d.Failures, "failure", "failures"))
		}
		rows = append(rows, []string{d.id(), state, d.From.String(), d.To.String(), d.By, when(d.At), oneLine(d.Content, 60)})
	}
	return s.table(rows)
}

// why says below a table why deliveries failed.
func why(s *screen, items []driftRow) {
	for _, d := range items {
		if d.LastError != "" {
			s.printf("%s: %s\n", d.id(), s.clean(oneLine(d.LastError, 200)))
		}
	}
}

type driftRows struct {
	Items []driftRow `json:"items"`
}

func showQueue(s *screen, q driftRows) error {
	if len(q.Items) == 0 {
		s.printf("No staged drifts.\n")
		return nil
	}
	err := driftTable(s, q.Items)
	why(s, q.Items)
	return err
}

func showDeadLetters(s *screen, q driftRows) error {
	if len(q.Items) == 0 {
		s.printf("No dead letters.\n")
		return nil
	}
	err := driftTable(s, q.Items)
	why(s, q.Items)
	fmt.Fprintf(s.notes, "to try again: kj drift replay %s\n", q.Items[0].id())
	return err
}

func showDrift(s *screen, d driftRow) error {
	rows := [][]string{
		{"drift", d.Drift}, {"number", fmt.Sprint(d.Number)}, {"state", d.State}, {"kind", d.Kind},
		{"from", d.From.String()}, {"to", d.To.String()}, {"by", d.By}, {"since", when(d.At)},
		{"model", d.Model}, {"distiller", d.Distiller}, {"block", d.Block},
	}
	if d.Failures > 0 {
		rows = append(rows, []string{"failures", fmt.Sprint(d.Failures)}, []string{"last error", oneLine(d.LastError, 200)})
	}
	kept := rows[:0]
	for _, r := range rows {
		if r[1] != "" && r[1] != "0" {
			kept = append(kept, r)
		}
	}
	if err := s.table(kept); err != nil {
		return err
	}
	s.printf("\n%s\n", s.clean(strings.TrimRight(d.Content, "\n")))
	if len(d.Citations) > 0 {
		s.printf("\n")
	}
	for _, c := range d.Citations {
		s.printf("[%d] %s\n", c.Ref, c.Handle)
	}
	return nil
}

func showCancelled(s *screen, d driftRow) error {
	if d.State == "delivered" {
		s.printf("Drift #%s was delivered already → %s (block %s)\n", d.id(), s.clean(d.To.String()), d.Block)
		return nil
	}
	s.printf("Cancelled staged drift #%s\n", d.id())
	return nil
}

func showFlushed(s *screen, f struct {
	Delivered int        `json:"delivered"`
	Failed    int        `json:"failed"`
	Dead      int        `json:"dead"`
	Held      int        `json:"held"`
	Items     []driftRow `json:"items"`
}) error {
	if f.Delivered+f.Failed+f.Dead+f.Held == 0 {
		s.printf("Nothing staged: flushed 0 drifts\n")
		return nil
	}
	s.printf("Flushed %s%s\n", plural(f.Delivered, "drift", "drifts"), s.clean(wentTo(f.Items)))
	for _, n := range []struct {
		count int
		words string
	}{
		{f.Failed, "failed and stay staged"},
		{f.Dead, "failed for the fifth time, or were refused, and are dead letters now: kj drift dead lists them"},
		{f.Held, "wait for consent in another kernel"},
	} {
		if n.count > 0 {
			s.printf("%d %s\n", n.count, n.words)
		}
	}
	why(s, f.Items)
	return nil
}

// wentTo says where the delivered ones of some drifts are; of many, nothing.
func wentTo(items []driftRow) string {
	const most = 3
	var places []string
	for _, d := range items {
		if place := d.To.String(); d.State == "delivered" && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	if len(places) == 0 || len(places) > most {
		return ""
	}
	return " → " + strings.Join(places, ", ")
}

// showConsented says what became of a drift that was held.
func showConsented(s *screen, d driftRow) error {
	if d.State == "cancelled" {
		s.printf("Refused drift #%s, which was for %s\n", d.id(), s.clean(d.To.String()))
		return nil
	}
	return showPushed(s, d)
}

func showReplayed(s *screen, q driftRows) error {
	if len(q.Items) == 0 {
		s.printf("No dead letters.\n")
		return nil
	}
	for _, d := range q.Items {
		if err := showPushed(s, d); err != nil {
			return err
		}
	}
	why(s, q.Items)
	return nil
}
