package courier

import (
	"context"
	"errors"
	"strconv"
	"time"

	"kaijutsu"
)

const (
	// numberKey in NATS is the last number that any node has given.
	numberKey = "drift.number"
	// numberWait bounds how long numbers are asked for.
	numberWait = time.Second
)

// numbers returns the number behind which n are this writer's alone. Nodes agree
// on them by a key in NATS; where that is away, they follow the last one known
// here, and another node may give the same.
func (c *Courier) numbers(n int) (after uint64) {
	after = c.queue.lastNumber()
	bus := c.cfg.Bus
	if n == 0 || bus == nil || bus.Embedded() || !bus.State().Connected {
		return after
	}
	ctx, cancel := context.WithTimeout(c.life, numberWait)
	defer cancel()
	for {
		value, rev, err := bus.Get(ctx, numberKey)
		if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
			break
		}
		if given, bad := strconv.ParseUint(string(value), 10, 64); bad == nil && given <= maxNumber {
			after = max(after, given)
		}
		value = strconv.AppendUint(nil, after+uint64(n), 10)
		if rev == 0 {
			_, err = bus.Create(ctx, numberKey, value, 0)
		} else {
			_, err = bus.Renew(ctx, numberKey, value, rev, 0)
		}
		if err == nil {
			return after
		}
		if !errors.Is(err, kaijutsu.ErrConflict) {
			break
		}
	}
	c.log.Debug("numbers of drifts are given without asking other nodes")
	return after
}

// maxNumber is the greatest number that an item may have.
const maxNumber = 1<<53 - 1

// lastName is the record of the last number that this node gave. Each node has
// its own: of one that two nodes write at once the lower number might stay.
func (c *Courier) lastName() string {
	if node := c.node(); node != "" {
		return lastRecord + "/" + node
	}
	return lastRecord
}
