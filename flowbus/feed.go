package flowbus

import (
	"context"
	"hash/fnv"
	"time"

	"kaijutsu"
)

// Shards is the number of streams that the feed is spread over.
const Shards = 8

// Shard returns the shard of a document.
func Shard(doc kaijutsu.DocumentID) int {
	h := fnv.New64a()
	h.Write(doc.Bytes())
	return int(h.Sum64() % Shards)
}

// Feed is the JetStream feed of the kernel's changes: Shards streams that keep
// 72 hours for nodes that were away. It is safe for concurrent use.
type Feed struct{ b *Bus }

// Feed returns the feed, or nil when the bus is embedded.
func (b *Bus) Feed() *Feed {
	if b.Embedded() {
		return nil
	}
	return &Feed{b}
}

// Ready makes the streams that are missing. Append and Consume do so for their
// shard when they find it gone, so that Ready is needed only to know.
func (f *Feed) Ready(ctx context.Context) error { return errSoon }

// Append puts a record in a shard, asynchronously. At most 256 records (and 16
// MiB) of a shard are under way; Append waits for room until ctx ends. subject
// is below kj.<kernel>.node.feed.<shard>.; id is the record's message id: a
// second one with the same id within two minutes is swallowed as a duplicate.
// What goes wrong is told by the Ack.
func (f *Feed) Append(ctx context.Context, shard int, subject, id string, data []byte) *Ack {
	a := newAck()
	a.finish(0, false, errSoon)
	return a
}

// Ack is what becomes of a record that was appended.
type Ack struct {
	done chan struct{}
	seq  uint64
	dup  bool
	err  error
}

func newAck() *Ack { return &Ack{done: make(chan struct{})} }

func (a *Ack) finish(seq uint64, dup bool, err error) {
	a.seq, a.dup, a.err = seq, dup, err
	close(a.done)
}

// Done is closed when the outcome is known; that takes at most 5 s.
func (a *Ack) Done() <-chan struct{} { return a.done }

// Err waits for the outcome. ErrUnavailable: append it again later, with the
// same id; it may have been stored.
func (a *Ack) Err() error { <-a.done; return a.err }

// Seq waits for the outcome and returns the record's sequence number.
func (a *Ack) Seq() uint64 { <-a.done; return a.seq }

// Duplicate waits for the outcome and reports whether the stream had the id.
func (a *Ack) Duplicate() bool { <-a.done; return a.dup }

// Record is one record of the feed.
type Record struct {
	Shard   int
	Subject string // below kj.<kernel>.node.feed.<shard>.
	Node    string // who appended it; may be this node
	ID      string
	Data    []byte // the receiver may keep it
	Seq     uint64
	Time    time.Time // when the stream took it, by the server's clock
	Cursor  Cursor    // keep it with what the record changed, and give it to Consume
	Last    bool      // no record is known to follow: the shard is caught up
}

// Consume calls each with the records of a shard after the cursor, also this
// node's own, in order, until ctx ends (and returns its error) or each returns
// an error (and returns that). It waits for NATS, makes the stream when it is
// gone, and goes on after every interruption where it was.
//
// When the cursor does not hold, or records were gone before they were read,
// reset is called with the reason in plain words, and records come from the
// first that is there: some again, some never. The caller then compares itself
// with the other nodes.
func (f *Feed) Consume(ctx context.Context, shard int, from Cursor, each func(Record) error, reset func(why string)) error {
	return errSoon
}
