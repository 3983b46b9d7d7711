package bench

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"kaijutsu/internal/kjproc"
)

// contestant is a server to measure.
type contestant struct {
	name  string
	about string // version, configuration, and what is promised when an edit is shown
	// start runs it on a data directory, which exists.
	start func(ctx context.Context, dir string) (*kjproc.Process, error)
	// speech is how its clients speak.
	speech speech
	// fleeting says that it keeps nothing when it is stopped.
	fleeting bool
	// missing says why it cannot be started here; nil when it can.
	missing error
	// counters asks it what it has done so far; nil when it cannot tell.
	counters func(ctx context.Context, p *kjproc.Process) (map[string]float64, error)
}

// launch runs the server and returns when it has answered a first join, with
// the time that took from the start of the process. A server may say that it
// listens and lose connections all the same: the npm server does, until its
// storage has answered.
func (c contestant) launch(ctx context.Context, dir string) (*kjproc.Process, time.Duration, error) {
	p, err := c.start(ctx, dir)
	if err != nil {
		return nil, 0, err
	}
	listening := time.Now()
	for patience := 50 * time.Millisecond; ; patience *= 2 {
		attempt, cancel := context.WithTimeout(ctx, patience)
		err := c.speech.knock(attempt, p)
		cancel()
		if err == nil {
			return p, p.Ready + time.Since(listening), nil
		}
		if ctx.Err() != nil || time.Since(listening) > joinTimeout {
			p.Kill()
			return nil, 0, fmt.Errorf("%s does not answer: %w: %.2000s", c.name, err, p.Log())
		}
	}
}

// joinTimeout is how long a server may take from listening to answering.
const joinTimeout = 20 * time.Second

// The names of the contestants that are ours.
const (
	oursName  = "kj"
	relayName = "relay"
)

// unlimited lifts the limits that one load generator on one address would run
// into: what it uploads before a measurement comes faster than people type.
var unlimited = []string{
	"connects-per-second=none", "all-connects-per-second=none", "connections=none", "address-connections=none",
	"messages-per-second=none", "bytes-per-second=none", "principal-messages-per-second=none", "principal-bytes-per-second=none",
	"principal-changes-per-second=none", "document-changes-per-second=none", "operations-per-second=none",
}

// ours is kj serve, of the binary exe.
func ours(exe, version string) contestant {
	return contestant{
		name:   oursName,
		about:  "kj serve " + version + ", with limits of rates lifted: an edit is shown to others and acknowledged after it is on the disk (fsync)",
		speech: automerge{},
		start: func(ctx context.Context, dir string) (*kjproc.Process, error) {
			args := []string{"--log-level", "warn"}
			for _, l := range unlimited {
				args = append(args, "--limit", l)
			}
			return kjproc.Start(ctx, exe, dir, args...)
		},
		counters: askStatus,
	}
}

// relayOf is the relay of the binary exe.
func relayOf(exe string) contestant {
	return contestant{
		name:     relayName,
		about:    "not a server but what the sockets of this machine and the load generator take: a Go program that keeps nothing, checks nothing, and hands each frame to the other connections of its document",
		speech:   automerge{relayed: true},
		fleeting: true,
		start: func(ctx context.Context, _ string) (*kjproc.Process, error) {
			return kjproc.Run(ctx, exec.Command(exe, "bench", "relay"))
		},
	}
}

// durable reports whether it is a rival in its most durable configuration.
func (c contestant) durable() bool { return strings.HasSuffix(c.name, "-durable") }

// askStatus calls the operation server_status and returns its numbers.
func askStatus(ctx context.Context, p *kjproc.Process) (map[string]float64, error) {
	var all map[string]any
	if err := call(ctx, p, "server_status", map[string]any{}, &all); err != nil {
		return nil, err
	}
	numbers := make(map[string]float64)
	for key, value := range all {
		if n, ok := value.(float64); ok {
			numbers[key] = n
		}
	}
	return numbers, nil
}
