package flowbus

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// watch is one WatchKeys.
type watch struct {
	b      *Bus
	prefix string
	f      func(key string, value []byte, gone bool)

	known    map[string]bool // keys that f holds for there; true: told in this replay
	replay   bool
	complete bool // the last replay was
}

// WatchKeys calls f with every key that begins with prefix and its value, then
// with every change (gone: deleted or expired), one at a time, until ctx ends,
// and returns its error.
//
// It survives everything: after an interruption all keys are told again, with
// gone for those that vanished meanwhile. Two calls without a key mark that:
// f("", nil, true) before a replay and f("", nil, false) after it, when all that
// was there has been told. Of quick changes of one key only the last may be
// told. While NATS is away f hears nothing, and no key is gone.
func (b *Bus) WatchKeys(ctx context.Context, prefix string, f func(key string, value []byte, gone bool)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	w := &watch{b: b, prefix: prefix, f: f, known: map[string]bool{}}
	var again retry
	for {
		err := w.run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b.log.Debug("watching keys begins anew", "prefix", prefix, "err", err)
		if w.complete {
			again.wait = 0
		}
		if errors.Is(err, errStreamGone) {
			if _, err := b.ensure(ctx, b.bucketConfig()); err == nil {
				continue
			}
		}
		if !again.again(ctx, b) {
			return ctx.Err()
		}
	}
}

// run tells all keys and then changes, until something is wrong.
func (w *watch) run(ctx context.Context) error {
	w.complete = false
	p, err := w.b.startPull(ctx, w.b.bucket(), jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy,
		FilterSubject: w.filter(),
	})
	if err != nil {
		return err
	}
	defer p.stop()
	w.begin()
	if p.pending == 0 {
		w.end()
	}
	p.idle = func() error {
		if w.replay { // keys that expired during it left it without a last message
			return errInterrupted
		}
		return nil
	}
	return p.run(ctx, w.take)
}

// filter returns the subjects to read: the keys below the last dot of prefix.
func (w *watch) filter() string {
	i := strings.LastIndexByte(w.prefix, '.')
	if checkKey(w.prefix[:max(i, 0)]) != nil {
		i = -1
	}
	return w.b.keySubject(w.prefix[:i+1] + ">")
}

func (w *watch) begin() {
	w.replay = true
	for key := range w.known {
		w.known[key] = false
	}
	w.f("", nil, true)
}

func (w *watch) end() {
	var vanished []string
	for key, told := range w.known {
		if !told {
			vanished = append(vanished, key)
		}
	}
	slices.Sort(vanished)
	for _, key := range vanished {
		delete(w.known, key)
		w.f(key, nil, true)
	}
	w.replay, w.complete = false, true
	w.f("", nil, false)
}

func (w *watch) take(m *nats.Msg, meta *nats.MsgMetadata) error {
	key := strings.TrimPrefix(m.Subject, w.b.keySubject(""))
	if strings.HasPrefix(key, w.prefix) {
		gone := marker(m.Header)
		if !gone {
			w.known[key] = true
			w.f(key, m.Data, false)
		} else if _, ok := w.known[key]; ok {
			delete(w.known, key)
			w.f(key, nil, true)
		}
	}
	if w.replay && meta.NumPending == 0 {
		w.end()
	}
	return nil
}
