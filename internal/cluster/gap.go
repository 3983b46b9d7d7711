package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"kaijutsu"
)

// maxNeeds bounds the parcels that wait for what they depend on.
const maxNeeds = 10_000

// gapWaits are the times between attempts to get what is missing. The first is
// for what is under way: another copy, or the live copy of another node.
var gapWaits = []time.Duration{80 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

var errGap = errors.New("what it depends on is nowhere to be had")

// gaps are the documents of which something came whose past is not here.
type gaps struct {
	slots chan struct{} // fetches at a time

	mu    sync.Mutex
	docs  map[kaijutsu.DocumentID][]need
	needs int
}

// need is changes that a document is to hold, and the node that has them.
type need struct {
	hashes []kaijutsu.ChangeHash
	node   string
	now    bool // nothing is under way: ask at once
	done   func(error)
}

func newGaps() *gaps {
	return &gaps{slots: make(chan struct{}, 8), docs: make(map[kaijutsu.DocumentID][]need)}
}

// wait has n.done called when the document holds the changes, or cannot.
func (g *gaps) wait(c *Cluster, doc kaijutsu.DocumentID, n need) {
	g.mu.Lock()
	full := g.needs >= maxNeeds
	needs, runs := g.docs[doc]
	if !full {
		if full = !runs && !c.spawn(func(ctx context.Context) { c.fillGap(ctx, doc) }); !full {
			g.docs[doc] = append(needs, n)
			g.needs++
		}
	}
	g.mu.Unlock()
	if full {
		c.healer.nudge()
		n.done(errGap)
	}
}

// fillGap fetches what a document misses until it holds what is needed.
func (c *Cluster) fillGap(ctx context.Context, doc kaijutsu.DocumentID) {
	for attempt := 0; attempt < len(gapWaits); attempt++ {
		if !(attempt == 0 && c.gaps.urgent(doc)) && !sleep(ctx, gapWaits[attempt]) {
			break
		}
		if c.settle(ctx, doc) {
			return
		}
		select {
		case c.gaps.slots <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		if node := c.gaps.origin(doc, attempt); node != "" {
			_, _ = c.pull(ctx, node, []wanted{{doc: doc, have: c.haveOf(ctx, doc)}}) // tried again
		}
		<-c.gaps.slots
		if c.settle(ctx, doc) {
			return
		}
	}
	for _, n := range c.gaps.giveUp(doc) {
		n.done(errGap)
	}
	c.healer.nudge()
}

// urgent reports whether a need of the document has nothing under way.
func (g *gaps) urgent(doc kaijutsu.DocumentID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.docs[doc], func(n need) bool { return n.now })
}

// origin returns the node to ask, another one for each attempt if several
// brought what is needed.
func (g *gaps) origin(doc kaijutsu.DocumentID, attempt int) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	needs := g.docs[doc]
	if len(needs) == 0 {
		return ""
	}
	var nodes []string
	for _, n := range needs {
		if !slices.Contains(nodes, n.node) {
			nodes = append(nodes, n.node)
		}
	}
	return nodes[attempt%len(nodes)]
}

func (g *gaps) giveUp(doc kaijutsu.DocumentID) []need {
	g.mu.Lock()
	defer g.mu.Unlock()
	needs := g.docs[doc]
	delete(g.docs, doc)
	g.needs -= len(needs)
	return needs
}

// settle ends the needs that are met, and the gap when none is left.
func (c *Cluster) settle(ctx context.Context, doc kaijutsu.DocumentID) bool {
	g := c.gaps
	g.mu.Lock()
	needs := slices.Clone(g.docs[doc])
	g.mu.Unlock()
	var all []kaijutsu.ChangeHash
	for _, n := range needs {
		all = append(all, n.hashes...)
	}
	has, err := c.repo.Has(ctx, doc, all)
	if err != nil {
		return false
	}
	met := make([]bool, len(needs))
	for i, n := range needs {
		met[i] = !slices.Contains(has[:len(n.hashes)], false)
		has = has[len(n.hashes):]
	}
	g.mu.Lock()
	var rest []need
	for i, n := range g.docs[doc] { // more may have come behind those we looked at
		if i >= len(met) || !met[i] {
			rest = append(rest, n)
		}
	}
	g.needs -= len(g.docs[doc]) - len(rest)
	if len(rest) == 0 {
		delete(g.docs, doc)
	} else {
		g.docs[doc] = rest
	}
	g.mu.Unlock()
	for i, n := range needs {
		if met[i] {
			c.recent.add(doc, n.hashes)
			n.done(nil)
		}
	}
	return len(rest) == 0
}
