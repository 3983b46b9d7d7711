package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

const (
	// citePoints is how many old states are cited, citeEach how many ranges of
	// lines of each.
	citePoints, citeEach = 20, 10
	// citeLines is how many lines a citation has, lineChars how long a line is.
	citeLines, lineChars = 5, 80
	// citeJump is how many characters are typed in a row before the writer goes
	// on somewhere else.
	citeJump = 500
	// commitEvery is how many changes there are between two commits of git's.
	commitEvery = 100
	// replays is how often the context is put together as it was.
	replays = 5
)

// citation is a range of lines of the text as it was.
type citation struct {
	handle      string
	commit      int // the last one of git's that is not after it
	first, last int // from 1
	want        string
}

// lineTyper types lines into a text, mostly behind what it typed last.
type lineTyper struct {
	*replica
	object  amfile.GlobalID
	random  *rand.Rand
	text    []byte
	order   []uint64 // the counters of the characters of text
	at      int      // where it types
	commits []string // the text after each commitEvery changes
}

// op makes the operation of a change that types one character.
func (w *lineTyper) op(c *amfile.Change) {
	n := len(w.text)
	if n > 0 && n%citeJump == 0 {
		w.at = w.random.IntN(n + 1)
	}
	char := letters[n%len(letters)]
	if n%lineChars == lineChars-1 {
		char = '\n'
	}
	c.Actors = append(c.Actors, w.object.Actor)
	op := amfile.Op{
		Action: amfile.Put, Obj: amfile.OpID{Counter: w.object.Counter, Actor: 1}, Seq: true, Insert: true,
		Value: amfile.StringValue(string(char)),
	}
	if w.at > 0 {
		op.Elem = amfile.OpID{Counter: w.order[w.at-1]}
	}
	c.Ops = []amfile.Op{op}
	w.text = slices.Insert(w.text, w.at, char)
	w.order = slices.Insert(w.order, w.at, c.StartOp)
	w.at++
	if len(w.text)%commitEvery == 0 {
		w.commits = append(w.commits, string(w.text))
	}
}

