package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// movePending is how many messages the rival's mover has under way.
const movePending = 1000

// natsCourier is a nats-server alone, with streams on its disk, one replica
// each. The producer and the receiver have a connection of their own.
type natsCourier struct {
	synced        bool
	server        *kjproc.NATS
	sender, taker *natsPeer
	pushes, moves int
}

func openSynced(ctx context.Context, opt *ClusterOptions, dir string) (courier, error) {
	return openNATS(ctx, opt, dir, true)
}

func openUnsynced(ctx context.Context, opt *ClusterOptions, dir string) (courier, error) {
	return openNATS(ctx, opt, dir, false)
}

func openNATS(ctx context.Context, opt *ClusterOptions, dir string, synced bool) (courier, error) {
	exe, err := kjproc.FindNATS(ctx, opt.NATS, dir)
	if err != nil {
		return nil, err
	}
	ports, err := kjproc.FreePorts(1)
	if err != nil {
		return nil, err
	}
	c := &natsCourier{synced: synced}
	c.server, err = kjproc.StartNATS(ctx, kjproc.NATSConfig{Exe: exe, Dir: filepath.Join(dir, "nats"), Port: ports[0], SyncAlways: synced})
	if err != nil {
		return nil, err
	}
	for _, p := range []**natsPeer{&c.sender, &c.taker} {
		if *p, err = dialNATS(ctx, strings.TrimPrefix(c.server.Config.URL(), "nats://")); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func (c *natsCourier) name() string {
	if c.synced {
		return "JetStream, sync always"
	}
	return "JetStream, sync every 2 min"
}

func (c *natsCourier) close() {
	for _, p := range []*natsPeer{c.sender, c.taker} {
		if p != nil {
			p.close()
		}
	}
	c.server.Kill()
}

// makeStream makes a stream of one subject, its own name.
func (c *natsCourier) makeStream(ctx context.Context, name string) error {
	return c.sender.api(ctx, "STREAM.CREATE."+name, map[string]any{
		"name": name, "subjects": []string{name}, "storage": "file", "num_replicas": 1, "retention": "limits",
		"duplicate_window": 2 * time.Minute,
	})
}

// consume has f called with each message of a stream, until stop.
func (c *natsCourier) consume(ctx context.Context, stream string, most int, f func(natsMsg)) (stop func(), err error) {
	const durable = "taker"
	if err := c.taker.api(ctx, "CONSUMER.DURABLE.CREATE."+stream+"."+durable, map[string]any{
		"stream_name": stream,
		"config":      map[string]any{"durable_name": durable, "ack_policy": "explicit", "ack_wait": 30 * time.Second, "max_ack_pending": movePending},
	}); err != nil {
		return nil, err
	}
	c.taker.deliver(f)
	pull, err := json.Marshal(map[string]any{"batch": most, "expires": 5 * time.Minute})
	if err != nil {
		return nil, err
	}
	return c.taker.publish("$JS.API.CONSUMER.MSG.NEXT."+stream+"."+durable, "", pull, func(natsMsg) {})
}

// push publishes, each message under an id of its own, to a stream that a pull
// consumer reads and acknowledges.
func (c *natsCourier) push(ctx context.Context, d time.Duration) (*pushResult, error) {
	c.pushes++
	stream := fmt.Sprintf("pushed%d", c.pushes)
	if err := c.makeStream(ctx, stream); err != nil {
		return nil, err
	}
	r := &pushResult{}
	var mu sync.Mutex
	var acking sync.WaitGroup
	var failed error
	stop, err := c.consume(ctx, stream, 1+int(d/time.Second+1)*driftRate, func(m natsMsg) {
		at := time.Now()
		findTimes(string(m.payload), func(written int64) {
			began := time.Unix(0, written)
			mu.Lock()
			defer mu.Unlock()
			r.seen = append(r.seen, at.Sub(began))
			acking.Go(func() {
				_, err := c.taker.request(ctx, m.reply, "", []byte("+ACK"))
				mu.Lock()
				defer mu.Unlock()
				r.confirmed = append(r.confirmed, time.Since(began))
				if err != nil {
					failed = err
				}
			})
		})
	})
	if err != nil {
		return nil, err
	}
	defer stop()
	g, err := startGauge(c.server.PID())
	if err != nil {
		return nil, err
	}
	r.sent, r.late, err = paced(ctx, d, func(i int, at time.Time) error {
		_, err := c.sender.request(ctx, stream, fmt.Sprintf("%s-%d", stream, i), []byte(driftText(i, at)))
		mu.Lock()
		defer mu.Unlock()
		r.durable = append(r.durable, time.Since(at))
		return err
	})
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lateness); time.Now().Before(end); {
		mu.Lock()
		have := len(r.confirmed)
		mu.Unlock()
		if have >= r.sent {
			break
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return nil, err
		}
	}
	c.taker.deliver(nil)
	acking.Wait()
	if r.used, err = g.stop(); err != nil {
		return nil, err
	}
	return r, failed
}

// move fills a stream and moves what is in it to another.
func (c *natsCourier) move(ctx context.Context) (took time.Duration, used cost, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.moves++
	from, to := fmt.Sprintf("from%d", c.moves), fmt.Sprintf("to%d", c.moves)
	for _, stream := range []string{from, to} {
		if err := c.makeStream(ctx, stream); err != nil {
			return 0, used, err
		}
	}
	if err := c.fill(ctx, from); err != nil {
		return 0, used, err
	}
	var moved atomic.Int64
	all := make(chan struct{})
	g, err := startGauge(c.server.PID())
	if err != nil {
		return 0, used, err
	}
	began := time.Now()
	stop, err := c.consume(ctx, from, driftItems, func(m natsMsg) {
		id := m.reply[strings.Index(m.reply, from):] // stream, consumer, times delivered, sequence, …
		id = from + "-" + strings.Split(id, ".")[3]
		go func() {
			if _, err := c.sender.request(ctx, to, id, m.payload); err != nil {
				cancel(err)
				return
			}
			if _, err := c.taker.request(ctx, m.reply, "", []byte("+ACK")); err != nil {
				cancel(err)
				return
			}
			if moved.Add(1) == driftItems {
				close(all)
			}
		}()
	})
	if err != nil {
		return 0, used, err
	}
	defer stop()
	defer c.taker.deliver(nil)
	select {
	case <-all:
	case <-ctx.Done():
		return 0, used, context.Cause(ctx)
	}
	took = time.Since(began)
	if used, err = g.stop(); err != nil {
		return 0, used, err
	}
	return took, used, c.holds(ctx, to, driftItems)
}

// fill publishes what is to be moved.
func (c *natsCourier) fill(ctx context.Context, stream string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	under := make(chan struct{}, movePending)
	for i := range driftItems {
		under <- struct{}{}
		go func() {
			defer func() { <-under }()
			text := strings.ReplaceAll(driftText(i, time.Now()), string(timeMark), "#") + fmt.Sprint(i)
			if _, err := c.sender.request(ctx, stream, fmt.Sprintf("%s-%d", stream, i), []byte(text)); err != nil {
				cancel(err)
			}
		}()
	}
	for range cap(under) {
		under <- struct{}{}
	}
	return context.Cause(ctx)
}

// holds says when a stream does not hold so many messages.
func (c *natsCourier) holds(ctx context.Context, stream string, want int) error {
	m, err := c.sender.request(ctx, "$JS.API.STREAM.INFO."+stream, "", nil)
	if err != nil {
		return err
	}
	var info struct {
		State struct{ Messages int }
	}
	if err := json.Unmarshal(m.payload, &info); err != nil {
		return err
	}
	if info.State.Messages != want {
		return fmt.Errorf("stream %s holds %d messages, want %d: %w", stream, info.State.Messages, want, kaijutsu.ErrConflict)
	}
	return nil
}
