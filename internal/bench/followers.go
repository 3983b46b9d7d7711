package bench

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"kaijutsu/internal/kjproc"
)

const (
	followersRate = 50 // events a second
	// connecting is how many follow at once while the followers come.
	connecting = 100
	// timeMark stands around the time in what is written: followers find it
	// without reading the event.
	timeMark = '~'
)

// measureFollowers lets many follow one context over server-sent events and
// measures when what somebody writes has reached each of them.
func measureFollowers(ctx context.Context, opt *ClusterOptions) (*Table, error) {
	t := newTable(fmt.Sprintf("%d followers of one context over server-sent events, %d events a second", opt.Followers, followersRate),
		"kj bench followers", "", "value")
	dir, err := os.MkdirTemp(opt.Dir, "kj-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	p, err := kjproc.Start(ctx, opt.Exe, dir, "--log-level", "warn")
	if err != nil {
		return nil, err
	}
	defer p.Kill()
	crowd, err := openCrowd()
	if err != nil {
		return nil, err
	}
	defer crowd.close()
	w, err := newTimeWriter(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := followMany(ctx, opt, p, crowd, w.context); err != nil {
		return nil, err
	}
	if err := w.write(ctx, warmUp, false); err != nil {
		return nil, err
	}
	g, err := startGauge(p.PID())
	if err != nil {
		return nil, err
	}
	crowd.record(true)
	if err := w.write(ctx, opt.For, true); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(lateness)
	for want := w.written * opt.Followers; crowd.count() < want && time.Now().Before(deadline); {
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return nil, err
		}
	}
	c, err := g.stop()
	if err != nil {
		return nil, err
	}
	took := crowd.record(false)
	for _, q := range []struct {
		name string
		at   float64
	}{{"written → read by a follower, p50, ms", 0.5}, {"… p90, ms", 0.9}, {"… p99, ms", 0.99}, {"… most, ms", 1}} {
		t.add(q.name, number(quantile(took, q.at)))
	}
	t.add("events written", fmt.Sprint(w.written))
	t.add("deliveries", fmt.Sprint(len(took)))
	t.add("deliveries that did not happen", fmt.Sprint(w.written*opt.Followers-len(took)))
	t.add("the writer's call, which returns when it is on disk, p50, ms", number(quantile(w.took, 0.5)))
	t.add("… p99, ms", number(quantile(w.took, 0.99)))
	t.add("server CPU, % of one core", number(c.percent(c.server)))
	t.add("load generator CPU, % of one core", number(c.percent(c.self)))
	t.add("all other processes, % of one core", number(c.percent(c.others)))
	if m, err := memoryOf(p.PID()); err == nil {
		t.add("server memory (RSS), MB", number(megabytes(m.resident)))
	}
	t.note("Time is taken before the writer's call and when a follower's bytes have been read; %d connections are read by %d threads with epoll.", opt.Followers, crowdThreads)
	return t, p.Stop()
}

// followMany opens the followers' connections and waits until each has its
// answer.
func followMany(ctx context.Context, opt *ClusterOptions, p *kjproc.Process, crowd *crowd, id string) error {
	request := fmt.Sprintf("GET /v1/events?context=%s HTTP/1.0\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", url.QueryEscape(id), p.Listen())
	began := time.Now()
	for n := 0; n < opt.Followers; {
		batch := min(connecting, opt.Followers-n)
		for range batch {
			conn, err := net.Dial("tcp", p.Listen())
			if err != nil {
				return fmt.Errorf("follower %d: %w", n+1, err)
			}
			if _, err := conn.Write([]byte(request)); err != nil {
				return fmt.Errorf("follower %d: %w", n+1, err)
			}
			if err := crowd.add(conn.(*net.TCPConn)); err != nil {
				return fmt.Errorf("follower %d: %w", n+1, err)
			}
		}
		n += batch
		for crowd.answered() < n {
			if time.Since(began) > catchUpTimeout {
				return fmt.Errorf("%d of %d followers have had an answer: %v", crowd.answered(), n, crowd.wrong())
			}
			if err := pause(ctx, time.Millisecond); err != nil {
				return err
			}
		}
		if err := crowd.wrong(); err != nil {
			return err
		}
	}
	opt.say("%d followers follow after %s", opt.Followers, time.Since(began).Round(time.Millisecond))
	return nil
}

// timeWriter writes the time into a text.
type timeWriter struct {
	p              *kjproc.Process
	context, block string
	written        int

	mu   sync.Mutex
	took []time.Duration // guarded by mu: how long the calls took
	err  error           // guarded by mu: why one failed
}

func newTimeWriter(ctx context.Context, p *kjproc.Process) (*timeWriter, error) {
	w := &timeWriter{p: p}
	var c struct{ ID string }
	if err := call(ctx, p, "context_create", map[string]any{"title": "Followed"}, &c); err != nil {
		return nil, err
	}
	w.context = c.ID
	var b struct {
		ID    string `json:"id"`
		Block string `json:"block_id"`
	}
	if err := call(ctx, p, "block_create", map[string]any{"context": w.context, "form": "text", "content": "."}, &b); err != nil {
		return nil, err
	}
	w.block = b.Block
	if w.block == "" {
		w.block = b.ID
	}
	return w, nil
}

// write writes at the rate for a while, whether or not what was written before
// has been acknowledged. What is not to be counted has no time in it.
func (w *timeWriter) write(ctx context.Context, d time.Duration, counted bool) error {
	ticker := time.NewTicker(time.Second / followersRate)
	defer ticker.Stop()
	var calls sync.WaitGroup
	defer calls.Wait()
	for end := time.Now().Add(d); time.Now().Before(end); {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if counted {
			w.written++
		}
		at := time.Now()
		calls.Go(func() { w.call(ctx, at, counted) })
	}
	calls.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// call writes once, at the front of the text.
func (w *timeWriter) call(ctx context.Context, at time.Time, counted bool) {
	text := "."
	if counted {
		text = string(timeMark) + strconv.FormatInt(at.UnixNano(), 10) + string(timeMark)
	}
	in := map[string]any{"context": w.context, "block_id": w.block, "offset": 0, "delete_count": 0, "insert": text}
	err := call(ctx, w.p, "block_splice", in, nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && w.err == nil {
		w.err = err
	}
	if counted {
		w.took = append(w.took, time.Since(at))
	}
}

// findTimes calls f with each time that stands between two marks in b, and
// returns what is behind the last whole one, which may be the beginning of
// another.
func findTimes(b string, f func(unixNano int64)) (rest string) {
	for {
		_, behind, ok := strings.Cut(b, string(timeMark))
		if !ok {
			return ""
		}
		digits, after, ok := strings.Cut(behind, string(timeMark))
		if !ok {
			if len(behind) > 20 { // no time is so long
				return ""
			}
			return string(timeMark) + behind
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil { // that was not the beginning of one
			b = string(timeMark) + after
			continue
		}
		f(n)
		b = after
	}
}
