package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kaijutsu"
)

const (
	nodesCount     = 3
	nodesDocuments = 21   // seven written to at each node
	nodesRate      = 1000 // edits a second, all together
)

// measureNodes lets people type at three nodes and measures when what they type
// is there for a peer of the same node and for a peer of the next one.
func measureNodes(ctx context.Context, opt *ClusterOptions) (*Table, error) {
	t := newTable(fmt.Sprintf("%d nodes over one nats-server, %d documents, %d edits a second in all", nodesCount, nodesDocuments, nodesRate),
		"kj bench nodes", "edit → visible to a peer", "of the same node", "of another node", "ratio")
	var same, other, stored []time.Duration
	missing := 0
	for round := range opt.Rounds {
		opt.say("round %d of %d", round+1, opt.Rounds)
		r, err := nodesRound(ctx, opt, t)
		if err != nil {
			return nil, err
		}
		opt.say("  same node p50 %s ms, p99 %s ms; another node p50 %s ms, p99 %s ms; %d missing", number(quantile(r.same, 0.5)),
			number(quantile(r.same, 0.99)), number(quantile(r.other, 0.5)), number(quantile(r.other, 0.99)), r.missing)
		same, other, stored = append(same, r.same...), append(other, r.other...), append(stored, r.stored...)
		missing += r.missing
	}
	for _, q := range []struct {
		name string
		at   float64
	}{{"p50, ms", 0.5}, {"p90, ms", 0.9}, {"p99, ms", 0.99}, {"most, ms", 1}} {
		s, o := quantile(same, q.at), quantile(other, q.at)
		t.add(q.name, number(s), number(o), number(o/s)+"×")
	}
	t.add("deliveries measured", fmt.Sprint(len(same)), fmt.Sprint(len(other)), "")
	t.note("Acknowledged to the writer, which is on its node's disk: p50 %s ms, p99 %s ms.", number(quantile(stored, 0.5)), number(quantile(stored, 0.99)))
	t.note("Deliveries that did not happen: %d.", missing)
	return t, nil
}

type nodesResult struct {
	same, other, stored []time.Duration
	missing             int
}

func nodesRound(ctx context.Context, opt *ClusterOptions, t *Table) (res nodesResult, err error) {
	ctx, cancel := context.WithCancel(ctx) // ends the connections
	defer cancel()
	c := &cluster{opt: opt}
	defer c.close()
	if err := c.open(ctx, nodesCount); err != nil {
		return res, err
	}
	j := newJournal(2)
	near, far, typists, err := c.seatTypists(ctx, j)
	if err != nil {
		return res, err
	}
	used, err := typing{rate: float64(nodesRate) / nodesDocuments, batch: 1}.drive(ctx, j, typists, opt.For, c.pids()...)
	if err != nil {
		return res, err
	}
	c.noteCost(t, used)
	edits, missing := j.seal(time.Now())
	res.missing = len(missing)
	t.note("%d edits recorded, %s a second.", edits, number(float64(edits)/opt.For.Seconds()))
	for _, r := range near {
		_ = r.peer.close() // what it did not get is counted
		res.same = append(res.same, r.visible...)
	}
	for _, r := range far {
		_ = r.peer.close()
		res.other = append(res.other, r.visible...)
	}
	var lateTimers []time.Duration
	for _, w := range typists {
		_ = w.peer.close()
		res.stored = append(res.stored, w.stored...)
		lateTimers = append(lateTimers, w.late...)
	}
	t.note("The generator's timers were late by %s ms, p99.", number(quantile(lateTimers, 0.99)))
	return res, nil
}

// seatTypists makes the documents and gives each a writer, an observer at the
// same node and one at the next.
func (c *cluster) seatTypists(ctx context.Context, j *journal) (near, far []*replica, typists []*typist, err error) {
	ready, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for i := range nodesDocuments {
		doc := newDocumentID()
		changes, text, err := textContext()
		if err != nil {
			return nil, nil, nil, err
		}
		here, there := i%len(c.nodes), (i+1)%len(c.nodes)
		peer, err := dial(ctx, c.nodes[here].SyncURL())
		if err != nil {
			return nil, nil, nil, err
		}
		w := openReplica(peer, doc, j)
		if err := w.begin(ctx, changes...); err != nil {
			return nil, nil, nil, err
		}
		if err := w.waitAcked(ready); err != nil {
			return nil, nil, nil, err
		}
		typists = append(typists, &typist{replica: w, text: text})
		for _, at := range []int{here, there} {
			r, err := c.observe(ready, ctx, at, doc, j, len(changes))
			if err != nil {
				return nil, nil, nil, fmt.Errorf("observe at node %d: %w", at+1, err)
			}
			if at == here {
				near = append(near, r)
			} else {
				far = append(far, r)
			}
		}
	}
	return near, far, typists, nil
}

// observe opens a document at a node that may not have heard of it yet. The
// connection lives as long as ctx.
func (c *cluster) observe(ready, ctx context.Context, at int, doc kaijutsu.DocumentID, j *journal, changes int) (*replica, error) {
	peer, err := dial(ctx, c.nodes[at].SyncURL())
	if err != nil {
		return nil, err
	}
	for {
		r := openReplica(peer, doc, j)
		if err := r.request(ctx); err != nil {
			return nil, err
		}
		err := r.wait(ready, "the document", func() bool { return len(r.known) == changes && slices.Equal(r.theirs, r.heads) })
		if err == nil || !errors.Is(err, kaijutsu.ErrNotFound) {
			return r, err
		}
		if err := pause(ready, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}
