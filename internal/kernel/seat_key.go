package kernel

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"kaijutsu"
)

// What of seats is in NATS. A key is seat.<context>.<name>: the hexadecimal id
// of the context, or "-", and a hash of nick and instance, which may be any text
// and are in the value.
const (
	seatPrefix   = "seat."
	leftPrefix   = "left." // of a seat that expired: who tells of it
	seatVersion  = 1
	maxSeatValue = 4 << 10
)

// remote is a seat of another node.
type remote struct {
	Seat
	id, key string
	heard   time.Time
	missing time.Time // since when NATS does not know of it any more; zero: it does
	ghost   bool      // this node held it before it was started anew
}

type seatRow struct {
	V        int       `json:"v"`
	ID       string    `json:"id"`
	Node     string    `json:"node"`
	Process  string    `json:"process"` // of the node: another one after each start
	By       whoRow    `json:"by"`
	Nick     string    `json:"nick"`
	Instance string    `json:"instance"`
	Door     string    `json:"door,omitempty"`
	Context  string    `json:"context,omitempty"`
	Since    time.Time `json:"since"`
	Status   string    `json:"status"`
	// Left says that the seat was given back, which its node has told.
	Left bool `json:"left,omitempty"`
}

// keyOf returns the key of a seat in NATS.
func keyOf(k seatKey) string {
	at := "-"
	if b := k.context.Bytes(); len(b) > 0 {
		at = hex.EncodeToString(b)
	}
	sum := sha256.Sum256([]byte(k.nick + "\x00" + k.instance))
	return seatPrefix + at + "." + hex.EncodeToString(sum[:16])
}

// valueLocked returns what NATS is to hold of a seat.
func (t *seats) valueLocked(s *seat) []byte {
	row := seatRow{
		V: seatVersion, ID: s.id, Node: s.Node, Process: t.process, By: whoRow{s.Principal.Name, s.Principal.Kind},
		Nick: s.Nick, Instance: s.Instance, Door: s.Door, Since: s.Since, Status: string(s.Status), Left: s.gone,
	}
	if !s.Context.IsZero() {
		row.Context = s.Context.String()
	}
	value, err := json.Marshal(row)
	if err != nil { // strings and a time always encode
		return nil
	}
	return value
}

// decodeSeat reads a seat out of NATS, where anybody may have written it. The
// error wraps kaijutsu.ErrInvalid.
func decodeSeat(key string, value []byte) (r remote, row seatRow, err error) {
	bad := func(what string) (remote, seatRow, error) {
		return remote{}, row, fmt.Errorf("seat %.100q: %s: %w", key, what, kaijutsu.ErrInvalid)
	}
	if len(value) > maxSeatValue {
		return bad("it is too large")
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&row); err != nil {
		return bad(err.Error())
	}
	r = remote{id: row.ID, key: key, Seat: Seat{
		Principal: kaijutsu.Principal{Name: row.By.Name, Kind: row.By.Kind}, Nick: row.Nick, Instance: row.Instance,
		Door: row.Door, Since: row.Since, Status: SeatStatus(row.Status), Node: row.Node,
	}}
	if row.Context != "" {
		if r.Context, err = kaijutsu.ParseDocumentID(row.Context); err != nil {
			return bad(err.Error())
		}
	}
	spec := SeatSpec{Nick: r.Nick, Instance: r.Instance, Status: r.Status}
	switch err := spec.check(); {
	case err != nil:
		return bad(err.Error())
	case row.V != seatVersion:
		return bad(fmt.Sprintf("it is of version %d, this node reads %d", row.V, seatVersion))
	case !shows(r.id, 64) || !shows(r.Principal.Name, 64) || !shows(r.Node, 64) || r.Status == "" || len(r.Door) > 64:
		return bad("a field is empty, too long or does not print")
	case key != keyOf(seatKey{r.Nick, r.Instance, r.Context}):
		return bad("it is not the key of this seat")
	}
	return r, row, nil
}

// leftValue is what is written over a seat that was given back.
func leftValue(row seatRow) []byte {
	row.Left = true
	value, err := json.Marshal(row)
	if err != nil { // strings and a time always encode
		return nil
	}
	return value
}

// newSeatID returns an id that nobody else has.
func newSeatID() string { return rand.Text() }
