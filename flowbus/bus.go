package flowbus

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

// Config says which kernel a bus is of and where its NATS is.
type Config struct {
	Log    *slog.Logger // default: slog.Default()
	Kernel string       // the namespace of all subjects: letters, digits, '-' and '_', at most 64
	Node   string       // this node's id: the same rule
	// Servers are the URLs of the NATS cluster to join. Empty: a server inside
	// the process, which opens no port.
	Servers     []string
	Credentials string // a credentials file (user JWT and seed); "": none
	CA          string // a PEM file of the authorities to trust; "": the system's
	Cert, Key   string // PEM files of the certificate this node shows; "": none
	// Dir is where the server inside the process may put scratch files, in a
	// directory "nats-scratch" that only one process uses; "": the system's
	// directory for such. Nothing in it outlives Close.
	Dir string
	Now func() time.Time // for what people see only; default time.Now
}

// Bus connects one node to the others. It is safe for concurrent use.
type Bus struct {
	log    *slog.Logger
	cfg    Config
	prefix string // "kj.<kernel>."
	server *server.Server
	clean  func() // removes the scratch files
	nc     *nats.Conn
	js     jetstream.JetStream

	ctx    context.Context // ends at Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	closing sync.Mutex // so that nothing is started while Close waits

	link     link
	problems problems
	refused  refusals
	watching watchers
	out      outbound
	calls    calls
	streams  ensured
	feed     *Feed
	peers    peers
	lost     atomic.Int64
	pending  int           // messages that may wait for one subscriber
	fence    atomic.Uint64 // the largest token that was seen
}

// Open connects. With Config.Servers it also succeeds while NATS is away: the
// bus then connects by itself, and until it did everything answers
// ErrUnavailable. ErrInvalid: the configuration cannot work.
func Open(ctx context.Context, cfg Config) (*Bus, error) {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	b := &Bus{log: cfg.Log, cfg: cfg, prefix: "kj." + cfg.Kernel + ".", clean: func() {}}
	// The bus outlives the call that opens it, so only Close ends what it runs.
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	b.init()
	if err := b.connect(); err != nil {
		b.Close()
		return nil, err
	}
	if err := b.start(); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (b *Bus) init() {
	b.link.init(b.cfg.Now())
	b.out.init()
	b.calls.init()
	b.streams.making = make(chan struct{}, 1)
	b.pending = maxPendingMessages
	b.watching.wake = make(chan struct{}, 1)
}

func (b *Bus) start() error {
	js, err := jetstream.New(b.nc)
	if err != nil {
		return fmt.Errorf("prepare JetStream: %w", err)
	}
	b.js = js
	if err := b.listen(); err != nil {
		return err
	}
	b.spawn(b.write)
	b.spawn(b.notify)
	if b.Embedded() {
		_, err := b.ensure(b.ctx, b.bucketConfig())
		return err
	}
	b.feed = newFeed(b)
	if err := b.feed.listen(); err != nil {
		return err
	}
	b.spawn(b.upkeep)
	b.spawn(b.watchFence)
	return nil
}

// spawn runs f, which ends when the bus closes; Close waits for it. After
// Close nothing runs.
func (b *Bus) spawn(f func()) {
	b.closing.Lock()
	defer b.closing.Unlock()
	if b.ctx.Err() == nil {
		b.wg.Go(guard.Func(b.log, "bus", f))
	}
}

// Close ends the connection and waits for the goroutines of the bus. What was
// published just before is sent, if that takes no longer than a second.
func (b *Bus) Close() error {
	if b.nc != nil {
		b.out.settle(time.Second)
		if up, _ := b.link.state(); up {
			b.nc.FlushTimeout(time.Second)
		}
	}
	b.closing.Lock()
	b.cancel()
	b.closing.Unlock()
	b.link.set(false, "", "", b.cfg.Now())
	if b.nc != nil {
		b.nc.Close()
	}
	b.wg.Wait()
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
	b.clean()
	return nil
}

// Embedded reports whether NATS runs inside this process, so that there are no
// other nodes.
func (b *Bus) Embedded() bool { return len(b.cfg.Servers) == 0 }

// Node returns this node's id.
func (b *Bus) Node() string { return b.cfg.Node }

// Kernel returns the kernel's name.
func (b *Bus) Kernel() string { return b.cfg.Kernel }

// unavailable says that what was being done did not work, and why.
func unavailable(doing string, err error) error {
	return fmt.Errorf("%s: %w: %v", doing, kaijutsu.ErrUnavailable, err)
}
