package flowbus

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
)

// What may wait for the goroutine that writes: it is behind only while the
// socket takes nothing.
const (
	maxOutMessages = 1024
	maxOutBytes    = 16 << 20
)

// outbound is what was published and not handed to the connection yet.
type outbound struct {
	queue chan *nats.Msg
	bytes atomic.Int64
	mu    sync.Mutex
	idle  *sync.Cond
	n     int
}

func (o *outbound) init() {
	o.queue = make(chan *nats.Msg, maxOutMessages)
	o.idle = sync.NewCond(&o.mu)
}

// Publish sends data to whoever listens now, at most once, and returns at
// once: ErrUnavailable when NATS is away or takes nothing, ErrTooLarge beyond
// MaxMessage, ErrInvalid when the subject (below kj.<kernel>.) is not one.
// data must not be changed afterwards.
func (b *Bus) Publish(subject string, data []byte) error {
	full, err := b.subject(subject, false)
	if err != nil {
		return err
	}
	if err := checkSize("message on "+subject, data); err != nil {
		return err
	}
	if up, _ := b.link.state(); !up {
		return fmt.Errorf("publish on %s: NATS is away: %w", subject, kaijutsu.ErrUnavailable)
	}
	if !b.out.put(b.message(full, data)) {
		return fmt.Errorf("publish on %s: NATS takes nothing: %w", subject, kaijutsu.ErrUnavailable)
	}
	return nil
}

func (o *outbound) put(m *nats.Msg) bool {
	if o.bytes.Add(int64(len(m.Data))) > maxOutBytes {
		o.bytes.Add(-int64(len(m.Data)))
		return false
	}
	o.mu.Lock()
	o.n++
	o.mu.Unlock()
	select {
	case o.queue <- m:
		return true
	default:
		o.took(m)
		return false
	}
}

func (o *outbound) took(m *nats.Msg) {
	o.bytes.Add(-int64(len(m.Data)))
	o.mu.Lock()
	o.n--
	if o.n == 0 {
		o.idle.Broadcast()
	}
	o.mu.Unlock()
}

// settle waits until everything was handed over, for at most d.
func (o *outbound) settle(d time.Duration) {
	late := false
	t := time.AfterFunc(d, func() {
		o.mu.Lock()
		late = true
		o.mu.Unlock()
		o.idle.Broadcast()
	})
	defer t.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.n > 0 && !late {
		o.idle.Wait()
	}
}

// write hands what was published to the connection, which may hold it up.
func (b *Bus) write() {
	for {
		select {
		case <-b.ctx.Done():
			return
		case m := <-b.out.queue:
			if err := b.nc.PublishMsg(m); err != nil {
				b.log.Debug("a message was not sent", "subject", m.Subject, "err", err)
			}
			b.out.took(m)
		}
	}
}
