package flowbus

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

var errSoon = errors.New("flowbus: not connected yet")

// Config says which kernel a bus is of and where its NATS is.
type Config struct {
	Log    *slog.Logger // default: slog.Default()
	Kernel string       // the namespace of all subjects: letters, digits, '-' and '_', at most 64
	Node   string       // this node's id: the same rule
	// Servers are the URLs of the NATS cluster to join. Empty: a server inside
	// the process, which opens no port.
	Servers     []string
	Credentials string // a credentials file (user JWT and seed); "": none
	CA          string // a PEM file of authorities to trust besides the system's; "": the system's
	Cert, Key   string // PEM files of the certificate this node shows; "": none
	// Dir is where the server inside the process may put scratch files; "": the
	// system's directory for them. Nothing in it outlives Close.
	Dir string
	Now func() time.Time // for what people see only; default time.Now
}

// Bus connects one node to the others. It is safe for concurrent use.
type Bus struct {
	cfg Config
}

// Open connects. With Config.Servers it also succeeds while NATS is away: the
// bus then connects by itself, and until it did everything answers
// ErrUnavailable.
func Open(ctx context.Context, cfg Config) (*Bus, error) { return &Bus{cfg: cfg}, nil }

// Close ends the connection and waits for the goroutines of the bus.
func (b *Bus) Close() error { return nil }

// Embedded reports whether NATS runs inside this process, so that there are no
// other nodes.
func (b *Bus) Embedded() bool { return len(b.cfg.Servers) == 0 }

// Node returns this node's id.
func (b *Bus) Node() string { return b.cfg.Node }

// Kernel returns the kernel's name.
func (b *Bus) Kernel() string { return b.cfg.Kernel }
