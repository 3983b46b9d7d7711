package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

type seatListIn struct {
	Context string `json:"context,omitempty" jsonschema:"Only the seats at this context: its id, its automerge: URL, its label, its title or what else names it. Default: all seats." rule:"maxlen=1000"`
}

type seatRow struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind"`
	Nick      string `json:"nick" jsonschema:"What its program calls itself."`
	Instance  string `json:"instance" jsonschema:"Tells two seats of one nick apart."`
	Door      string `json:"door" jsonschema:"The door it came through."`
	Context   string `json:"context,omitempty" jsonschema:"Where it sits. Absent when it sits nowhere."`
	Status    string `json:"status" jsonschema:"active, idle after a minute without doing anything, away after ten; or what it says itself."`
	Node      string `json:"node,omitempty" jsonschema:"The server that it is connected to."`
	Since     string `json:"since"`
	Unread    int    `json:"unread,omitempty" jsonschema:"How many drift blocks of the context its principal has not read. Absent when there are none."`
}

type seatListOut struct {
	Seats []seatRow `json:"seats" jsonschema:"Those who came first come first."`
}

func (o *operations) seatList() *op.Op {
	return define(o, op.Spec{
		Name: "seat_list", Title: "List seats", Command: []string{"seat", "ls"}, Args: []string{"context"},
		Summary: "List who is there, on every server of the kernel, and where they sit",
		Description: "An editor has a seat at each context that it has open, an agent one as long as it is connected, and whoever calls seat_join one for 15 seconds at a time. " +
			"Seats at contexts that you may not read are left out, and those at no context when you may not read the kernel.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("seat_list"),
	}, o.listSeats)
}

func (o *operations) listSeats(ctx context.Context, c op.Call, in seatListIn) (seatListOut, error) {
	out := seatListOut{Seats: []seatRow{}}
	var only kaijutsu.DocumentID
	if in.Context != "" {
		var err error
		if only, err = o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead); err != nil {
			return out, err
		}
	}
	for _, s := range o.parts.Kernel.Seats(c, only) {
		row := seatRowOf(s)
		row.Unread = o.parts.Kernel.UnreadAt(s)
		out.Seats = append(out.Seats, row)
	}
	return out, nil
}

func seatRowOf(s kernel.Seat) seatRow {
	row := seatRow{
		Principal: s.Principal.Name, Kind: string(s.Principal.Kind), Nick: s.Nick, Instance: s.Instance, Door: s.Door,
		Status: string(s.Status), Node: s.Node, Since: timeText(s.Since),
	}
	if !s.Context.IsZero() {
		row.Context = s.Context.Name()
	}
	return row
}
