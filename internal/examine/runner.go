package examine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

// The kinds of what goes wrong in an examination, as package quarantine has
// them.
const (
	KindPanic   = "panic"
	KindTime    = "time"
	KindMemory  = "memory"
	KindDeath   = "death"
	KindInvalid = "invalid" // the document makes no sense: it is damaged
)

// Report is what an examination found.
type Report struct {
	// Sound says that all went well; the rest but Took and Memory is zero then.
	Sound bool
	// Phase is what was done when it went wrong, Kind how it did, and Why says
	// it for people.
	Phase, Kind, Why string
	// Change is the change that was worked on; zero when it was none alone. New
	// says that it is one of Job.New.
	Change kaijutsu.ChangeHash
	New    bool
	// Served says that the change graph is sound: the document can be served
	// to peers.
	Served bool
	Took   time.Duration
	Memory int64 // the most that the child had, in bytes; 0 when not known
}

// Runner examines documents, each in a process of its own. It is safe for
// concurrent use.
type Runner struct {
	Log *slog.Logger
	// Exe and Args start a child; Args come before its limits.
	Exe  string
	Args []string
	// Limits are what a child may take.
	Limits Limits
	// Quiet is how long a child may be at one thing; default half of
	// Limits.CPU. In all it gets four times Limits.CPU.
	Quiet time.Duration
}

// Examine examines a document. The error says that this could not be done, and
// nothing about the document; it wraps kaijutsu.ErrUnavailable.
func (r *Runner) Examine(caller context.Context, j Job) (Report, error) {
	limits := r.Limits.withDefaults()
	ctx, cancel := context.WithTimeout(caller, 4*limits.CPU)
	defer cancel()
	args := append(append([]string(nil), r.Args...),
		"--cpu", strconv.Itoa(int(limits.CPU/time.Second)), "--memory", strconv.FormatInt(limits.Memory, 10))
	cmd := exec.CommandContext(ctx, r.Exe, args...)
	cmd.Env = []string{"GOTRACEBACK=single"}
	stderr := &tail{}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return Report{}, r.cannot(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return Report{}, r.cannot(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Report{}, r.cannot(err)
	}
	written := make(chan struct{})
	guard.Go(r.Log, "writer to the examiner", func() {
		defer close(written)
		defer stdin.Close()
		_ = j.write(stdin) // a child that does not read has died, and that is told
	})
	l := &listener{quiet: r.Quiet, kill: cancel}
	if l.quiet <= 0 {
		l.quiet = limits.CPU / 2
	}
	l.listen(bufio.NewReaderSize(stdout, 4096))
	<-written
	err = cmd.Wait()
	if caller.Err() != nil {
		return Report{}, r.cannot(caller.Err())
	}
	report := l.report(cmd, err, stderr.text(), ctx.Err())
	report.Took, report.Memory = time.Since(began), peak(cmd.ProcessState)
	if report.Kind == "" && !report.Sound {
		return Report{}, r.cannot(fmt.Errorf("the examiner ended with %w: %s", err, stderr.text()))
	}
	return report, nil
}

func (r *Runner) cannot(err error) error {
	return fmt.Errorf("examine document: %w: %w", kaijutsu.ErrUnavailable, err)
}

// listener reads what a child is at.
type listener struct {
	quiet  time.Duration
	kill   func()
	phase  string
	change kaijutsu.ChangeHash
	found  *finding
	silent bool
}

func (l *listener) listen(r *bufio.Reader) {
	timer := time.AfterFunc(l.quiet, l.kill)
	defer func() { l.silent = !timer.Stop() && l.found == nil }()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		timer.Reset(l.quiet)
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "at":
			phase, change, _ := strings.Cut(rest, " ")
			h, err := kaijutsu.ParseChangeHash(change)
			if err != nil {
				continue
			}
			l.phase, l.change = phase, h
		case "found":
			f := finding{}
			if json.Unmarshal([]byte(rest), &f) == nil {
				l.found = &f
			}
		}
	}
}

// report says what became of the child.
func (l *listener) report(cmd *exec.Cmd, ended error, stderr string, timedOut error) Report {
	r := Report{Phase: l.phase, Change: l.change, New: l.phase == phaseNew}
	r.Served = l.phase != "" && l.phase != phaseLoad && l.phase != phaseSync
	code := cmd.ProcessState.ExitCode()
	switch {
	case l.found != nil && l.found.Phase == "":
		return Report{Sound: true, Served: true}
	case l.found != nil:
		r.Kind, r.Why = KindInvalid, l.found.Why
		if l.found.Panic {
			r.Kind, r.Why = KindPanic, "working on it failed: "+l.found.Why
		}
	case code == exitMemory, strings.Contains(stderr, "out of memory"), strings.Contains(stderr, "cannot allocate memory"):
		r.Kind, r.Why = KindMemory, "it took too much memory"
	case strings.Contains(stderr, "stack exceeds") || strings.Contains(stderr, "stack overflow"):
		r.Kind, r.Why = KindDeath, "the stack overflowed"
	case code == exitCPU, l.silent, errors.Is(timedOut, context.DeadlineExceeded), timedOut != nil && l.phase != "":
		r.Kind, r.Why = KindTime, "it took too long"
	case l.phase != "" && code != exitJob, code == exitJob && strings.Contains(stderr, "goroutine "):
		r.Kind, r.Why = KindDeath, fmt.Sprintf("the process ended: %v", ended)
	}
	return r
}

// tail keeps the first of what is written, where the runtime says what it died
// of, within a bound.
type tail struct{ b bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if room := 8<<10 - t.b.Len(); room > 0 {
		t.b.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

func (t *tail) text() string { return strings.TrimSpace(t.b.String()) }
