package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
)

// Courier is what pushes: a courier.Courier.
type Courier interface {
	Push(context.Context, op.Call, courier.Push) (courier.Outcome, error)
}

// Index knows which findings are where: a provenance.Index.
type Index interface {
	// Has reports whether a context holds a drift block of this fingerprint.
	Has(doc kaijutsu.DocumentID, fingerprint string) bool
	// Settle waits until it knows what is on disk of these documents.
	Settle(ctx context.Context, docs ...kaijutsu.DocumentID) error
}

// Config says what a Keeper works with. Log, Table, Kernel, Repo and Index are
// required.
type Config struct {
	Log *slog.Logger
	// Table holds the policy: that of the drifts. It is open and stays so for
	// longer than the Keeper.
	Table  *records.Table
	Kernel *kernel.Kernel
	Repo   *repo.Repo
	Index  Index
	// Name is the kernel's; default "main".
	Name string
	// File keeps how far the journal was looked at between two starts. Empty:
	// what was not looked at when the process ended never is.
	File string
	// Hidden reports documents that are nobody's business; nil: there are none.
	Hidden func(kaijutsu.DocumentID) bool
	// Quiet is how long live text is left alone before a mention in it counts;
	// default 5 s.
	Quiet time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// Service is who asks whether to act, and notes what came of it.
var Service = kaijutsu.Principal{Name: "kaijutsu", Kind: kaijutsu.Service}

const policyRecord = "policy"

// Keeper keeps the policy: it is the courier's Gate, and pushes what the rules
// say. It is safe for concurrent use.
type Keeper struct {
	cfg     Config
	policy  atomic.Pointer[Policy]
	unread  atomic.Pointer[string] // why the record cannot be read; nil: it can
	buckets buckets
	stops   []func()

	woken    chan struct{} // holds a token when there is something to do
	running  sync.WaitGroup
	stopping context.Context // ends with the Keeper
	stop     context.CancelFunc

	mu      sync.Mutex
	courier Courier              // guarded by mu; nil before Drive
	flights map[string]flight    // guarded by mu: the automatic pushes under way, by drift id
	tasks   map[taskKey]*task    // guarded by mu
	asking  map[string]bool      // guarded by mu: the records of questions that are waited for
	from    uint64               // guarded by mu: the journal was looked at so far
	rounds  chan struct{}        // guarded by mu; closed when the worker has done what there was
	counts  Stats                // guarded by mu
	told    map[string]time.Time // guarded by mu: what was logged last, and when
}

// Stats are what the keeper did since its start.
type Stats struct {
	Fired   int    // pushes that were delivered, staged or offered
	Staged  int    // of these, those over the limit
	Known   int    // findings that were not pushed where they are, or have been
	Failed  int    // pushes that failed for good
	Waiting int    // blocks that wait: for quiet, a distiller, or another try
	Unread  string // why the policy's record cannot be read; "" when it can
}

// Open reads the policy. The Keeper is the Gate of the courier that is then
// opened; Drive has it push through that. Whoever starts the Repo has it tell
// Note of every commit. Close it before the courier, the Kernel and the Table.
func Open(cfg Config) (*Keeper, error) {
	if cfg.Log == nil || cfg.Table == nil || cfg.Kernel == nil || cfg.Repo == nil || cfg.Index == nil {
		return nil, errors.New("policy: Log, Table, Kernel, Repo and Index are required")
	}
	if cfg.Name == "" {
		cfg.Name = "main"
	}
	if cfg.Hidden == nil {
		cfg.Hidden = func(kaijutsu.DocumentID) bool { return false }
	}
	if cfg.Quiet <= 0 {
		cfg.Quiet = 5 * time.Second
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	k := &Keeper{
		cfg: cfg, woken: make(chan struct{}, 1), flights: make(map[string]flight), tasks: make(map[taskKey]*task),
		rounds: make(chan struct{}), asking: make(map[string]bool), told: make(map[string]time.Time),
	}
	k.stopping, k.stop = context.WithCancel(context.Background())
	value, _ := cfg.Table.Get(policyRecord)
	k.learn(value)
	k.stops = append(k.stops, cfg.Table.Watch(policyRecord, func(name string, value []byte) {
		if name == policyRecord {
			k.learn(value)
		}
	}))
	return k, nil
}

// learn takes over the policy of a record; nil is none.
func (k *Keeper) learn(value []byte) {
	p, why := Policy{}, (*string)(nil)
	if value != nil {
		var err error
		if p, err = Decode(value); err != nil {
			text := err.Error()
			p, why = Policy{}, &text
			k.cfg.Log.Error("the drift policy cannot be read, and counts as none", "err", err)
		}
	}
	was := k.policy.Swap(&p)
	k.unread.Store(why)
	if p.watches() && (was == nil || !was.watches()) && was != nil {
		_, last := k.cfg.Repo.JournalEnds()
		k.mu.Lock()
		k.from = last // rules are for what comes
		k.mu.Unlock()
	}
	k.wake()
}

// Get returns the policy, for who may read the kernel.
func (k *Keeper) Get(c op.Call) (Policy, error) {
	if c.Right < kaijutsu.RightRead {
		return Policy{}, fmt.Errorf("read the drift policy: %s has no role on the kernel: %w", c.By, kaijutsu.ErrDenied)
	}
	if why := k.unread.Load(); why != nil {
		return Policy{}, fmt.Errorf("the drift policy cannot be read, and counts as none: %s: %w: set it anew", *why, kaijutsu.ErrUnavailable)
	}
	return k.policy.Load().clone(), nil
}

// Set replaces the policy, for who owns the kernel. It counts here when Set
// returns, and on other nodes when it arrives. The error wraps
// kaijutsu.ErrDenied, and what Policy.Check returns.
func (k *Keeper) Set(ctx context.Context, c op.Call, p Policy) error {
	if c.Right < kaijutsu.RightOwn {
		return fmt.Errorf("set the drift policy: %s does not own the kernel: %w", c.By, kaijutsu.ErrDenied)
	}
	if err := p.Check(); err != nil {
		return err
	}
	value, err := Encode(p)
	if err != nil {
		return err
	}
	if len(value) > maxPolicy {
		return fmt.Errorf("policy of %d bytes: %w: at most %d", len(value), kaijutsu.ErrTooLarge, maxPolicy)
	}
	if err := k.cfg.Table.Put(ctx, c.By, policyRecord, value); err != nil {
		return fmt.Errorf("set the drift policy: %w", err)
	}
	return nil
}

// Stats returns the counters.
func (k *Keeper) Stats() Stats {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.counts
	s.Waiting = len(k.tasks)
	if why := k.unread.Load(); why != nil {
		s.Unread = *why
	}
	return s
}

// Note tells the keeper that something was committed. Document owners call it;
// it returns at once.
func (k *Keeper) Note(c repo.Committed) {
	if p := k.policy.Load(); p.watches() && !c.Deleted && !k.cfg.Hidden(c.Doc) {
		k.wake()
	}
}

func (k *Keeper) wake() {
	select {
	case k.woken <- struct{}{}:
	default:
	}
}

// Close ends what the keeper does and waits for it. It is a Gate no less then.
func (k *Keeper) Close() error {
	k.stop()
	for _, stop := range k.stops {
		stop()
	}
	k.running.Wait()
	return nil
}

// call is the kernel's own.
func (k *Keeper) call(doc kaijutsu.DocumentID) op.Call {
	return op.Call{By: Service, Right: kaijutsu.RightOwn, Door: "policy", Context: doc.Name()}
}

// count changes the counters.
func (k *Keeper) count(f func(*Stats)) {
	k.mu.Lock()
	f(&k.counts)
	k.mu.Unlock()
}

// say logs a fact, no more than once a minute for one subject.
func (k *Keeper) say(subject, message string, args ...any) {
	now := k.cfg.Now()
	k.mu.Lock()
	again := now.Sub(k.told[subject]) >= time.Minute
	if again {
		if len(k.told) > 1000 {
			clear(k.told)
		}
		k.told[subject] = now
	}
	k.mu.Unlock()
	if again {
		k.cfg.Log.Warn(message, args...)
	}
}

// object reads the keys of a meta, which may be anything; nil: there are none.
func object(meta string) map[string]json.RawMessage {
	if meta == "" || len(meta) > maxMeta {
		return nil
	}
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(meta), &all) != nil {
		return nil
	}
	return all
}

// maxMeta bounds the metas that are read, in bytes.
const maxMeta = 1 << 20
