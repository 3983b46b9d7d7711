package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type seatLeaveIn struct {
	inContext
	seatName
}

type seatLeaveOut struct {
	Left int `json:"left" jsonschema:"How many seats were given back; 0 when there was none."`
}

func (o *operations) seatLeave() *op.Op {
	return define(o, op.Spec{
		Name: "seat_leave", Title: "Leave a seat", Command: []string{"seat", "leave"}, Args: []string{"context"},
		Summary:     "Give your seat back",
		Description: "Of the nick and instance: the seat at the context, or all of them when no context is named and the call has none. Seats of others are theirs to leave.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("seat_leave"),
	}, o.leaveSeat)
}

func (o *operations) leaveSeat(ctx context.Context, c op.Call, in seatLeaveIn) (seatLeaveOut, error) {
	spec, err := o.seatSpec(ctx, c, in.inContext, in.seatName)
	if err != nil {
		return seatLeaveOut{}, err
	}
	return seatLeaveOut{o.parts.Kernel.LeaveSeats(c, spec)}, nil
}