// measureCitations reads citations of old states of a long text: with ours,
// with git at commits of the same text, and by replay.
func measureCitations(ctx context.Context, opt *ClusterOptions) (*Table, error) {
	t := newTable(fmt.Sprintf("Citations of %d lines of a text of %d changes, at %d old states", citeLines, opt.Changes, citePoints),
		"kj bench drift", "", "p50, ms", "p99, ms", "p50 / citation_resolve")
	dir, err := os.MkdirTemp(opt.Dir, "kj-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c, err := openOurs(ctx, opt, dir)
	if err != nil {
		return nil, err
	}
	defer c.close()
	ours := c.(*ourCourier)
	began := time.Now()
	cited, commits, id, err := ours.typeLines(ctx, opt.Changes)
	if err != nil {
		return nil, err
	}
	opt.say("citations: %d changes typed in %s (load %s)", opt.Changes, time.Since(began).Round(time.Millisecond), loadAverage())
	resolved, used, stale, err := ours.resolve(ctx, cited)
	if err != nil {
		return nil, err
	}
	base := quantile(resolved, 0.5)
	row := func(what string, took []time.Duration) {
		opt.say("  %s: p50 %s ms", what, number(quantile(took, 0.5)))
		t.add(what, number(quantile(took, 0.5)), number(quantile(took, 0.99)), ratioOf(quantile(took, 0.5), base))
	}
	row("citation_resolve over HTTP: the lines then, and whether they still stand, with a diff", resolved)
	replayed, err := ours.replay(ctx, id, cited)
	if err != nil {
		return nil, err
	}
	row("context_at over HTTP, which replays: the whole text then", replayed)
	if err := measureGit(ctx, dir, cited, commits, row, t); err != nil {
		return nil, err
	}
	t.note("%d citations of %d characters each on the average, %d of them stale; each was compared with what was typed. One caller. While resolving, of one core: server %s %%, load generator %s %%, everybody else %s %%.",
		len(cited), citeLines*lineChars, stale, number(used.percent(used.server)), number(used.percent(used.self)), number(used.percent(used.others)))
	t.note("Load average at the end: %s.", loadAverage())
	return t, nil
}

// typeLines makes a context with a long text, and citations of it on the way.
func (c *ourCourier) typeLines(ctx context.Context, changes int) (cited []citation, commits []string, id string, err error) {
	peer, err := dial(ctx, c.p.SyncURL())
	if err != nil {
		return nil, nil, "", err
	}
	first, object, err := textContext()
	if err != nil {
		return nil, nil, "", err
	}
	doc := newDocumentID()
	w := &lineTyper{replica: openReplica(peer, doc, nil), object: object, random: rand.New(rand.NewPCG(7, 7))}
	if err := w.begin(ctx, first...); err != nil {
		return nil, nil, "", err
	}
	if id, err = contextOf(w.doc); err != nil {
		return nil, nil, "", err
	}
	if err := w.waitAcked(ctx); err != nil {
		return nil, nil, "", err
	}
	var out struct {
		Blocks []struct{ ID string } `json:"block_list"`
	}
	if err := c.call(ctx, "context_get", map[string]any{"context": id}, &out); err != nil || len(out.Blocks) != 1 {
		return nil, nil, "", fmt.Errorf("find the text among %d blocks: %w", len(out.Blocks), err)
	}
	point := max(1, changes/citePoints)
	for made := 0; made < changes; {
		batch := min(catchUpBatch, changes-made, point-made%point)
		if err := w.edit(ctx, batch, w.op); err != nil {
			return nil, nil, "", err
		}
		made += batch
		if err := w.wait(ctx, "acknowledgements", func() bool { return w.seq-w.acked <= catchUpWindow }); err != nil {
			return nil, nil, "", err
		}
		if made%point == 0 {
			cited = append(cited, w.cite(id+"/"+out.Blocks[0].ID)...)
		}
	}
	if err := w.waitAcked(ctx); err != nil {
		return nil, nil, "", err
	}
	return cited, w.commits, id, peer.close()
}

// cite cites ranges of the text as it is.
func (w *lineTyper) cite(block string) (all []citation) {
	w.mu.Lock()
	heads := kaijutsu.NewHeads(w.heads...).Texts()
	w.mu.Unlock()
	lines := strings.SplitAfter(string(w.text), "\n")
	for range citeEach {
		first := w.random.IntN(max(1, len(lines)-citeLines))
		last := min(first+citeLines, len(lines))
		all = append(all, citation{
			handle: fmt.Sprintf("%s@%s#%d-%d", block, strings.Join(heads, ","), first+1, last),
			commit: len(w.commits) - 1, first: first + 1, last: last, want: strings.Join(lines[first:last], ""),
		})
	}
	return all
}

// resolve reads every citation, in no order, and holds it against what was
// typed.
func (c *ourCourier) resolve(ctx context.Context, cited []citation) (took []time.Duration, used cost, stale int, err error) {
	g, err := startGauge(c.p.PID())
	if err != nil {
		return nil, used, 0, err
	}
	for _, i := range rand.New(rand.NewPCG(8, 8)).Perm(len(cited)) {
		var out struct{ Text, State string }
		began := time.Now()
		if err := c.call(ctx, "citation_resolve", map[string]any{"handle": cited[i].handle}, &out); err != nil {
			return nil, used, 0, err
		}
		took = append(took, time.Since(began))
		if strings.TrimSuffix(out.Text, "\n") != strings.TrimSuffix(cited[i].want, "\n") {
			return nil, used, 0, fmt.Errorf("%s is %q, want %q: %w", cited[i].handle, out.Text, cited[i].want, kaijutsu.ErrConflict)
		}
		if out.State != "fresh" {
			stale++
		}
	}
	used, err = g.stop()
	return took, used, stale, err
}

// replay has the context put together as it was at some of the states.
func (c *ourCourier) replay(ctx context.Context, id string, cited []citation) (took []time.Duration, err error) {
	for i := range replays {
		one := cited[(2*i+1)*len(cited)/(2*replays)]
		_, behind, _ := strings.Cut(one.handle, "@")
		heads, _, _ := strings.Cut(behind, "#")
		var out struct {
			Blocks []struct{ Content string } `json:"block_list"`
		}
		began := time.Now()
		if err := c.call(ctx, "context_at", map[string]any{"context": id, "heads": strings.Split(heads, ",")}, &out); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		if len(out.Blocks) != 1 || !strings.Contains(out.Blocks[0].Content, one.want) {
			return nil, fmt.Errorf("context_at does not show what was typed: %w", kaijutsu.ErrConflict)
		}
	}
	return took, nil
}
