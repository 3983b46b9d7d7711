package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// Cluster copies the changes of this node to the others and theirs to here. It
// is safe for concurrent use.
type Cluster struct {
	cfg   Config
	log   *slog.Logger
	bus   *flowbus.Bus
	repo  *repo.Repo
	store *store.Store
	now   func() time.Time
	tune  tuning

	connected atomic.Bool

	digest  *digest
	recent  *recent
	live    *live
	lanes   *lanes
	gaps    *gaps
	marks   *marks
	relay   *relay
	outbox  *outbox
	shards  [flowbus.Shards]*shard
	healer  *healer
	ends    ends
	nodes   *registry
	refused *refusals
	splits  *splits
	first   first
	count   counters
	fetches chan struct{} // tokens: fetches under way

	// spawn runs f on a goroutine that Close waits for, with a context that
	// Close ends, and reports whether it does: not after Close.
	spawn func(f func(context.Context)) bool
	stop  func()
	stops []func() // subscriptions and questions
}

// counters are what Status shows.
type counters struct {
	liveSent, liveDropped, liveLost atomic.Int64
	taken, duplicates, healed       atomic.Int64
}

// Start joins the kernel's other nodes. With an embedded bus there are none,
// and all it does is to keep the journal short. The caller closes the Cluster
// before the repo, the store and the bus.
func Start(cfg Config) (*Cluster, error) {
	if cfg.Bus == nil || cfg.Repo == nil || cfg.Store == nil {
		return nil, fmt.Errorf("start cluster: bus, repo and store are needed: %w", kaijutsu.ErrInvalid)
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	c := &Cluster{
		cfg: cfg, log: cfg.Log, bus: cfg.Bus, repo: cfg.Repo, store: cfg.Store, now: cfg.Now,
		tune: cfg.tune.withDefaults(), fetches: make(chan struct{}, 16),
		digest: newDigest(), recent: newRecent(), live: newLive(), lanes: newLanes(), gaps: newGaps(),
		relay: newRelay(), outbox: newOutbox(), healer: newHealer(), nodes: newRegistry(), refused: newRefusals(cfg.Log, cfg.Now), splits: newSplits(),
	}
	c.first.doc = cfg.Records
	c.makeSpawn()
	if err := c.start(); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("start cluster: %w", err)
	}
	return c, nil
}

func (c *Cluster) makeSpawn() {
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	var running sync.WaitGroup
	c.spawn = func(f func(context.Context)) bool {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return false
		}
		running.Go(guard.Keep(c.log, "cluster", ctx.Done(), func() { f(ctx) }))
		return true
	}
	c.stop = func() {
		mu.Lock()
		cancel()
		mu.Unlock()
		running.Wait()
	}
}

func (c *Cluster) start() error {
	var err error
	if c.marks, err = c.loadMarks(); err != nil {
		return err
	}
	if c.bus.Embedded() {
		c.spawn(c.pruneEmbedded)
		return nil
	}
	c.healer.reset = c.marks.fresh // the feed has not all of it
	c.outbox.start(c.journalEnd(), c.marks.relayed(), c.now())
	c.connected.Store(c.bus.State().Connected)
	c.bus.OnState(func(s flowbus.State) { c.setConnected(s.Connected) })
	for i := range c.shards {
		c.shards[i] = newShard(i, c.marks.cursor(i))
	}
	c.hold()
	if err := c.listen(); err != nil {
		return err
	}
	if err := c.fillDigest(); err != nil {
		return err
	}
	for _, run := range []func(context.Context){c.sendLive, c.runRelay, c.awaitAcks, c.runHealer, c.runAnnouncer, c.runNodes, c.watchNodes, c.saveMarks} {
		c.spawn(run)
	}
	for i := range c.shards {
		c.spawn(func(ctx context.Context) { c.consume(ctx, i) })
	}
	return nil
}

// listen takes what other nodes send.
func (c *Cluster) listen() error {
	subscribe := func(subject string, f func(flowbus.Message), lost func(int)) error {
		stop, err := c.bus.Subscribe(subject, f, lost)
		if err == nil {
			c.stops = append(c.stops, stop)
		}
		return err
	}
	serve := func(subject string) error {
		stop, err := c.bus.Serve(subject, c.answer)
		if err == nil {
			c.stops = append(c.stops, stop)
		}
		return err
	}
	if err := subscribe("node.live.*", c.hearLive, c.lostLive); err != nil {
		return err
	}
	if err := subscribe("node.ae", c.hearAnnounce, func(int) {}); err != nil {
		return err
	}
	if err := serve("node.ask"); err != nil {
		return err
	}
	return serve("node.ask." + c.bus.Node())
}

// fillDigest reads what the node holds.
func (c *Cluster) fillDigest() error {
	for s, err := range c.store.Summaries() {
		if errors.Is(err, store.ErrDamaged) { // it costs the documents that it is about
			c.log.Error("what this node holds is not known in full", "err", err)
			continue
		}
		if err != nil {
			return err
		}
		c.digest.fill(s.Doc, s.Heads)
	}
	c.digest.filled()
	return nil
}

func (c *Cluster) setConnected(connected bool) {
	if c.connected.Swap(connected) == connected {
		return
	}
	if connected {
		c.healer.nudge()
		c.nodes.poke()
	} else {
		c.hold()
	}
	c.relay.poke()
}

// Note takes notice of what is on disk: it is what repo.Config.Committed calls.
// It returns at once; what is of this node goes to the others.
func (c *Cluster) Note(done repo.Committed) {
	if c.bus.Embedded() {
		return
	}
	if done.Deleted {
		c.digest.drop(done.Doc, c.now())
		return
	}
	c.digest.note(done.Doc, done.Heads, c.now())
	if len(done.Changes) == 0 || done.Changes[0].Remote {
		c.relay.poke()
		return
	}
	c.recent.addChanges(done.Doc, done.Changes)
	item := liveItem{done.Doc, repo.Origin{Anchor: done.Anchor, Base: done.Base}, bare(done.Changes)}
	c.outbox.note(done.Seq, item.changes, c.now())
	c.relay.keep(done.Seq, item)
	if c.connected.Load() {
		c.live.offer(c, item)
	}
}

// Close tells the other nodes, stops everything and stores how far it got.
func (c *Cluster) Close() error {
	for _, stop := range c.stops {
		stop()
	}
	c.leave()
	c.stop()
	if c.marks == nil || c.bus.Embedded() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return c.marks.save(ctx, c.store)
}

// sleep waits for d or the end of ctx, and reports whether ctx goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
