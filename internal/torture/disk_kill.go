package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"kaijutsu/internal/faultfs"
)

const (
	// diskLoad is how long writers write at most before the server is killed
	// anyway.
	diskLoad = 250 * time.Millisecond
	// freshRounds is how often a round is one of a server that starts for the
	// first time.
	freshRounds = 10
	// diskSay is after how many rounds a line says so.
	diskSay = 50
)

// killPoints kills a server at one point of its disk after another.
func killPoints(ctx context.Context, s *stage, opt Options, r *Report) error {
	return strikeDisk(ctx, s, opt, r, diskSort{})
}

// powerLosses takes the power from it, at such points and at any time.
func powerLosses(ctx context.Context, s *stage, opt Options, r *Report) error {
	return strikeDisk(ctx, s, opt, r, diskSort{power: true})
}

// strictPowerLosses does so on a disk that keeps no more than it must.
func strictPowerLosses(ctx context.Context, s *stage, opt Options, r *Report) error {
	return strikeDisk(ctx, s, opt, r, diskSort{power: true, strict: true})
}

// imagePowerLosses does so on a disk in a file.
func imagePowerLosses(ctx context.Context, s *stage, opt Options, r *Report) error {
	return strikeDisk(ctx, s, opt, r, diskSort{power: true, image: true})
}

// diskSort says what strikes and what the disk promises.
type diskSort struct {
	power  bool // not only a kill -9: the power
	strict bool // it keeps no more than POSIX promises
	lies   bool // it does not do fsyncs
	image  bool // it is in a file
}

// strikeDisk plays rounds. In each the server starts, everything that was
// acknowledged is looked for, writers write, and it is struck: at a point of its
// disk that was chosen before it started, or when the time is over.
func strikeDisk(ctx context.Context, s *stage, opt Options, r *Report, sort diskSort) (err error) {
	d, err := openAny(s, r, sort)
	if err != nil {
		return err
	}
	defer func() {
		if closing := d.close(); err == nil {
			err = closing
		}
	}()
	a, first := newAtlas(2), newAtlas(1)
	last := "the first start"
	for round := range opt.Rounds {
		if round%freshRounds == freshRounds-1 && d.fs != nil {
			if err := d.fresh(ctx, first, round, sort.power); err != nil {
				return fmt.Errorf("round %d: %w", round+1, err)
			}
			continue
		}
		next, err := d.strikeRound(ctx, a, round, last)
		if err != nil {
			return fmt.Errorf("round %d, after %s: %w", round+1, last, err)
		}
		last = next
		if sort.power {
			if err := d.losePower(d.s.random); err != nil {
				return fmt.Errorf("round %d: %w", round+1, err)
			}
		}
		if (round+1)%diskSay == 0 || round+1 == opt.Rounds {
			s.say("  round %d of %d: %d changes acknowledged, %d starts", round+1, opt.Rounds, s.ledger.total(), d.d.Lives)
		}
		if r.Lost[d.n.name] > 0 {
			break // what follows is of the same loss
		}
	}
	if err := d.audit(ctx); err != nil {
		return err
	}
	a.report(d.d)
	first.report(d.d)
	return nil
}

// strikeRound is one life of the server. It returns how it ended.
func (d *disk) strikeRound(ctx context.Context, a *atlas, round int, last string) (string, error) {
	l := d.newLife(d.n)
	renew := round%contextRounds == 0
	at, armed := spot{}, false
	a.begin()
	d.watch(func(op faultfs.Op) faultfs.Verdict { return l.consider(a, op) })
	if !renew && round%3 != 0 { // also while it opens
		at, armed = a.arm(d.s.random, false)
	}
	ready, err := l.start(ctx)
	if err != nil {
		return "", err
	}
	if ready {
		err = l.missing(ctx, d.s.targets, fmt.Sprintf("round %d, %s", round, last))
		if err == nil && renew {
			err = d.renew(ctx)
		}
		if err != nil && err != errStruck && !l.struck.Load() {
			return "", err
		}
		if !armed && round%4 != 0 {
			at, armed = a.arm(d.s.random, true)
		}
		if err := l.load(ctx, diskLoad/4+time.Duration(d.s.random.Int64N(int64(diskLoad)))); err != nil {
			return "", err
		}
	}
	if err := l.finish(ctx); err != nil {
		return "", err
	}
	if armed && a.wasStruck() {
		return "a strike " + at.String(), nil
	}
	return "a strike at any time", nil
}

// fresh is a round of a server that starts for the first time, is struck while
// it makes its files, and has to start then.
func (d *disk) fresh(ctx context.Context, a *atlas, round int, power bool) error {
	n := d.server(fmt.Sprintf("fresh-%d", round))
	l := d.newLife(n)
	a.begin()
	at, armed := a.arm(d.s.random, false)
	d.watch(func(op faultfs.Op) faultfs.Verdict { return l.consider(a, op) })
	if _, err := l.start(ctx); err != nil {
		return fmt.Errorf("the first start of a server: %w", err)
	}
	if err := l.finish(ctx); err != nil {
		return err
	}
	if power {
		if err := d.losePower(d.s.random); err != nil {
			return err
		}
	}
	d.watch(nil)
	d.d.came("a server that starts for the first time")
	again := d.newLife(n)
	_, err := again.start(ctx)
	if err == nil {
		err = n.api().call(ctx, "context_create", map[string]any{"title": "Fresh"}, nil)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && armed:
		d.r.problem("the second start of a server that was struck %s in its first: %v", at, err)
	case err != nil:
		d.r.problem("the second start of a server that was struck in its first: %v", err)
	}
	if err := again.finish(ctx); err != nil {
		return err
	}
	own := filepath.Join(d.backing, filepath.Base(n.dir))
	if !power {
		return os.RemoveAll(own)
	}
	d.gone = append(d.gone, own) // the next loss of power may have some of it to undo
	return nil
}

// losePower makes the disk what it might be, and mounts it again.
func (d *disk) losePower(r *rand.Rand) error {
	if d.image != nil {
		return d.image.swap()
	}
	if err := d.fs.PowerLoss(r); err != nil {
		return fmt.Errorf("lose power: %w", err)
	}
	return d.mount()
}

// wasStruck reports whether the spot that was chosen was struck.
func (a *atlas) wasStruck() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.armed == nil
}
