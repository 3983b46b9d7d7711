package server

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/door/mcpdoor"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/peer"
)

// findWithin is how long it may take to find the context that an agent sits at.
const findWithin = 2 * time.Second

// seatAgent takes a seat for an agent, at the context that it named, if there
// is one.
func (s *Server) seatAgent(seat mcpdoor.Seat) (leave func()) {
	c := op.Call{By: seat.Principal, Right: s.access.Kernel(seat.Principal), Door: "mcp", Session: seat.Instance}
	spec := kernel.SeatSpec{Nick: printable(seat.Nick), Instance: seat.Instance}
	if seat.Context != "" {
		ctx, cancel := context.WithTimeout(context.Background(), findWithin)
		defer cancel()
		if doc, err := s.kernel.Resolve(ctx, c, seat.Context, kaijutsu.RightRead); err == nil {
			spec.Context = doc
		}
	}
	return s.kernel.Sit(c, spec).Leave
}

// seatEditor takes a seat for an editor at a document that it opened.
func (s *Server) seatEditor(at peer.Sitting) peer.Seat {
	c := op.Call{By: at.Principal, Door: "sync"}
	return s.kernel.Sit(c, kernel.SeatSpec{Instance: printable(at.PeerID), Context: at.Document})
}

// printable replaces what of a name does not print.
func printable(name string) string {
	if !utf8.ValidString(name) {
		name = strings.ToValidUTF8(name, "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, name)
}
