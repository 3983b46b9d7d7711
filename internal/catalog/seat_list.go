package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type seatListIn struct {
	Context string `json:"context,omitempty" jsonschema:"Only the seats in this context: its id, its automerge: URL or its title. Default: all seats." rule:"maxlen=1000"`
}

type seatRow struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind"`
	Nick      string `json:"nick" jsonschema:"What its program calls itself."`
	Instance  string `json:"instance" jsonschema:"Tells two seats of one nick apart."`
	Door      string `json:"door" jsonschema:"The door it came through."`
	Context   string `json:"context,omitempty" jsonschema:"Where it sits. Absent when it sits nowhere, or where the caller may not look."`
	Since     string `json:"since"`
}

type seatListOut struct {
	Seats []seatRow `json:"seats" jsonschema:"Those who came first come first."`
}

func (o *operations) seatList() *op.Op {
	return define(o, op.Spec{
		Name: "seat_list", Title: "List seats", Command: []string{"seat", "ls"}, Args: []string{"context"},
		Summary:     "List who is there: the agents that are connected, and where they sit",
		Description: "An agent has a seat from the beginning of its session to its end.",
		Scope:       op.OnKernel, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
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
	for _, s := range o.parts.Kernel.Seats() {
		row := seatRow{
			Principal: s.Principal.Name, Kind: string(s.Principal.Kind), Nick: s.Nick,
			Instance: s.Instance, Door: s.Door, Since: timeText(s.Since),
		}
		var at kaijutsu.DocumentID
		if s.Context != "" {
			if doc, err := o.parts.Kernel.Resolve(ctx, c, s.Context, kaijutsu.RightRead); err == nil {
				at, row.Context = doc, doc.Name()
			}
		}
		if in.Context == "" || at == only {
			out.Seats = append(out.Seats, row)
		}
	}
	return out, nil
}
