package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

// seatName is what tells a caller's seats apart.
type seatName struct {
	Nick     string `json:"nick,omitempty" jsonschema:"What you call yourself. Default: your name." rule:"maxlen=64"`
	Instance string `json:"instance,omitempty" jsonschema:"Tells two seats of one nick apart: a device, a session. Default: that of the call, which is its session, or the header Kaijutsu-Instance." rule:"maxlen=64"`
}

type seatJoinIn struct {
	inContext
	seatName
	Status string `json:"status,omitempty" jsonschema:"What the seat shows, whatever you do. Default: active, idle after a minute without doing anything, away after ten." rule:"enum=active|idle|away"`
}

type seatJoinOut struct {
	seatRow
	Lease int `json:"lease_s" jsonschema:"Take the seat again within so many seconds, or call any operation as the same instance."`
}

func (o *operations) seatJoin() *op.Op {
	return define(o, op.Spec{
		Name: "seat_join", Title: "Take a seat", Command: []string{"seat", "join"}, Args: []string{"context"},
		Summary: "Say that you are there, at a context or at none",
		Description: "The seat lasts for 15 seconds, and again as long each time that you call this, or any operation with the same instance; as long as your connection does, where you have one. " +
			"Everybody who may read the context sees it, on every server of the kernel.\n\n" +
			"A nick and instance that somebody else has are a conflict; your own seat you take over.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("seat_join"),
	}, o.joinSeat)
}

func (o *operations) joinSeat(ctx context.Context, c op.Call, in seatJoinIn) (seatJoinOut, error) {
	spec, err := o.seatSpec(ctx, c, in.inContext, in.seatName)
	if err != nil {
		return seatJoinOut{}, err
	}
	spec.Status = kernel.SeatStatus(in.Status)
	s, err := o.parts.Kernel.JoinSeat(ctx, c, spec)
	if err != nil {
		return seatJoinOut{}, err
	}
	return seatJoinOut{seatRowOf(s), int(o.parts.Kernel.SeatLease().Seconds())}, nil
}

// seatSpec finds which seat is meant; one at no context where neither the
// parameters nor the call name any.
func (o *operations) seatSpec(ctx context.Context, c op.Call, at inContext, name seatName) (kernel.SeatSpec, error) {
	spec := kernel.SeatSpec{Nick: name.Nick, Instance: name.Instance}
	if at.Context == "" && c.Context == "" {
		return spec, nil
	}
	var err error
	spec.Context, err = o.parts.Kernel.Resolve(ctx, c, at.Context, kaijutsu.RightRead)
	return spec, err
}
