package flowbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
)

// How much is asked for at once, and how often the server says that it is
// there while it has nothing to give.
const (
	pullMessages  = 512
	pullBytes     = 8 << 20
	pullExpires   = 30 * time.Second
	pullHeartbeat = time.Second
	pullIdle      = 10 * time.Second // heartbeat of a server inside the process
	consumerGone  = time.Minute      // unused for so long, the server forgets a consumer
)

// errInterrupted ends a pull that has to be started again.
var errInterrupted = errors.New("interrupted")

// puller takes the messages of a stream in order, without acknowledging them.
//
// The client library has an ordered consumer that repairs itself. It is not
// used, because it repairs too much: after the stream was made anew, or lost
// its tail, it goes on as if nothing had been (a start beyond the last sequence
// is accepted, one before the first begins at the first). A puller ends at the
// first doubt instead, and who runs it looks at the stream before the next.
type puller struct {
	b        *Bus
	stream   string
	consumer string
	pending  uint64 // messages that the stream had when the consumer was made
	changed  <-chan struct{}
	seen     uint64       // consumer sequence of the last message
	sure     uint64       // seen when rest found all to be well, plus one
	idle     func() error // called when the server says that it has nothing to give; may be nil
}

// startPull makes a consumer of the stream.
func (b *Bus) startPull(ctx context.Context, stream string, cfg jetstream.ConsumerConfig) (*puller, error) {
	p := &puller{b: b, stream: stream}
	up, changed := b.link.state()
	if !up {
		return nil, fmt.Errorf("NATS is away: %w", kaijutsu.ErrUnavailable)
	}
	p.changed = changed
	cfg.AckPolicy = jetstream.AckNonePolicy
	cfg.MemoryStorage = true
	cfg.Replicas = 1
	cfg.InactiveThreshold = consumerGone
	cfg.MaxDeliver = 1
	call, cancel := b.link.while(ctx, apiTimeout)
	defer cancel()
	c, err := b.js.CreateConsumer(call, stream, cfg)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return nil, errStreamGone
	case err != nil:
		return nil, b.failed(ctx, err)
	}
	info := c.CachedInfo()
	p.consumer, p.pending = info.Name, info.NumPending
	return p, nil
}

// stop removes the consumer; the server does so itself when it cannot be told.
func (p *puller) stop() {
	if up, _ := p.b.link.state(); up {
		p.b.nc.Publish("$JS.API.CONSUMER.DELETE."+p.stream+"."+p.consumer, nil)
	}
}

// run calls each with every message until ctx ends (and returns its error),
// each returns an error (and returns that), or there is doubt that all is well
// (and returns errInterrupted with the reason).
func (p *puller) run(ctx context.Context, each func(*nats.Msg, *nats.MsgMetadata) error) error {
	in := make(chan *nats.Msg, 2*pullMessages)
	inbox := p.b.nc.NewInbox()
	sub, err := p.b.nc.ChanSubscribe(inbox, in)
	if err != nil {
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	defer sub.Unsubscribe()
	beat := pullHeartbeat
	if p.b.Embedded() {
		beat = pullIdle
	}
	request, err := json.Marshal(struct {
		Batch     int           `json:"batch"`
		MaxBytes  int           `json:"max_bytes"`
		Expires   time.Duration `json:"expires"`
		Heartbeat time.Duration `json:"idle_heartbeat"`
	}{pullMessages, pullBytes, pullExpires, beat})
	if err != nil {
		return err
	}
	silent := time.NewTimer(2*beat + beat/2)
	defer silent.Stop()
	for left := 0; ; {
		if left == 0 {
			if err := p.b.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+p.stream+"."+p.consumer, inbox, request); err != nil {
				return fmt.Errorf("%w: %w", errInterrupted, err)
			}
			left = pullMessages
		}
		silent.Reset(2*beat + beat/2)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.changed:
			return fmt.Errorf("%w: the connection to NATS changed", errInterrupted)
		case <-silent.C:
			return fmt.Errorf("%w: the consumer is silent", errInterrupted)
		case m := <-in:
			if s := first(m, headerStatus); s != "" {
				over, err := requestOver(s, first(m, "Description"))
				if err != nil {
					return err
				}
				if over {
					left = 0
					continue
				}
				if err := p.rest(ctx, in); err != nil {
					return err
				}
				continue
			}
			left--
			meta, err := m.Metadata()
			if err != nil {
				p.b.refuse("", "", "no place in the stream", m.Subject)
				continue
			}
			if meta.Sequence.Consumer != p.seen+1 {
				return fmt.Errorf("%w: messages %d to %d were lost on the way", errInterrupted, p.seen+1, meta.Sequence.Consumer-1)
			}
			p.seen++
			if err := each(m, meta); err != nil {
				return err
			}
		}
	}
}

// rest is called when the server says that it has nothing to give. It makes
// sure that everything it gave came here: a hole at the end shows in no number.
func (p *puller) rest(ctx context.Context, in <-chan *nats.Msg) error {
	if p.sure != p.seen+1 {
		call, cancel := p.b.link.while(ctx, apiTimeout)
		defer cancel()
		c, err := p.b.js.Consumer(call, p.stream, p.consumer)
		if err != nil {
			return fmt.Errorf("%w: %w", errInterrupted, err)
		}
		if given := c.CachedInfo().Delivered.Consumer; given > p.seen+uint64(len(in)) {
			return fmt.Errorf("%w: %d messages were given and %d came", errInterrupted, given, p.seen)
		}
		p.sure = p.seen + 1
	}
	if p.idle != nil && len(in) == 0 {
		return p.idle()
	}
	return nil
}

// requestOver says what a status message means: that the server waits (false),
// that the request ended and another is due (true), or that the consumer is no
// more (errInterrupted).
func requestOver(status, text string) (bool, error) {
	switch {
	case status == "100":
		return false, nil
	case status == "404", status == "408",
		status == "409" && (strings.Contains(text, "MaxBytes") || strings.Contains(text, "Batch Completed")):
		return true, nil
	}
	return false, fmt.Errorf("%w: %s %s", errInterrupted, status, text)
}

// retry waits before another attempt: longer each time, up to 2 s, and until
// NATS is back. It returns false when ctx ended.
type retry struct{ wait time.Duration }

const (
	retryFirst = 50 * time.Millisecond
	retryMost  = 2 * time.Second
)

func (r *retry) again(ctx context.Context, b *Bus) bool {
	r.wait = min(max(2*r.wait, retryFirst), retryMost)
	t := time.NewTimer(r.wait)
	defer t.Stop()
	up, changed := b.link.state()
	for {
		late := t.C
		if !up {
			late = nil // there is no sense in trying
		}
		select {
		case <-ctx.Done():
			return false
		case <-b.ctx.Done():
			return false
		case <-changed:
			up, changed = b.link.state()
			if up {
				r.wait = 0
				return true
			}
		case <-late:
			return true
		}
	}
}
