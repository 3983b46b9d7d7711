package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// The honest editors of a flood: writers of documents of their own, each with one
// who reads along.
var honest = typing{documents: 4, writers: 1, observers: 1, rate: 10, batch: 1}

// measureFlood measures what editors feel of a flood, against what they felt
// before it, on the same connections.
func measureFlood(ctx context.Context, opt *ClusterOptions, dir string, t *Table, addresses int) ([]hardRow, error) {
	p, err := kjproc.Start(ctx, opt.Exe, dir, "--log-level", "warn")
	if err != nil {
		return nil, err
	}
	defer p.Kill()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j := newJournal(honest.writers + honest.observers - 1)
	replicas, typists, err := honest.assemble(ctx, p, j)
	if err != nil {
		return nil, err
	}
	if _, err := honest.drive(ctx, j, typists, opt.For, p.PID()); err != nil {
		return nil, err
	}
	idle := harvest(replicas, j)

	f, err := startFlood(ctx, opt, p.URL, addresses)
	if err != nil {
		return nil, err
	}
	defer f.stop()
	j = newJournal(honest.writers + honest.observers - 1)
	rejoin(replicas, j)
	guests := newcomers(ctx, p.SyncURL())
	used, err := honest.drive(ctx, j, typists, opt.For, p.PID(), f.cmd.Process.Pid)
	took, came := guests()
	if err != nil {
		return nil, fmt.Errorf("an honest editor under the flood: %w", err)
	}
	flooded := harvest(replicas, j)
	held, err := memoryOf(p.PID())
	if err != nil {
		return nil, err
	}
	done, err := f.stop()
	if err != nil {
		return nil, err
	}
	if err := survivors(replicas, p); err != nil {
		return nil, err
	}
	from := "one address"
	if addresses > 1 {
		from = strconv.Itoa(addresses) + " addresses"
	}
	t.note("Flood from %s: %d connections at a time, each made anew when it ends; %d were made, %s MB and %d frames and requests written, in a process of the lowest priority. "+
		"Processor time, %% of one core: server %s, flood %s, honest editors %s, everybody else %s. Of %d newcomers from another address %d joined within 10 s.",
		from, opt.Connections, done.Connects, number(float64(done.Bytes)/1e6), done.Frames,
		number(used.percent(used.each[0])), number(used.percent(used.each[1])), number(used.percent(used.self)), number(used.percent(used.others)), came, len(took))
	name := func(what string) string { return what + ", flood from " + from }
	p50, p99 := quantile(idle.stored, 0.50), quantile(idle.stored, 0.99)
	f50, f99 := quantile(flooded.stored, 0.50), quantile(flooded.stored, 0.99)
	return []hardRow{
		{"edit → acknowledged at rest, p50", p50, "ms", 0},
		{"edit → acknowledged at rest, p99", p99, "ms", 0},
		{name("edit → acknowledged, p50"), f50, "ms", 0},
		{name("edit → acknowledged, p99"), f99, "ms", 0},
		{name("p99 against that at rest"), f99 / p99, "×", 3},
		{name("edit → visible to another editor, p99"), quantile(flooded.visible, 0.99), "ms", 0},
		{name("… p99 against that at rest"), quantile(flooded.visible, 0.99) / quantile(idle.visible, 0.99), "×", 3},
		{name("edits that did not arrive"), float64(len(flooded.missing)), "", 0},
		{name("a newcomer has joined, p50"), quantile(took, 0.50), "ms", 0},
		{name("server memory (RSS)"), megabytes(held.resident), "MB", 0},
	}, nil
}

// harvest takes what the replicas have noted.
func harvest(replicas []*replica, j *journal) (res typingResult) {
	res.edits, res.missing = j.seal(time.Now())
	for _, r := range replicas {
		r.mu.Lock()
		res.visible, res.stored = append(res.visible, r.visible...), append(res.stored, r.stored...)
		r.visible, r.stored = nil, nil
		r.mu.Unlock()
	}
	res.visible = append(res.visible, res.missing...)
	return res
}

// rejoin has the replicas measured by another journal.
func rejoin(replicas []*replica, j *journal) {
	for _, r := range replicas {
		r.mu.Lock()
		r.journal = j
		r.mu.Unlock()
	}
}

// survivors reports honest editors that lost their connection, and a server that
// is gone.
func survivors(replicas []*replica, p *kjproc.Process) error {
	select {
	case <-p.Done():
		return fmt.Errorf("the server ended: %w: %.2000s", kaijutsu.ErrUnavailable, p.Log())
	default:
	}
	for _, r := range replicas {
		if err := r.peer.failure(); err != nil {
			return fmt.Errorf("an honest editor lost its connection: %w", err)
		}
	}
	if log := p.Log(); strings.Contains(log, "panic") {
		return fmt.Errorf("the server's log tells of a panic: %w: %.2000s", kaijutsu.ErrUnavailable, log)
	}
	return nil
}

// newcomers has an editor of another address connect and join again and again. The
// function it returns ends that, and says how long those took that joined, and how
// many tried.
func newcomers(ctx context.Context, url string) func() (took []time.Duration, tried int) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var took []time.Duration
	var tried int
	running.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			attempt, done := context.WithTimeout(ctx, 10*time.Second)
			p, err := dialBy(attempt, url, &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 99, 1)}})
			if err == nil {
				took = append(took, time.Since(began))
				_ = p.close() // it was only a knock
			}
			if ctx.Err() == nil || err == nil {
				tried++
			}
			done()
			_ = pause(ctx, 200*time.Millisecond)
		}
	})
	return func() ([]time.Duration, int) {
		cancel()
		running.Wait()
		return took, tried
	}
}

// floodProcess is a flood in a process of its own.
type floodProcess struct {
	cmd  *exec.Cmd
	in   io.Closer
	out  *bufio.Reader
	stop func() (Flooded, error)
}

// startFlood starts a flood and returns when it has begun.
func startFlood(ctx context.Context, opt *ClusterOptions, url string, addresses int) (*floodProcess, error) {
	cmd := exec.CommandContext(ctx, opt.Exe, "bench", "flood", url, "--connections", strconv.Itoa(opt.Connections), "--addresses", strconv.Itoa(addresses))
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the flood: %w", err)
	}
	f := &floodProcess{cmd: cmd, in: in, out: bufio.NewReader(out)}
	f.stop = sync.OnceValues(f.end)
	if _, err := f.out.ReadString('\n'); err != nil {
		_, _ = f.stop()
		return nil, fmt.Errorf("the flood did not begin: %w", err)
	}
	return f, nil
}

// end ends the flood and returns what it did.
func (f *floodProcess) end() (done Flooded, err error) {
	_ = f.in.Close() // it is gone already
	err = json.NewDecoder(f.out).Decode(&done)
	if waitErr := f.cmd.Wait(); waitErr != nil {
		err = waitErr
	}
	if err != nil {
		return done, fmt.Errorf("the flood: %w", err)
	}
	return done, nil
}
