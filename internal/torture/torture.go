package torture

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// Options say how a fault is run. The zero value runs it in full.
type Options struct {
	// Exe is the kj binary; default this one.
	Exe string
	// NATS is the nats-server binary; default one that kjproc.FindNATS finds.
	NATS string
	// Rounds is how often the fault strikes; 0 is the fault's own number.
	Rounds int
	// Seed makes the random choices; 0 takes one from the clock.
	Seed uint64
	// Calm is how long the load goes on before the first and after the last
	// strike; default 2 s.
	Calm time.Duration
	// For is how long a fault goes on that has no rounds; 0 is the fault's own
	// time.
	For time.Duration
	// Brief makes the pauses of faults that wait long shorter.
	Brief bool
	// Spare leaves out what kills servers, of faults that do other things too.
	Spare bool
	// Keep keeps the directory of a run that failed.
	Keep bool
	// Only names the strikes of a mixed run; empty: all.
	Only []string
	// History is where the history of a mixed run is kept; empty: only that of
	// one that failed, beside the other temporary files.
	History string
	// Plant is the planted bug that the servers of a mixed run have; they must be
	// built with the tag planted. Empty: none.
	Plant string
	// Progress receives a line for each thing that happens; default nothing.
	Progress io.Writer

	rival *RivalOptions // of a mixed run on another server; nil: on ours
}

// fault is one way to break things.
type fault struct {
	name   string
	about  string
	rounds int // by default
	layout layout
	strike func(ctx context.Context, s *stage, round int, opt Options, r *Report) error
	// play is the whole of a fault that has a load and a checker of its own,
	// in place of strike.
	play func(ctx context.Context, s *stage, opt Options, r *Report) error
}

// Faults returns the names of all faults and what they do, in order.
func Faults() (names, about []string) {
	for _, f := range faults {
		names, about = append(names, f.name), append(about, f.about)
	}
	return names, about
}

// choose returns the fault of a name.
func choose(name string) (fault, error) {
	i := slices.IndexFunc(faults, func(f fault) bool { return f.name == name })
	if i < 0 {
		names, _ := Faults()
		return fault{}, fmt.Errorf("fault %q: %w: there are %s", name, kaijutsu.ErrNotFound, strings.Join(names, ", "))
	}
	return faults[i], nil
}

// Run runs one fault and returns what the checker found. A loss is not an error
// but a problem in the report; an error is what kept it from being looked for.
// Nothing that it started is left when it returns.
func Run(ctx context.Context, name string, opt Options) (*Report, error) {
	f, err := choose(name)
	if err != nil {
		return nil, err
	}
	return run(ctx, f, opt)
}

// run is Run of a fault.
func run(ctx context.Context, f fault, opt Options) (_ *Report, err error) {
	name := f.name
	if opt.Progress == nil {
		opt.Progress = io.Discard
	}
	if opt.Seed == 0 {
		opt.Seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	if opt.Rounds == 0 {
		opt.Rounds = f.rounds
	}
	if opt.Calm == 0 {
		opt.Calm = 2 * time.Second
	}
	if opt.Exe == "" {
		if opt.Exe, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "kj-torture-")
	if err != nil {
		return nil, err
	}
	r := &Report{
		Fault: name, Seed: opt.Seed, Rounds: opt.Rounds,
		Lost: make(map[string]int), LostMarks: make(map[string]int), Doubled: make(map[string]int), Cuts: make(map[string]int),
	}
	err = f.run(ctx, dir, opt, r)
	if opt.Keep && ctx.Err() == nil && (err != nil || !r.OK()) {
		r.Dir = dir
		fmt.Fprintf(opt.Progress, "  kept: %s\n", dir)
	} else if gone := os.RemoveAll(dir); gone != nil && err == nil {
		err = gone
	}
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", name, opt.Seed, err)
	}
	return r, nil
}

// run plays the fault on a stage of its own in dir.
func (f fault) run(ctx context.Context, dir string, opt Options, r *Report) (err error) {
	began := time.Now()
	s := &stage{
		layout: f.layout, exe: opt.Exe, dir: dir, ledger: newLedger(),
		random: rand.New(rand.NewPCG(opt.Seed, 0)),
		say: func(format string, args ...any) {
			fmt.Fprintf(opt.Progress, "%6.1fs  "+format+"\n", append([]any{time.Since(began).Seconds()}, args...)...)
		},
	}
	if s.layout.servers > 0 {
		bin := filepath.Join(dir, "bin")
		if err := os.Mkdir(bin, 0o700); err != nil {
			return err
		}
		if s.nats, err = kjproc.FindNATS(ctx, opt.NATS, bin); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel() // the writers, when something went wrong
		logs := s.saveLogs()
		s.close()
		if opt.Keep && err == nil && !r.OK() {
			err = logs
		}
	}()
	s.say("%s: seed %d, %d rounds", f.name, opt.Seed, opt.Rounds)
	if f.play != nil {
		err = f.play(ctx, s, opt, r)
	} else {
		err = s.play(ctx, f, opt, r)
	}
	if err != nil {
		return err
	}
	r.Took = time.Since(began)
	return nil
}

// play runs the acts in order.
func (s *stage) play(ctx context.Context, f fault, opt Options, r *Report) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	if err := s.follow(ctx); err != nil {
		return err
	}
	s.write(ctx)
	s.say("  %d followers read, %d writers write", len(s.followers), 2*len(s.callers))
	if err := s.pause(ctx, opt.Calm); err != nil {
		return err
	}
	for round := range opt.Rounds {
		if err := f.strike(ctx, s, round, opt, r); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		s.say("  round %d of %d: %d changes acknowledged so far", round+1, opt.Rounds, s.ledger.total())
	}
	if err := s.pause(ctx, opt.Calm); err != nil {
		return err
	}
	s.stopWriting()
	s.say("  writers have stopped: %d changes acknowledged; checking", s.ledger.total())
	return s.check(ctx, r)
}
