package torture

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// parcel is one drift as its sender wrote it down, outside of every server. One
// goroutine at a time has it.
type parcel struct {
	round    int
	text     string // its content, which no other has
	id       string // the drift's id, once it is known
	given    bool   // the sender gave the id, and repeats it until it is acknowledged
	by       string // the sender: who is to be the author
	sender   string // who sent it to whom offered it, of a foreign one
	from, to string // contexts
	now      bool   // pushed at once, not staged
	foreign  bool   // offered for another kernel: from is there
	died     bool   // it was a dead letter once: lost+found has a copy
	acked    bool   // the server has answered that it has it
	cancel   cancelled
}

// cancelled is what the sender knows of a cancel.
type cancelled string

const (
	notCancelled   cancelled = ""
	perhaps        cancelled = "tried"     // there was no answer
	takenBack      cancelled = "cancelled" // the server has answered that it is gone
	foundDelivered cancelled = "delivered" // the server has answered that it was too late
)

// expect returns how often the parcel may be in its target when all is over.
func (p *parcel) expect() (least, most int) {
	switch {
	case p.cancel == takenBack:
		return 0, 0
	case p.cancel == foundDelivered:
		return 1, 1
	case p.cancel == perhaps, !p.acked:
		return 0, 1
	}
	return 1, 1
}

func (p *parcel) String() string {
	return fmt.Sprintf("round %d, %q (drift %s, by %s)", p.round, p.text, p.id, p.by)
}

// letter is a drift block as a server shows it at the end.
type letter struct {
	context, text, author string
	meta                  letterMeta
}

// letterMeta is what the checker reads of a drift block's meta.
type letterMeta struct {
	Source string `json:"source_context"`
	Drift  string `json:"drift_id"`
	By     struct {
		Name string `json:"name"`
	} `json:"principal"`
}

// DriftReport is what became of the drifts of a run.
type DriftReport struct {
	Parcels   int `json:"parcels"` // that somebody tried to send
	Acked     int `json:"acked"`
	Staged    int `json:"staged"` // of the acknowledged ones
	Pushed    int `json:"pushed"` // of the acknowledged ones, at once
	Repeated  int `json:"repeated"`
	Cancelled int `json:"cancelled"`
	TooLate   int `json:"cancelled_too_late"`
	Delivered int `json:"delivered"`
	Died      int `json:"died_and_replayed"`
	Consented int `json:"consented"`

	Kills  int            `json:"kills"`
	Cut    map[string]int `json:"cut"`     // requests without an answer, by operation
	Resume int            `json:"resumed"` // flushes that went on by themselves after a kill
	Again  int            `json:"reasked"` // flushes that were asked for again

	Lost    int `json:"lost"`
	Doubled int `json:"doubled"`
	Revived int `json:"cancelled_and_delivered"`
	Strayed int `json:"in_another_context"`
	Left    int `json:"left_in_queue"`
}

func (d *DriftReport) print(b *strings.Builder) {
	fmt.Fprintf(b, "  acknowledged     %d of %d drifts (%d staged, %d pushed at once, %d repeated under their id)\n", d.Acked, d.Parcels, d.Staged, d.Pushed, d.Repeated)
	fmt.Fprintf(b, "  delivered        %d; cancelled %d, too late %d; died and replayed %d; consented to %d\n", d.Delivered, d.Cancelled, d.TooLate, d.Died, d.Consented)
	fmt.Fprintf(b, "  wrong            lost %d, doubled %d, cancelled and delivered %d, in another context %d, left in the queue %d\n", d.Lost, d.Doubled, d.Revived, d.Strayed, d.Left)
	fmt.Fprintf(b, "  kill -9          %d times; %d flushes went on by themselves, %d were asked for again\n", d.Kills, d.Resume, d.Again)
	ops := make([]string, 0, len(d.Cut))
	for op, n := range d.Cut {
		ops = append(ops, fmt.Sprintf("%s %d", op, n))
	}
	slices.Sort(ops)
	fmt.Fprintf(b, "  cut off          %s\n", strings.Join(ops, ", "))
}

// checkParcels holds what senders know against the drift blocks of all contexts
// and the queue. Copies are the blocks of lost+found. It fills in the counts and
// returns what is wrong.
func checkParcels(d *DriftReport, all []*parcel, found, copies []letter, waiting []string) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	there := make(map[string][]letter)
	for _, l := range found {
		there[l.text] = append(there[l.text], l)
	}
	kept := make(map[string]int)
	for _, l := range copies {
		kept[l.text]++
	}
	ids := make(map[string]string)
	for _, p := range all {
		d.count(p)
		n := 0
		for _, l := range there[p.text] {
			d.Delivered++
			if l.context != p.to {
				d.Strayed++
				wrong("%s: it is in context %s, and was for %s", p, l.context, p.to)
				continue
			}
			n++
			for _, e := range p.differences(l) {
				wrong("%s: %s", p, e)
			}
			if other, taken := ids[l.meta.Drift]; taken && other != p.text {
				wrong("%s: its drift id is that of %q", p, other)
			}
			ids[l.meta.Drift] = p.text
		}
		delete(there, p.text)
		switch least, most := p.expect(); {
		case n > 1:
			d.Doubled++
			wrong("%s: it is there %d times", p, n)
		case n < least:
			d.Lost++
			wrong("%s: it is not there", p)
		case n > most:
			d.Revived++
			wrong("%s: it was cancelled, and is there", p)
		}
		if got := kept[p.text]; p.died && got != 1 || !p.died && got != 0 {
			wrong("%s: lost+found has it %d times; a dead letter: %v", p, got, p.died)
		}
	}
	for text, l := range there {
		wrong("context %s has %q by %s, which nobody sent", l[0].context, text, l[0].author)
	}
	d.Left = len(waiting)
	for _, w := range waiting {
		wrong("in the queue there is still %s", w)
	}
	return problems
}

// count adds a parcel to the counts.
func (d *DriftReport) count(p *parcel) {
	d.Parcels++
	if p.acked {
		d.Acked++
		if p.now {
			d.Pushed++
		} else {
			d.Staged++
		}
	}
	switch p.cancel {
	case takenBack:
		d.Cancelled++
	case foundDelivered:
		d.TooLate++
	}
	if p.died {
		d.Died++
	}
	if p.foreign {
		d.Consented++
	}
}

// differences says what of a delivered block is not as its sender sent it.
func (p *parcel) differences(l letter) (all []string) {
	sender := p.by
	if p.foreign {
		sender = p.sender
	}
	for _, f := range []struct{ what, got, want string }{
		{"the author", l.author, p.by},
		{"meta.principal", l.meta.By.Name, sender},
		{"meta.source_context", l.meta.Source, p.from},
		{"meta.drift_id", l.meta.Drift, p.id},
	} {
		if f.got != f.want && !(f.want == "" && f.what == "meta.drift_id") {
			all = append(all, fmt.Sprintf("%s is %q, want %q", f.what, f.got, f.want))
		}
	}
	return all
}

// parseMeta reads the meta of a drift block; what cannot be read is empty, and
// found to differ.
func parseMeta(text string) (m letterMeta) {
	if json.Unmarshal([]byte(text), &m) != nil {
		return letterMeta{}
	}
	return m
}
