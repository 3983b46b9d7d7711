package flowbus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
)

// What of one shard may be under way.
const (
	windowRecords = 256
	windowBytes   = 16 << 20
	ackTimeout    = apiTimeout
	sweepEvery    = 250 * time.Millisecond
)

// Ack is what becomes of a record that was appended.
type Ack struct {
	shard int
	size  int
	sent  time.Time

	done chan struct{}
	seq  uint64
	dup  bool
	err  error
}

// Done is closed when the outcome is known; that takes at most 6 s.
func (a *Ack) Done() <-chan struct{} { return a.done }

// Err waits for the outcome. ErrUnavailable: append it again later, with the
// same id; it may have been stored. ErrInvalid, ErrTooLarge: it never can be.
func (a *Ack) Err() error { <-a.done; return a.err }

// Seq waits for the outcome and returns the record's sequence number.
func (a *Ack) Seq() uint64 { <-a.done; return a.seq }

// Duplicate waits for the outcome and reports whether the stream had the id.
func (a *Ack) Duplicate() bool { <-a.done; return a.dup }

func (a *Ack) finish(seq uint64, dup bool, err error) {
	a.seq, a.dup, a.err = seq, dup, err
	close(a.done)
}

// Append puts a record in a shard, asynchronously. At most 256 records (and 16
// MiB) of a shard are under way; Append waits for room until ctx ends. subject
// is below kj.<kernel>.node.feed.<shard>.; id is the record's message id, 1 to
// 256 printable characters without spaces: a second one with the same id within
// two minutes is swallowed as a duplicate. What goes wrong is told by the Ack.
func (f *Feed) Append(ctx context.Context, shard int, subject, id string, data []byte) *Ack {
	a := &Ack{shard: shard, size: len(data), done: make(chan struct{})}
	if err := checkRecord(shard, subject, id, data); err != nil {
		a.finish(0, false, err)
		return a
	}
	w := &f.shards[shard]
	if err := w.enter(ctx, a.size); err != nil {
		a.finish(0, false, fmt.Errorf("append to shard %d: %w", shard, err))
		return a
	}
	if up, _ := f.b.link.state(); !up {
		w.leave(a.size)
		a.finish(0, false, fmt.Errorf("append to shard %d: NATS is away: %w", shard, kaijutsu.ErrUnavailable))
		return a
	}
	m := f.b.message(f.prefix(shard)+subject, data)
	m.Header[headerID] = []string{id}
	a.sent = time.Now()
	f.mu.Lock()
	f.next++
	token := f.next
	f.pending[token] = a
	f.mu.Unlock()
	m.Reply = f.inbox + "." + strconv.FormatUint(token, 36)
	if err := f.b.nc.PublishMsg(m); err != nil {
		f.settle(token, 0, false, unavailable(fmt.Sprintf("append to shard %d", shard), err))
	}
	return a
}

func checkRecord(shard int, subject, id string, data []byte) error {
	if shard < 0 || shard >= Shards {
		return fmt.Errorf("append: shard %d: want 0 to %d: %w", shard, Shards-1, kaijutsu.ErrInvalid)
	}
	if err := checkSubject(subject, false); err != nil {
		return fmt.Errorf("append: %w", err)
	}
	if !goodID(id) {
		return fmt.Errorf("append: message id of %d characters: want 1 to %d printable ones: %w", len(id), maxIDChars, kaijutsu.ErrInvalid)
	}
	return checkSize("append: record", data)
}

// settle gives a record its outcome, once.
func (f *Feed) settle(token, seq uint64, dup bool, err error) {
	f.mu.Lock()
	a := f.pending[token]
	delete(f.pending, token)
	f.mu.Unlock()
	if a == nil {
		return
	}
	f.shards[a.shard].leave(a.size)
	a.finish(seq, dup, err)
}

// listen opens the inbox of the acknowledgements and looks after those that do
// not come.
func (f *Feed) listen() error {
	f.inbox = nats.NewInbox()
	s, err := f.b.nc.Subscribe(f.inbox+".*", f.take)
	if err != nil {
		return unavailable("open the inbox of the feed", err)
	}
	if err := s.SetPendingLimits(4*Shards*windowRecords, -1); err != nil {
		return err
	}
	f.b.spawn(f.sweep)
	return nil
}

func (f *Feed) take(m *nats.Msg) {
	token, err := strconv.ParseUint(strings.TrimPrefix(m.Subject, f.inbox+"."), 36, 64)
	if err != nil {
		return
	}
	f.mu.Lock()
	a := f.pending[token]
	f.mu.Unlock()
	if a == nil {
		return
	}
	ack, err := parseAck(m, f.stream(a.shard))
	if err != nil {
		if errors.Is(err, errNoStream) {
			f.repair(a.shard)
		}
		err = fmt.Errorf("append to shard %d: %w", a.shard, err)
	}
	f.settle(token, ack.Seq, ack.Duplicate, err)
}

// sweep gives up records whose acknowledgement did not come: after the
// connection changed at once, because it will not, and otherwise in time.
func (f *Feed) sweep() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	_, changed := f.b.link.state()
	for {
		before := time.Now().Add(-ackTimeout)
		select {
		case <-f.b.ctx.Done():
			f.giveUp(time.Now().Add(time.Hour), "the bus is closed")
			return
		case <-changed:
			_, changed = f.b.link.state()
			f.giveUp(time.Now(), "the connection to NATS was interrupted")
		case <-tick.C:
			f.giveUp(before, fmt.Sprintf("no acknowledgement within %v", ackTimeout))
		}
	}
}

// giveUp settles the records that were sent before a time.
func (f *Feed) giveUp(before time.Time, why string) {
	f.mu.Lock()
	var tokens []uint64
	for token, a := range f.pending {
		if a.sent.Before(before) {
			tokens = append(tokens, token)
		}
	}
	f.mu.Unlock()
	for _, token := range tokens {
		f.settle(token, 0, false, fmt.Errorf("append: %s: %w", why, kaijutsu.ErrUnavailable))
	}
}

// repair makes a shard's stream again, if it is gone: one attempt at a time.
func (f *Feed) repair(shard int) {
	w := &f.shards[shard]
	if !w.repairing.TryLock() {
		return
	}
	f.b.spawn(func() {
		defer w.repairing.Unlock()
		if _, err := f.b.ensure(f.b.ctx, f.config(shard)); err != nil {
			f.b.log.Debug("make a stream again", "err", err)
		}
	})
}

// window bounds what of one shard is under way.
type window struct {
	repairing sync.Mutex

	mu      sync.Mutex
	records int
	bytes   int
	freed   chan struct{} // closed when something left
}

func (w *window) init() { w.freed = make(chan struct{}) }

// enter waits for room until ctx ends. One record always fits.
func (w *window) enter(ctx context.Context, size int) error {
	for {
		w.mu.Lock()
		if w.records == 0 || w.records < windowRecords && w.bytes+size <= windowBytes {
			w.records++
			w.bytes += size
			w.mu.Unlock()
			return nil
		}
		freed := w.freed
		w.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-freed:
		}
	}
}

func (w *window) leave(size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records--
	w.bytes -= size
	close(w.freed)
	w.freed = make(chan struct{})
}
