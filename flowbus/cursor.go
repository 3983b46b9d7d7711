package flowbus

import (
	"time"
)

// Cursor is a place in one shard of the feed: the last record that was dealt
// with. A sequence number alone does not name a record, because a stream that
// lost its tail gives the numbers again and one that was made anew begins at 1;
// so the cursor carries what tells them apart. The zero Cursor is before the
// first record.
type Cursor struct {
	Created time.Time // when the stream was made, by the server's clock
	Seq     uint64
	ID      string // message id of the record at Seq
}

// MarshalText writes the cursor in a form that UnmarshalText reads for ever.
func (c Cursor) MarshalText() ([]byte, error) { return nil, errSoon }

// UnmarshalText reads what MarshalText wrote; empty text is the zero Cursor.
func (c *Cursor) UnmarshalText(text []byte) error { return errSoon }
