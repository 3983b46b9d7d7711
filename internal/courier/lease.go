package courier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/records"
)

const (
	leaseName = "drift."
	fenceKey  = "drift.fence."
	// leaseWait is how long a lease that another node has is waited for, and then
	// for what that node has done.
	leaseWait = 5 * time.Second
	leaseTry  = 100 * time.Millisecond
	// fenceTTL is how long others wait for what a node has done that is gone.
	fenceTTL = time.Minute
)

// leases are what this node holds: of each source, as long as somebody here
// flushes it or cancels something of it. While it is held no other node does.
// Whoever has done something under a lease leaves a fence behind: a record,
// written after all of that, and a key in NATS that names it. The next holder
// waits for the record, and with it for everything that was done before.
type leases struct {
	c  *Courier
	mu sync.Mutex
	at map[kaijutsu.DocumentID]*held // guarded by mu
}

// held is a lease of this node, or one that it is about to have.
type held struct {
	uses  int           // guarded by leases.mu
	ready chan struct{} // closed when lease and err are known
	lease *flowbus.Lease
	err   error
}

func (l *leases) init(c *Courier) { l.c, l.at = c, make(map[kaijutsu.DocumentID]*held) }

// fence says which record of a node others wait for.
type fence struct {
	Node string `json:"node"`
	N    uint64 `json:"n"`
}

// hold has this node alone work on the items of a source, until leave. Where
// there are no other nodes, or NATS is away, it returns at once: what is
// delivered twice is one block all the same. The error wraps
// kaijutsu.ErrUnavailable when another node has it for long.
func (l *leases) hold(ctx context.Context, source kaijutsu.DocumentID) (leave func(), err error) {
	bus := l.c.cfg.Bus
	if bus == nil || bus.Embedded() {
		return func() {}, nil
	}
	l.mu.Lock()
	h := l.at[source]
	first := h == nil
	if first {
		h = &held{ready: make(chan struct{})}
		l.at[source] = h
	}
	h.uses++
	l.mu.Unlock()
	if first {
		h.lease, h.err = l.get(source)
		close(h.ready)
	}
	select {
	case <-h.ready:
		err = h.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		l.leave(source, h)
		return nil, err
	}
	return func() { l.leave(source, h) }, nil
}

// get takes the lease of a source and waits for what was done under it before.
func (l *leases) get(source kaijutsu.DocumentID) (*flowbus.Lease, error) {
	ctx, cancel := context.WithTimeout(l.c.life, leaseWait)
	defer cancel()
	tick := time.NewTicker(leaseTry)
	defer tick.Stop()
	var last error // what the last answer was, when the time is up
	for {
		lease, err := l.c.cfg.Bus.Hold(ctx, leaseName+source.Name(), 0)
		if err == nil {
			if err = l.catchUp(source); err == nil {
				return lease, nil
			}
			lease.Release()
			return nil, err
		}
		if !errors.Is(err, kaijutsu.ErrConflict) && ctx.Err() == nil && !l.c.cfg.Bus.State().Connected {
			return nil, nil // NATS is away
		}
		if ctx.Err() == nil {
			last = err
			select {
			case <-tick.C:
				continue
			case <-ctx.Done():
			}
		}
		if last == nil {
			last = err
		}
		return nil, fmt.Errorf("the drifts of context %s are being flushed elsewhere: %w: %v; try again", source.Name(), kaijutsu.ErrUnavailable, last)
	}
}

// catchUp waits until what the last holder of a lease has done is here.
func (l *leases) catchUp(source kaijutsu.DocumentID) error {
	ctx, cancel := context.WithTimeout(l.c.life, leaseWait)
	defer cancel()
	value, _, err := l.c.cfg.Bus.Get(ctx, fenceKey+source.Name())
	var f fence
	if err != nil || json.Unmarshal(value, &f) != nil || f.Node == l.c.node() {
		return nil // there is none
	}
	for {
		n, moved := l.c.queue.fence(f.Node)
		if n >= f.N {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("what node %s has just done with the drifts of context %s is not here yet: %w; try again", f.Node, source.Name(), kaijutsu.ErrUnavailable)
		}
	}
}

// leave ends one use of a lease; the last one gives it back.
func (l *leases) leave(source kaijutsu.DocumentID, h *held) {
	l.mu.Lock()
	h.uses--
	last := h.uses == 0
	if last {
		delete(l.at, source)
	}
	l.mu.Unlock()
	if !last || h.lease == nil {
		return
	}
	l.leaveFence(source)
	h.lease.Release()
}

// leaveFence has the next holder wait for what was done here.
func (l *leases) leaveFence(source kaijutsu.DocumentID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.c.life), leaseWait)
	defer cancel()
	n, _ := l.c.queue.fence(l.c.node())
	f := fence{Node: l.c.node(), N: n + 1}
	err := l.c.write(ctx, records.Record{Name: fenceRecord + f.Node, Value: strconv.AppendUint(nil, f.N, 10)})
	if err == nil {
		var value []byte
		if value, err = json.Marshal(f); err == nil {
			_, err = l.c.cfg.Bus.Put(ctx, fenceKey+source.Name(), value, fenceTTL)
		}
	}
	if err != nil {
		l.c.log.Debug("other nodes are not told to wait for what was done with drifts here", "context", source.Name(), "err", err)
	}
}

// fence returns how far a node is, and what is closed when one is further.
func (q *queue) fence(node string) (n uint64, moved <-chan struct{}) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.fences[node], q.moved
}

// followFence takes over how far a node is.
func (q *queue) followFence(name string, value []byte) {
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	node := strings.TrimPrefix(name, fenceRecord)
	q.fences[node] = max(q.fences[node], n)
	close(q.moved)
	q.moved = make(chan struct{})
}
