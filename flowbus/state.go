package flowbus

import (
	"slices"
	"sync"
	"time"
)

// State is how the bus fares.
type State struct {
	Connected bool
	Server    string    // the server we talk to, or talked to last; else those we try
	Cluster   string    // the name of its cluster; "": none
	Since     time.Time // when Connected last changed
	// Problems say in plain words what is wrong now and how to mend it, in a
	// stable order.
	Problems []string
	// Refused counts the messages that were dropped because they were not what
	// a node of this version sends, by the node that sent them ("": not told).
	Refused map[string]int64
	Lost    int64 // core messages dropped here because a subscriber was too slow
}

// State returns how the bus fares now.
func (b *Bus) State() State {
	b.link.mu.Lock()
	s := State{Connected: b.link.up, Server: b.link.server, Cluster: b.link.cluster, Since: b.link.since}
	b.link.mu.Unlock()
	if s.Server == "" {
		s.Server = b.serverNames() // never connected
	}
	s.Problems = append(b.problems.list(), b.refused.problems()...)
	s.Refused = b.refused.counts()
	s.Lost = b.lost.Load()
	return s
}

// OnState has f called after changes of Connected or Problems, one call at a
// time, with the state at that moment; of quick changes only the last may be
// told. f must return soon.
func (b *Bus) OnState(f func(State)) {
	b.watching.mu.Lock()
	b.watching.all = append(b.watching.all, f)
	b.watching.mu.Unlock()
}

type watchers struct {
	mu   sync.Mutex
	all  []func(State)
	wake chan struct{}
}

// wake has the watchers of the state called.
func (b *Bus) wake() {
	select {
	case b.watching.wake <- struct{}{}:
	default:
	}
}

func (b *Bus) notify() {
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-b.watching.wake:
		}
		b.watching.mu.Lock()
		all := slices.Clone(b.watching.all)
		b.watching.mu.Unlock()
		for _, f := range all {
			f(b.State())
		}
	}
}

// problems are what is wrong now, each under the key of what can clear it.
type problems struct {
	mu  sync.Mutex
	now map[string]string
}

// set notes a problem and reports whether it is new or says something else.
func (p *problems) set(key, text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		p.now = map[string]string{}
	}
	was, ok := p.now[key]
	p.now[key] = text
	return !ok || was != text
}

func (p *problems) clear(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.now[key]
	delete(p.now, key)
	return ok
}

func (p *problems) has(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.now[key]
	return ok
}

func (p *problems) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	keys := make([]string, 0, len(p.now))
	for k := range p.now {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var texts []string
	for _, k := range keys {
		texts = append(texts, p.now[k])
	}
	return texts
}
