package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

type presenceSetIn struct {
	inContext
	seatName
	Cursor    *cursorIn    `json:"cursor,omitempty" jsonschema:"Where your cursor is. Default: nowhere."`
	Selection *selectionIn `json:"selection,omitempty" jsonschema:"What you have selected. Default: nothing."`
	Typing    bool         `json:"typing,omitempty" jsonschema:"You are writing just now."`
}

type cursorIn struct {
	Block string `json:"block" jsonschema:"The id of the block." rule:"minlen=36,maxlen=36"`
	Pos   int    `json:"pos,omitempty" jsonschema:"How many characters are in front of it." rule:"min=0"`
}

type selectionIn struct {
	Block string `json:"block" jsonschema:"The id of the block." rule:"minlen=36,maxlen=36"`
	Start int    `json:"start,omitempty" jsonschema:"How many characters are in front of it." rule:"min=0"`
	End   int    `json:"end,omitempty" jsonschema:"How many characters are in front of its end." rule:"min=0"`
}

// presenceSetOut is the seat whose presence it is.
type presenceSetOut struct{ seatRow }

func (o *operations) presenceSet() *op.Op {
	return define(o, op.Spec{
		Name: "presence_set", Title: "Set your presence",
		Summary: "Show what you are doing at a context: where your cursor is, what is selected, that you write",
		Description: "It replaces what you showed before, is shown to whoever follows the context and may read it, as the event seat.presence, and stored nowhere. " +
			"Of quick calls only the last is shown, at most one in 75 milliseconds. It ends with the seat, which is taken as by seat_join, and when it is not set again within 30 seconds; without parameters you do nothing. " +
			"Positions are shown as they are given.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("presence_set"),
	}, o.setPresence)
}

func (o *operations) setPresence(ctx context.Context, c op.Call, in presenceSetIn) (presenceSetOut, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead)
	if err != nil {
		return presenceSetOut{}, err
	}
	p := kernel.Presence{Typing: in.Typing}
	if at := in.Cursor; at != nil {
		p.Cursor = &kernel.CursorAt{Block: blocks.ID(at.Block), Pos: at.Pos}
	}
	if at := in.Selection; at != nil {
		if at.End < at.Start {
			return presenceSetOut{}, &op.FieldError{Field: "selection.end", Reason: "it is in front of the start"}
		}
		p.Selection = &kernel.SelectionAt{Block: blocks.ID(at.Block), Start: at.Start, End: at.End}
	}
	s, err := o.parts.Kernel.SetPresence(c, kernel.SeatSpec{Nick: in.Nick, Instance: in.Instance, Context: doc}, p)
	if err != nil {
		return presenceSetOut{}, err
	}
	return presenceSetOut{seatRowOf(s)}, nil
}
