package flowbus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
)

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
	Last    bool      // none is known to follow: the shard is caught up
	// Refused says that it is no record of this version: there is nothing to do
	// but to go on behind it. Only Shard, Seq, Time, Cursor and Last are set.
	Refused bool
}

// consumption is one Consume.
type consumption struct {
	f     *Feed
	shard int
	each  func(Record) error
	reset func(string)

	at      Cursor    // the last record that was dealt with
	created time.Time // of the stream that is read
	last    uint64    // sequence number of the last message, dealt with or refused; 0: none yet
}

// Consume calls each with the records of a shard after the cursor, also this
// node's own and those that are refused, in order, until ctx ends (and returns
// its error) or each returns an error (and returns that). It waits for NATS,
// makes the stream when it is gone, and goes on after every interruption where
// it was.
//
// When the cursor does not hold, or records were gone before they were read,
// reset is called with the reason in plain words, and records come from the
// first that is there: some again, some never. The caller then compares itself
// with the other nodes. The zero cursor always holds: who has none has to
// compare anyhow.
func (f *Feed) Consume(ctx context.Context, shard int, from Cursor, each func(Record) error, reset func(why string)) error {
	if shard < 0 || shard >= Shards {
		return fmt.Errorf("consume: shard %d: want 0 to %d: %w", shard, Shards-1, kaijutsu.ErrInvalid)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.b.ctx, cancel)()
	c := &consumption{f: f, shard: shard, each: each, reset: reset, at: from}
	var again retry
	for {
		was := c.at.Seq
		err := c.run(ctx)
		var caller callerError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &caller):
			return caller.err
		}
		f.b.log.Debug("reading the feed begins anew", "shard", shard, "at", c.at.Seq, "err", err)
		if c.at.Seq != was {
			again.wait = 0
		}
		if err == errAgain {
			continue
		}
		if errors.Is(err, errStreamGone) {
			if _, err := f.b.ensure(ctx, f.config(shard)); err == nil {
				continue
			}
		}
		if !again.again(ctx, f.b) {
			return context.Cause(ctx)
		}
	}
}

// callerError is an error of the caller's function, which ends Consume.
type callerError struct{ err error }

func (e callerError) Error() string { return e.err.Error() }

// run reads until something is wrong.
func (c *consumption) run(ctx context.Context) error {
	name := c.f.stream(c.shard)
	// The consumer comes first and the look at the stream second: a stream that
	// is made anew in between takes the consumer with it.
	p, err := c.f.b.startPull(ctx, name, c.config())
	if err != nil {
		return err
	}
	defer p.stop()
	info, err := c.f.b.streamInfo(ctx, name)
	if err != nil {
		return err
	}
	why, err := c.at.holds(ctx, c.f.b, info)
	if err != nil {
		return err
	}
	c.created = info.Created
	if why == "" {
		c.last = c.at.Seq
		return p.run(ctx, c.take)
	}
	c.f.b.log.Warn("the feed is read again from its first record", "shard", c.shard, "why", why)
	c.at, c.last = Cursor{}, 0
	c.reset(why)
	return errAgain
}

// errAgain has Consume look again at once.
var errAgain = errors.New("the cursor did not hold")

func (c *consumption) config() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:   c.at.Seq + 1,
	}
}

func (c *consumption) take(m *nats.Msg, meta *nats.MsgMetadata) error {
	seq := meta.Sequence.Stream
	if c.last > 0 && seq > c.last+1 {
		c.reset(fmt.Sprintf("records %d to %d are no more in the stream", c.last+1, seq-1))
	}
	c.last = seq
	r := Record{
		Shard: c.shard, Seq: seq, Time: meta.Timestamp, Last: meta.NumPending == 0,
		Cursor: Cursor{Created: c.created, Seq: seq, ID: recordID(m.Header)},
	}
	node, ok := c.f.b.check(m) // it may be old, or our own
	prefix := c.f.prefix(c.shard)
	if ok && (r.Cursor.ID == "" || !strings.HasPrefix(m.Subject, prefix)) {
		c.f.b.refuse(node, "", "a record without an id", m.Subject)
		ok = false
	}
	if r.Refused = !ok; ok {
		r.Subject, r.Node, r.ID, r.Data = m.Subject[len(prefix):], node, r.Cursor.ID, m.Data
	}
	if err := c.each(r); err != nil {
		return callerError{err}
	}
	c.at = r.Cursor
	return nil
}
