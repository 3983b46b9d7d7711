package server

import (
	"sync"
	"time"
)

// The stages of a start, as /readyz tells them, in their order.
const (
	stageStore  = "store"  // the data directory
	stageBus    = "bus"    // NATS, embedded or not
	stageIndex  = "index"  // documents, who has access, search, events, contexts
	stageMounts = "mounts" // drifts, folders and worktrees
	stageDoors  = "doors"  // other nodes, operations, and what serves them
)

var stageNames = []string{stageStore, stageBus, stageIndex, stageMounts, stageDoors}

// What a server is at, from its start to its end.
type phase int

const (
	starting phase = iota
	serving
	draining
)

func (p phase) String() string { return [...]string{"starting", "ready", "draining"}[p] }

// progress is how far a server has come. It is safe for concurrent use.
type progress struct {
	began time.Time
	tell  func(stage string) // of each stage that begins; may be nil

	mu    sync.Mutex
	phase phase                    // guarded by mu
	stage string                   // guarded by mu: the one that is being opened, "" when none is
	since time.Time                // guarded by mu: when it began
	took  map[string]time.Duration // guarded by mu: stages that are open
	ready time.Duration            // guarded by mu: from the start to serving
	open  chan struct{}            // closed when the server serves, or will not
}

func newProgress(began time.Time, tell func(string)) *progress {
	return &progress{began: began, tell: tell, took: make(map[string]time.Duration), open: make(chan struct{})}
}

// part is a step of a start: which stage it belongs to, and what opens it.
type part struct {
	stage string
	open  func() error
}

// run opens parts in order until one fails. Parts of a stage follow each other.
func (p *progress) run(parts []part) error {
	for _, part := range parts {
		p.enter(part.stage)
		if err := part.open(); err != nil {
			return err
		}
	}
	return nil
}

// enter goes on to a stage, if it is another.
func (p *progress) enter(stage string) {
	now := time.Now()
	p.mu.Lock()
	other := p.stage != stage
	if other {
		if p.stage != "" {
			p.took[p.stage] += now.Sub(p.since)
		}
		p.stage, p.since = stage, now
	}
	p.mu.Unlock()
	if other && p.tell != nil && stage != "" {
		p.tell(stage)
	}
}

// become notes that the server serves, or stops.
func (p *progress) become(next phase) {
	p.enter("")
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase == starting {
		p.ready = time.Since(p.began)
		close(p.open)
	}
	p.phase = max(p.phase, next)
}

// stageState is one line of /readyz?verbose.
type stageState struct {
	name string
	open bool
	took time.Duration // so far, when it is not open yet; 0 before it began
}

// now returns what the server is at, and its stages.
func (p *progress) now() (phase, []stageState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]stageState, len(stageNames))
	for i, name := range stageNames {
		took, open := p.took[name]
		if p.stage == name {
			took, open = took+time.Since(p.since), false
		}
		all[i] = stageState{name, open, took}
	}
	return p.phase, all
}

// readyAfter returns how long the start took; 0 while it goes on.
func (p *progress) readyAfter() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready
}
