package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/planted"
)

const (
	// mixedFor is how long a mixed run goes on.
	mixedFor = 60 * time.Second
	// mixedPause is the mean pause of an editor between two edits; it waits for
	// each of them.
	mixedPause = 30 * time.Millisecond
	// lateBy is how far behind its schedule a run may be, on a machine that is
	// busy, until the rest of it is left out.
	lateBy = 5 * time.Second
	// memoryLimit is what a node may have resident, in MiB: what its limits
	// for open documents and for frames on their way add up to, and as much again.
	memoryLimit = 1200
)

// mixed is a run in which everything happens.
type mixed struct {
	*stage
	h        *history
	opt      Options
	keys     map[string]string // tokens by principal; "": nobody's
	disks    []*brittle        // by node; nil: a usual one
	docs     []*target         // all that are looked at: those of the stage, and those of shufflers
	scratch  *target           // where hostile peers may do what they like
	recorded map[place]map[string]bool
	lookMu   sync.Mutex // one look at a time
	reviving sync.Mutex // held by a fault: no attack starts a server meanwhile
	strikes  []strike
	stops    chan struct{} // closed when the writers are to stop
}

// playMixed lets everybody write and everything happen, records it, and lets
// the checker decide on what was recorded.
func playMixed(ctx context.Context, s *stage, opt Options, r *Report) (err error) {
	path := filepath.Join(s.dir, "history.jsonl")
	h, err := createHistory(path)
	if err != nil {
		return err
	}
	m := &mixed{stage: s, h: h, opt: opt, keys: make(map[string]string), recorded: make(map[place]map[string]bool)}
	err = m.play(ctx, r)
	if closed := h.close(); err == nil {
		err = closed
	}
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	v, err := Check(path)
	if err != nil {
		return err
	}
	r.take(v)
	if opt.History == "" && r.OK() {
		return nil
	}
	if opt.History == "" {
		opt.History = filepath.Join(os.TempDir(), fmt.Sprintf("kj-history-%s-%d.jsonl", r.Fault, opt.Seed))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	r.History = opt.History
	return os.WriteFile(opt.History, content, 0o600)
}

// Check decides a recorded history again.
func Check(path string) (*Verdict, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := readHistory(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return decide(all), nil
}

// play runs the acts in order.
func (m *mixed) play(ctx context.Context, r *Report) error {
	span := m.opt.For
	if span == 0 {
		span = mixedFor
	}
	m.h.note(Entry{Says: saysRun, Format: historyFormat, Seed: m.opt.Seed, N: m.layout.nodes, What: r.Fault, Plant: m.opt.Plant, Rival: m.opt.rival != nil, Memory: memoryLimit})
	if err := m.open(ctx); err != nil {
		return err
	}
	defer m.closeDisks()
	m.strikes = plan(m.opt.Seed, span, len(m.nodes), m.opt.Only, m.can)
	r.Rounds = len(m.strikes)
	for _, k := range m.strikes {
		m.h.note(Entry{Says: saysPlanned, N: k.n, What: k.what, Node: m.nodes[k.node].name, Ms: float64(k.at.Milliseconds())})
	}
	if m.opt.rival == nil {
		if err := m.follow(ctx); err != nil {
			return err
		}
	}
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	var watch sync.WaitGroup
	watch.Go(func() { m.watch(watching) })
	defer watch.Wait()
	defer stopWatching()
	if err := m.write(ctx); err != nil {
		return err
	}
	m.say("  %d followers read, everybody writes; %d strikes in %s", len(m.followers), len(m.strikes), span)
	if err := m.toTheEnd(ctx, span, r); err != nil {
		if ctx.Err() != nil {
			return err
		}
		m.wrong(checkWhole, "%v", err) // what there is is decided
		m.say("  broken off: %v", err)
		return nil
	}
	m.h.note(Entry{Says: saysEnd})
	return nil
}

// toTheEnd carries out the schedule and records what is there when all is over.
func (m *mixed) toTheEnd(ctx context.Context, span time.Duration, r *Report) error {
	if err := m.run(ctx, span); err != nil {
		return err
	}
	if err := m.rest(ctx, m.opt.Calm); err != nil {
		return err
	}
	m.stopWriting()
	m.say("  writers have stopped: %d changes acknowledged; checking", m.ledger.total())
	return m.finish(ctx, r)
}

// open starts servers and nodes with tokens, and makes principals and contexts.
func (m *mixed) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, setUpTimeout)
	defer cancel()
	if m.opt.rival != nil {
		return m.openRival(ctx)
	}
	if err := m.startServers(ctx); err != nil {
		return err
	}
	if m.layout.servers > 0 {
		if err := m.openGates(); err != nil {
			return err
		}
	}
	if err := m.openDisks(); err != nil {
		return err
	}
	if m.opt.Plant != "" {
		m.always = []string{planted.Env + "=" + m.opt.Plant}
	}
	if err := m.startNodes(ctx, "--auth", "token"); err != nil {
		return err
	}
	for _, n := range m.nodes {
		if err := n.learnOwner(m.backingOf(n)); err != nil {
			return err
		}
	}
	if err := m.makeContexts(ctx); err != nil {
		return err
	}
	m.docs = slices.Clone(m.targets)
	for _, n := range m.nodes {
		t, err := m.makeContext(ctx, "Shuffled at "+n.name)
		if err != nil {
			return err
		}
		m.docs = append(m.docs, t)
	}
	var err error
	if m.scratch, err = m.makeContext(ctx, "Scratch"); err != nil {
		return err
	}
	return m.await(ctx, "every node has every context", func() error {
		for _, n := range m.nodes {
			for _, t := range append(slices.Clone(m.docs), m.scratch) {
				if err := hasTexts(ctx, n, t); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// makeContext makes one with one text.
func (m *mixed) makeContext(ctx context.Context, title string) (*target, error) {
	var c struct{ ID, URL string }
	a := m.nodes[0].api()
	if err := a.call(ctx, "context_create", map[string]any{"title": title}, &c); err != nil {
		return nil, err
	}
	doc, err := kaijutsu.ParseDocumentID(strings.TrimPrefix(c.URL, "automerge:"))
	if err != nil {
		return nil, fmt.Errorf("context_create: url %q: %w", c.URL, err)
	}
	id := blocks.NewID(time.Now())
	return &target{doc: doc, id: c.ID, texts: []blocks.ID{id}},
		a.call(ctx, "block_create", map[string]any{"context": c.ID, "id": id, "content": "¶", "form": "text"}, nil)
}

// run carries out the schedule, a goroutine for each lane, and waits for both.
func (m *mixed) run(ctx context.Context, span time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	failed := make(chan error, lanes)
	for lane := range lanes {
		go func() {
			for _, k := range m.strikes {
				if isAttack(k.what) != (lane == 1) || time.Since(began) > span+lateBy {
					continue
				}
				if err := m.rest(ctx, k.at-time.Since(began)); err != nil {
					failed <- err
					return
				}
				if err := m.carryOut(ctx, k); err != nil {
					failed <- fmt.Errorf("strike %d, %s: %w", k.n, k.what, err)
					return
				}
			}
			failed <- nil
		}()
	}
	var first error
	for range lanes {
		if err := <-failed; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}

// carryOut does one strike, and records when it began and when it was over.
func (m *mixed) carryOut(ctx context.Context, k strike) error {
	n := m.nodes[k.node]
	m.h.note(Entry{Says: saysStrike, N: k.n, What: k.what, Node: n.name})
	m.say("  %s %2d %s at node %s", map[bool]string{true: "!", false: "✗"}[isAttack(k.what)], k.n, k.what, n.name)
	err := m.do(ctx, k, n, rand.New(rand.NewPCG(k.seed, 2)))
	m.h.note(Entry{Says: saysOver, N: k.n, What: k.what, Node: n.name})
	return err
}

// rest lets the load go on for a while.
func (m *mixed) rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wrong records what is wrong and was seen while it ran.
func (m *mixed) wrong(check, format string, args ...any) {
	m.h.note(Entry{Says: saysWrong, Check: check, What: fmt.Sprintf(format, args...)})
}
