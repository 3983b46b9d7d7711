package flowbus

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

const maxServing = 32

// Serve answers the questions of other nodes on the subject. f runs on a
// goroutine of its own per question, at most 32 at a time (more are refused
// with ErrUnavailable), and sends its answer as any number of parts, each at
// most MaxMessage; send waits while the asker is behind, and must not be called
// after f returned. ctx ends when the asker gave up or NATS went away. An error
// of f reaches the asker with its text and its sentinel. stop ends running
// answers and does not wait for them.
func (b *Bus) Serve(subject string, f func(ctx context.Context, m Message, send func([]byte) error) error) (stop func(), err error) {
	full, err := b.subject(subject, true)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(b.ctx)
	places := make(chan struct{}, maxServing)
	sub, err := b.nc.Subscribe(full, func(m *nats.Msg) {
		node, ok := b.admit(m)
		if !ok || node == b.cfg.Node || ctx.Err() != nil {
			return
		}
		if m.Reply == "" {
			b.refuse(node, "", "a question without an inbox", m.Subject)
			return
		}
		select {
		case places <- struct{}{}:
		default:
			end := b.word(m.Reply, "end", 0, nil)
			setError(end, fmt.Errorf("%d questions are being answered: %w", maxServing, kaijutsu.ErrUnavailable))
			b.nc.PublishMsg(end)
			return
		}
		b.spawn(func() {
			defer func() { <-places }()
			b.answer(ctx, Message{Subject: m.Subject[len(b.prefix):], Node: node, Data: m.Data}, m.Reply, f)
		})
	})
	if err != nil {
		cancel()
		return nil, unavailable("serve "+subject, err)
	}
	if err := sub.SetPendingLimits(maxPendingMessages, maxPendingBytes); err != nil {
		cancel()
		return nil, fmt.Errorf("serve %s: %w", subject, err)
	}
	b.known()
	return sync.OnceFunc(func() {
		cancel()
		sub.Unsubscribe()
	}), nil
}

// answering is one answer that is being sent.
type answering struct {
	b       *Bus
	to      string // the asker's inbox
	address string // ours

	mu    sync.Mutex // orders what is sent
	sent  uint64
	acked uint64
	moved chan struct{} // holds one when acked grew
}

func (b *Bus) answer(ctx context.Context, m Message, to string, f func(context.Context, Message, func([]byte) error) error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	address, in := b.calls.start()
	defer b.calls.end(address)
	a := &answering{b: b, to: to, address: address, moved: make(chan struct{}, 1)}
	_, changed := b.link.state()
	a.say("alive", nil, nil)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(guard.Func(b.cfg.Log, "words of an asker", func() {
		defer cancel()
		a.hear(in, changed, done, cancel)
	}))
	err := f(ctx, m, func(data []byte) error { return a.send(ctx, data) })
	close(done)
	wg.Wait()
	a.say("end", nil, func(m *nats.Msg) { setError(m, err) })
}

// say sends one message of the answer.
func (a *answering) say(answer string, data []byte, more func(*nats.Msg)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if answer == "part" {
		a.sent++
	}
	m := a.b.word(a.to, answer, a.sent, data)
	m.Reply = a.address
	if more != nil {
		more(m)
	}
	return a.b.nc.PublishMsg(m)
}

// send sends one part, when the asker has dealt with enough of those before.
func (a *answering) send(ctx context.Context, data []byte) error {
	if err := checkSize("part of an answer", data); err != nil {
		return err
	}
	late := time.NewTimer(ackWithin)
	defer late.Stop()
	for !a.room() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("send an answer: the asker gave up or NATS went away: %w", kaijutsu.ErrUnavailable)
		case <-late.C:
			return fmt.Errorf("send an answer: the asker took nothing for %v: %w", ackWithin, kaijutsu.ErrUnavailable)
		case <-a.moved:
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("send an answer: the asker gave up or NATS went away: %w", kaijutsu.ErrUnavailable)
	}
	if err := a.say("part", data, nil); err != nil {
		return unavailable("send an answer", err)
	}
	return nil
}

func (a *answering) room() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sent < a.acked+answerWindow
}

// hear takes the asker's word and says that the answer is alive.
func (a *answering) hear(in <-chan *nats.Msg, changed <-chan struct{}, done <-chan struct{}, giveUp func()) {
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		select {
		case <-done:
			return
		case <-changed: // what was under way is lost
			giveUp()
			changed = nil
		case <-alive.C:
			a.say("alive", nil, nil)
		case m := <-in:
			if first(m, headerStatus) != "" { // nobody listens at the asker's inbox
				giveUp()
				continue
			}
			if _, ok := a.b.admit(m); !ok {
				continue
			}
			if first(m, headerAnswer) == "stop" {
				giveUp()
				continue
			}
			n, ok := count(m)
			a.mu.Lock()
			if ok && n > a.acked && n <= a.sent {
				a.acked = n
			}
			a.mu.Unlock()
			select {
			case a.moved <- struct{}{}:
			default:
			}
		}
	}
}
