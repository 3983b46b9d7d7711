package blocks

import (
	"fmt"
	"time"

	"kaijutsu"
)

// Line is a line of a block and the change that wrote it last.
type Line struct {
	Actor      kaijutsu.ActorID
	Change     kaijutsu.ChangeHash
	Time       time.Time // of the author's clock, in whole seconds
	Start, Len int       // code points, without the line feed
}

// Lines says of each line of a block who wrote it last.
func (m *Model) Lines(id ID, log Log) ([]Line, error) {
	return nil, fmt.Errorf("lines of block %s: %w", id, kaijutsu.ErrUnavailable)
}
