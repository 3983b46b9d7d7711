package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// ourCourier is one of our servers, alone, and two contexts.
type ourCourier struct {
	p        *kjproc.Process
	http     *http.Client
	from, to string
}

func openOurs(ctx context.Context, opt *ClusterOptions, dir string) (courier, error) {
	p, err := kjproc.Start(ctx, opt.Exe, dir, "--log-level", "warn")
	if err != nil {
		return nil, err
	}
	c := &ourCourier{p: p, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: driftStagers}}}
	if c.from, c.to, err = c.contexts(ctx, "Pushed"); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *ourCourier) name() string { return "Kaijutsu" }

func (c *ourCourier) close() {
	c.p.Kill()
	c.http.CloseIdleConnections()
}

// contexts makes a source and a target.
func (c *ourCourier) contexts(ctx context.Context, title string) (from, to string, err error) {
	for i, id := range []*string{&from, &to} {
		var made struct{ ID string }
		if err := c.call(ctx, "context_create", map[string]any{"title": fmt.Sprintf("%s %d", title, i+1)}, &made); err != nil {
			return "", "", err
		}
		*id = made.ID
	}
	return from, to, nil
}

// call runs an operation over HTTP.
func (c *ourCourier) call(ctx context.Context, op string, in, out any) error {
	return callBy(ctx, c.http, c.p, op, in, out)
}

// driftText is a message of about driftBytes, with a time in it.
func driftText(i int, at time.Time) string {
	text := fmt.Sprintf("%c%d%c %s %s", timeMark, at.UnixNano(), timeMark, prose(i), prose(i+1))
	return text[:min(len(text), driftBytes)]
}

// push pushes from one context to the other, which a follower reads.
func (c *ourCourier) push(ctx context.Context, d time.Duration) (*pushResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &pushResult{}
	f := &timeFollower{came: make(map[int64]time.Duration)}
	if err := f.follow(ctx, c); err != nil {
		return nil, err
	}
	g, err := startGauge(c.p.PID())
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	r.sent, r.late, err = paced(ctx, d, func(i int, at time.Time) error {
		err := c.call(ctx, "drift_push", map[string]any{"context": c.from, "to": c.to, "content": driftText(i, at)}, nil)
		mu.Lock()
		defer mu.Unlock()
		r.durable = append(r.durable, time.Since(at))
		return err
	})
	if err != nil {
		return nil, err
	}
	if r.seen, err = f.await(ctx, r.sent); err != nil {
		return nil, err
	}
	r.used, err = g.stop()
	return r, err
}

// timeFollower reads the events of a context and notes the times in them.
type timeFollower struct {
	mu   sync.Mutex
	came map[int64]time.Duration // guarded by mu: by the time that was written
	err  error                   // guarded by mu
}

// follow returns when the server has answered, and reads on until ctx ends.
func (f *timeFollower) follow(ctx context.Context, c *ourCourier) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.p.URL+"/v1/events?context="+url.QueryEscape(c.to), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return fmt.Errorf("events: %s: %w", resp.Status, kaijutsu.ErrUnavailable)
	}
	go func() {
		defer resp.Body.Close()
		rest, buf := "", make([]byte, 64<<10)
		for {
			n, err := resp.Body.Read(buf)
			at := time.Now()
			f.mu.Lock()
			rest = findTimes(rest+string(buf[:n]), func(written int64) {
				if _, known := f.came[written]; !known { // an event may say it twice
					f.came[written] = at.Sub(time.Unix(0, written))
				}
			})
			if err != nil {
				f.err = err
			}
			f.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return nil
}

// await returns how long everything took, when so many have come.
func (f *timeFollower) await(ctx context.Context, n int) (took []time.Duration, err error) {
	for end := time.Now().Add(lateness); ; {
		f.mu.Lock()
		have, err := len(f.came), f.err
		f.mu.Unlock()
		if have >= n || err != nil || time.Now().After(end) {
			break
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.came {
		took = append(took, d)
	}
	return took, f.err
}

// move stages items in a context and flushes it.
func (c *ourCourier) move(ctx context.Context) (took time.Duration, used cost, err error) {
	from, to, err := c.contexts(ctx, "Moved")
	if err != nil {
		return 0, used, err
	}
	began := time.Now()
	var staging sync.WaitGroup
	errs := make(chan error, driftStagers)
	for worker := range driftStagers {
		staging.Go(func() {
			for i := worker; i < driftItems; i += driftStagers {
				in := map[string]any{"context": from, "to": to, "content": strings.ReplaceAll(driftText(i, began), string(timeMark), "#") + fmt.Sprint(i), "stage": true}
				if err := c.call(ctx, "drift_push", in, nil); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	staging.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return 0, used, err
	}
	g, err := startGauge(c.p.PID())
	if err != nil {
		return 0, used, err
	}
	began = time.Now()
	for {
		var out struct{ Failed, Dead, Left int }
		if err := c.call(ctx, "drift_flush", map[string]any{"context": from}, &out); err != nil {
			return 0, used, err
		}
		if out.Failed+out.Dead > 0 {
			return 0, used, fmt.Errorf("%d deliveries failed: %w", out.Failed+out.Dead, kaijutsu.ErrUnavailable)
		}
		if out.Left == 0 {
			break // else it goes on, and the next call waits for it
		}
	}
	took = time.Since(began)
	if used, err = g.stop(); err != nil {
		return 0, used, err
	}
	return took, used, c.holds(ctx, to)
}

// holds says when not every item is there once.
func (c *ourCourier) holds(ctx context.Context, to string) error {
	var out struct {
		Blocks []struct{ Content string } `json:"block_list"`
	}
	if err := c.call(ctx, "context_get", map[string]any{"context": to}, &out); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for _, b := range out.Blocks {
		seen[b.Content] = true
	}
	if len(out.Blocks) != driftItems || len(seen) != driftItems {
		return fmt.Errorf("the target holds %d blocks, %d different ones, want %d: %w", len(out.Blocks), len(seen), driftItems, kaijutsu.ErrConflict)
	}
	return nil
}
