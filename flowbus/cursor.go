package flowbus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
)

const maxIDChars = 256

// Cursor is a place in one shard of the feed: the last record that was dealt
// with. A sequence number alone does not name a record, because a stream that
// lost its tail gives the numbers again and one that was made anew begins at 1;
// so the cursor carries what tells them apart. The zero Cursor is before the
// first record.
type Cursor struct {
	Created time.Time // when the stream was made, by the server's clock
	Seq     uint64
	ID      string // message id of the record at Seq; "" when it has none
}

// MarshalText writes the cursor as "1 <seq> <created, RFC 3339> <id>".
func (c Cursor) MarshalText() ([]byte, error) {
	if c.Seq == 0 {
		return []byte{}, nil
	}
	return fmt.Appendf(nil, "1 %d %s %s", c.Seq, c.Created.UTC().Format(time.RFC3339Nano), c.ID), nil
}

// UnmarshalText reads what MarshalText wrote; empty text is the zero Cursor.
func (c *Cursor) UnmarshalText(text []byte) error {
	*c = Cursor{}
	if len(text) == 0 {
		return nil
	}
	fields := strings.SplitN(string(text), " ", 4)
	if len(fields) != 4 || fields[0] != "1" {
		return fmt.Errorf("cursor %q: want \"1 seq created id\": %w", clip(string(text)), kaijutsu.ErrInvalid)
	}
	seq, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil || seq == 0 {
		return fmt.Errorf("cursor: sequence number %q: %w", fields[1], kaijutsu.ErrInvalid)
	}
	created, err := time.Parse(time.RFC3339Nano, fields[2])
	if err != nil {
		return fmt.Errorf("cursor: time %q: %w", fields[2], kaijutsu.ErrInvalid)
	}
	*c = Cursor{Created: created, Seq: seq, ID: fields[3]}
	return nil
}

// holds checks that a cursor names a record of the stream as it is now, since
// the server does not: it says in plain words why not, or "".
func (c Cursor) holds(ctx context.Context, b *Bus, info *jetstream.StreamInfo) (why string, err error) {
	s := info.State
	switch {
	case c.Seq == 0:
		return "", nil
	case !c.Created.Equal(info.Created):
		return fmt.Sprintf("the stream was made anew at %s (before: %s)", info.Created.UTC().Format(time.RFC3339), c.Created.UTC().Format(time.RFC3339)), nil
	case c.Seq > s.LastSeq:
		return fmt.Sprintf("the stream lost its end: it goes to %d and we had read %d", s.LastSeq, c.Seq), nil
	case c.Seq+1 < s.FirstSeq:
		return fmt.Sprintf("the stream dropped what was not read yet: it begins at %d and we had read %d", s.FirstSeq, c.Seq), nil
	case c.Seq < s.FirstSeq: // all that is there follows directly
		return "", nil
	}
	m, err := b.read(ctx, info.Config.Name, c.Seq, "")
	switch {
	case errors.Is(err, errStreamGone):
		return "", err
	case errors.Is(err, kaijutsu.ErrNotFound):
		return fmt.Sprintf("record %d, the last one read, is no more in the stream", c.Seq), nil
	case err != nil:
		return "", err
	}
	if recordID(m.header()) != c.ID {
		return fmt.Sprintf("the stream lost its end and gave number %d to another record", c.Seq), nil
	}
	return "", nil
}

// recordID returns the message id of a record, "" when it has none that we
// would give.
func recordID(h nats.Header) string {
	id := h[headerID]
	if len(id) == 0 || !goodID(id[0]) {
		return ""
	}
	return id[0]
}

func goodID(id string) bool {
	return id != "" && len(id) <= maxIDChars && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}
