package cluster

import (
	"context"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
)

const (
	endsEvery = time.Second            // how old what is known of the streams' ends may be
	endsWait  = 500 * time.Millisecond // how long NATS may take to say
)

// ends knows the last record of each shard, as NATS said last.
type ends struct {
	mu   sync.Mutex // held while NATS is asked, so that one asks at a time
	last [flowbus.Shards]uint64
	at   time.Time // when it said so
}

// get returns the number of the last record of each shard; false when nobody
// has said so lately.
func (e *ends) get(f *flowbus.Feed) (last [flowbus.Shards]uint64, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.at.IsZero() && time.Since(e.at) < endsEvery {
		return e.last, true
	}
	ctx, cancel := context.WithTimeout(context.Background(), endsWait)
	defer cancel()
	var failed [flowbus.Shards]error
	var asked sync.WaitGroup
	for i := range last {
		failed[i] = kaijutsu.ErrUnavailable // unless it answers
		asked.Go(guard.Func(nil, "last records", func() { last[i], failed[i] = f.Last(ctx, i) }))
	}
	asked.Wait()
	for _, err := range failed {
		if err != nil {
			return last, false
		}
	}
	e.last, e.at = last, time.Now()
	return last, true
}
