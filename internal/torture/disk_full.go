package torture

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu/internal/faultfs"
)

const (
	// comeBackTimeout is how long a server may take to write again when its disk
	// works again.
	comeBackTimeout = 15 * time.Second
	// badTime is how long a disk is full or fails.
	badTime = 400 * time.Millisecond
)

// fillDisk fills the disk of a server under load. It has to go on reading, and
// to write again when there is space, without a start; or with one, which has
// to succeed or to say why not.
func fillDisk(ctx context.Context, s *stage, opt Options, r *Report) (err error) {
	return troubleDisk(ctx, s, opt, r, func(d *disk, l *life, round int) error {
		left := []int64{0, 4096, 64 << 10, 1 << 20, 8 << 20, 65 << 20}[s.random.IntN(6)]
		silent := s.random.IntN(3) == 0 // statfs does not say so: a quota
		if silent {
			d.fs.OnOp(noSpace)
		} else {
			d.fs.SetFree(left)
		}
		after := fmt.Sprintf("a disk with %d kB left", left>>10)
		if silent {
			after = "a disk over its quota"
		}
		if err := l.endure(ctx, after); err != nil {
			return err
		}
		restart := s.random.IntN(3) == 0
		if restart {
			if err := d.startBad(ctx, l, after); err != nil {
				return err
			}
		}
		d.fs.OnOp(nil)
		d.fs.SetFree(-1)
		d.d.came(fmt.Sprintf("%s, restarted: %t", strings.Split(after, " with")[0], restart))
		return nil
	})
}

// noSpace refuses what needs space.
func noSpace(op faultfs.Op) faultfs.Verdict {
	switch op.Kind {
	case faultfs.Write, faultfs.Fallocate, faultfs.Create, faultfs.Mkdir:
		return faultfs.Verdict{Errno: errNoSpace}
	}
	return faultfs.Verdict{}
}

// startBad kills the server and starts it on the bad disk. It may refuse, when
// it says what is wrong.
func (d *disk) startBad(ctx context.Context, l *life, what string) error {
	l.n.kill()
	err := l.n.start(ctx)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		d.d.opened(0)
		d.d.came("a start on the bad disk that succeeded")
	case firstFall(err.Error()) != "":
		d.r.problem("a start with %s: %.300s", what, firstFall(err.Error()))
	case saysDisk(err.Error()):
		d.d.came("a start on the bad disk that was refused")
	default:
		d.r.problem("a start with %s was refused without saying so: %v", what, err)
	}
	return nil
}

// saysDisk reports whether a server says what is wrong with its disk.
func saysDisk(text string) bool {
	return slices.ContainsFunc([]string{"no space", "free", "full", "input/output error"}, func(w string) bool { return strings.Contains(text, w) })
}

// troubleDisk plays rounds in which a server lives on while something is wrong
// with its disk, comes back by itself or with a start, and is held against the
// ledger.
func troubleDisk(ctx context.Context, s *stage, opt Options, r *Report, trouble func(d *disk, l *life, round int) error) (err error) {
	d, err := openDisk(s, r, faultfs.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if closing := d.close(); err == nil {
			err = closing
		}
	}()
	l := d.newLife(d.n)
	if _, err := l.start(ctx); err != nil {
		return err
	}
	for round := range opt.Rounds {
		if round%contextRounds == 0 {
			if err := d.renew(ctx); err != nil {
				return err
			}
		}
		stop := d.write(ctx)
		err := s.pause(ctx, badTime/2)
		if err == nil {
			err = trouble(d, l, round)
		}
		if err == nil {
			l, err = d.recover(ctx, l)
		}
		stop()
		if err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		if err := l.missing(ctx, s.targets, fmt.Sprintf("round %d", round+1)); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		if (round+1)%10 == 0 || round+1 == opt.Rounds {
			s.say("  round %d of %d: %d changes acknowledged, %d starts", round+1, opt.Rounds, s.ledger.total(), d.d.Lives)
		}
		if r.Lost[d.n.name] > 0 {
			break
		}
	}
	if err := l.finish(ctx); err != nil {
		return err
	}
	return d.audit(ctx)
}

// endure lets the load go on while the disk is bad: the server must live, and
// answer who reads.
func (l *life) endure(ctx context.Context, what string) error {
	if l.n.process() == nil {
		return nil // it did not start
	}
	timer := time.NewTimer(badTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.n.process().Done():
		l.d.r.problem("%s ended the server: %s", what, firstTrouble(l.n.process().Log()))
		l.n.kill()
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for _, t := range l.d.s.targets {
		began := time.Now()
		if _, err := l.n.api().context(ctx, t.id); err != nil {
			l.d.d.came("a context could not be read meanwhile")
			l.d.r.note("%s: context %s could not be read: %.200v", what, t.id, err)
		} else if took := time.Since(began); took > time.Second {
			l.d.r.note("%s: context %s was read in %s", what, t.id, took.Round(time.Millisecond))
		}
	}
	return nil
}

// firstTrouble is what a log says of the end of its process.
func firstTrouble(log string) string {
	if line := firstFall(log); line != "" {
		return line
	}
	return tail(log)
}

// firstFall is the line of a log with which a process fell over.
func firstFall(log string) string {
	for line := range strings.Lines(log) {
		for _, begin := range []string{"panic:", "fatal error:", "unexpected fault", "SIGBUS"} {
			if strings.Contains(line, begin) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// recover waits until the server writes again, on a disk that works, or starts
// one that does not run.
func (d *disk) recover(ctx context.Context, l *life) (*life, error) {
	if l.n.process() == nil {
		l = d.newLife(d.n)
		if _, err := l.start(ctx); err != nil {
			return nil, fmt.Errorf("start on a disk that works: %w", err)
		}
	}
	began := time.Now()
	waiting, cancel := context.WithTimeout(ctx, comeBackTimeout)
	defer cancel()
	err := d.s.await(waiting, "the server writes again", func() error {
		return l.n.api().call(waiting, "context_create", map[string]any{"title": "Back"}, nil)
	})
	if err == nil {
		d.d.BackMost = max(d.d.BackMost, time.Since(began))
		return l, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	d.r.problem("%v", err)
	l.n.kill()
	l = d.newLife(d.n)
	if _, err := l.start(ctx); err != nil {
		return nil, fmt.Errorf("start on a disk that works: %w", err)
	}
	return l, nil
}
