package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"sync"
	"time"
)

// sitEvery is how often a seat is taken again: it lasts for 15 s.
const sitEvery = 5 * time.Second

// sit holds a seat at a context until stand, or until the program ends without
// a word: then the seat ends soon after. It does not matter when there is none to
// be had.
func (c *connection) sit(ctx context.Context, name string) (stand func()) {
	seat := map[string]string{"context": name, "instance": cmp.Or(os.Getenv("KJ_INSTANCE"), "watch-"+rand.Text()[:6])}
	params, err := json.Marshal(seat)
	if err != nil { // strings always encode
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	var sitting sync.WaitGroup
	sitting.Go(func() {
		tick := time.NewTicker(sitEvery)
		defer tick.Stop()
		for {
			_, _ = c.run(ctx, "seat_join", params) // another time, perhaps
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		stop()
		sitting.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, _ = c.run(ctx, "seat_leave", params) // else it ends by itself
	}
}
