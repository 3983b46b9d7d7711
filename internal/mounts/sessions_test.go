package mounts_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

const (
	// sessionsEach is how many sessions share a world.
	sessionsEach = 40
	// shrinkFor is how long a shorter session is looked for that fails too.
	shrinkFor = 40 * time.Second
)

// TestSessions lets two people and an agent edit, move, remove and commit files
// of a worktree, and programs edit them on the disk, at random. The test itself
// keeps book of who wrote each line last (model), and holds against that what
// the notes of the commits say of every line, what the ordinary git command says,
// and what Blame says. KJ_FULL=1 runs 1,000 sessions, KJ_SEED=n the n-th alone.
func TestSessions(t *testing.T) {
	first, n := uint64(1), 40
	if testing.Short() {
		n = 10
	}
	if os.Getenv("KJ_FULL") != "" {
		n = 1000
	}
	if s := os.Getenv("KJ_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("KJ_SEED: %v", err)
		}
		first, n = seed, 1
	}
	var sum counts
	for at := 0; at < n && !t.Failed(); at += sessionsEach {
		t.Run(fmt.Sprintf("from %d", first+uint64(at)), func(t *testing.T) {
			sum.add(runSessions(t, first+uint64(at), min(sessionsEach, n-at)))
		})
	}
	t.Logf("%d sessions, %d steps, %d commits; %d lines by their notes, %d by git blame, of which %d could be of several", n, sum.steps, sum.commits, sum.noted, sum.blamed, sum.loose)
	if !t.Failed() && sum.loose*5 > sum.blamed {
		t.Errorf("of %d lines that git blamed %d were not held against one writer: too many for a proof", sum.blamed, sum.loose)
	}
}

// counts is what was done and compared.
type counts struct{ steps, commits, noted, blamed, loose int }

func (c *counts) add(d counts) {
	c.steps, c.commits, c.noted = c.steps+d.steps, c.commits+d.commits, c.noted+d.noted
	c.blamed, c.loose = c.blamed+d.blamed, c.loose+d.loose
}

// stage is a world with its cast, in which sessions go on side by side.
type stage struct {
	*world
	cast []op.Call

	mu   sync.Mutex
	runs int // guarded by mu: names repositories
}

func runSessions(t *testing.T, first uint64, n int) (sum counts) {
	w := newWorld(t)
	st := &stage{world: w, cast: []op.Call{
		w.member("amy", kaijutsu.Person, kaijutsu.RightEdit),
		w.member("ben", kaijutsu.Person, kaijutsu.RightEdit),
		w.member("bot", kaijutsu.Agent, kaijutsu.RightEdit),
	}}
	seeds := make(chan uint64, n)
	for i := range n {
		seeds <- first + uint64(i)
	}
	close(seeds)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range min(n, 4*runtime.GOMAXPROCS(0)) { // they mostly wait
		all.Go(func() {
			for seed := range seeds {
				mu.Lock()
				stop := t.Failed()
				mu.Unlock()
				if stop || t.Context().Err() != nil {
					return
				}
				plan := newPlan(seed)
				s, err := st.run(t.Context(), seed, plan)
				mu.Lock()
				sum.add(s.counts)
				if err != nil {
					t.Errorf("session %d (KJ_SEED=%d repeats it): %v\n%s", seed, seed, err, st.shrunk(t.Context(), seed, plan, s))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return sum
}

// step is something that happens. The numbers say where; what they come to
// depends on what was before, so that each step may be left out.
type step struct {
	kind       string
	who        int
	a, b, c, d int
}

func (s step) String() string {
	return fmt.Sprintf("{%q, %d, %d, %d, %d, %d}", s.kind, s.who, s.a, s.b, s.c, s.d)
}

// kinds are what may happen, and how often.
var kinds = func() (out []string) {
	for kind, weight := range map[string]int{
		"type": 10, "lines": 6, "equal": 2, "shift": 2, "write": 3, "end": 1, "rename": 3, "new": 2, "remove": 1, // in blocks
		"save": 4, "append": 2, "touch": 1, "mv": 1, "create": 1, "rm": 1, "back": 1, "both": 4, // on the disk
		"read": 1, "commit": 4,
	} {
		out = append(out, slices.Repeat([]string{kind}, weight)...)
	}
	slices.Sort(out)
	return out
}()

// newPlan returns what happens in a session.
func newPlan(seed uint64) []step {
	r := rand.New(rand.NewPCG(seed, 6))
	plan := make([]step, 8+r.IntN(14))
	for i := range plan {
		plan[i] = step{kinds[r.IntN(len(kinds))], r.IntN(3), r.IntN(1000), r.IntN(1000), r.IntN(1000), r.IntN(1000)}
	}
	return plan
}

// failure is what a session stops with.
type failure struct{ error }

// run plays a session in a repository of its own.
func (st *stage) run(ctx context.Context, seed uint64, plan []step) (s *session, err error) {
	st.mu.Lock()
	st.runs++
	name := fmt.Sprintf("s%d", st.runs)
	st.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	s = &session{stage: st, ctx: ctx, at: "/mnt/" + name, files: make(map[string]*model), head: make(map[string]string), ever: make(map[string]map[string]bool), notes: make(map[string]note)}
	defer func() {
		if p := recover(); p != nil {
			f, ours := p.(failure)
			if !ours {
				panic(p)
			}
			err = f.error
		}
	}()
	s.begin(name)
	for _, p := range plan {
		s.counts.steps++
		s.play(p)
	}
	s.play(step{kind: "commit", a: 999, b: 999})
	s.finish()
	_, err = st.Remove(ctx, owner, mounts.RemoveSpec{Mount: s.at, Worktree: true, Force: true})
	return s, err
}

// shrunk looks for a shorter session that fails, and says what happens in it.
func (st *stage) shrunk(ctx context.Context, seed uint64, plan []step, failed *session) string {
	end := time.Now().Add(shrinkFor)
	for size := len(plan) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(plan) && time.Now().Before(end); {
			less := slices.Delete(slices.Clone(plan), at, at+size)
			if s, err := st.run(ctx, seed, less); err != nil && ctx.Err() == nil {
				plan, failed = less, s
				failed.say("%v", err)
				continue
			}
			at += size
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "in short, in %s:\n", failed.mount.Dir)
	for _, line := range failed.trace {
		b.WriteString("  " + line + "\n")
	}
	fmt.Fprintf(&b, "plan: %v", plan)
	return b.String()
}
