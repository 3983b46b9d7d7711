package mcpdoor

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// Config says what the door serves, and to whom.
type Config struct {
	// Set holds the operations; required.
	Set *op.Set
	// Identify says who asks and with what rights; required. Door, Session and
	// Context are filled in here. It is asked for each request anew. An error
	// with a method Challenge() string is answered 401, with that as
	// WWW-Authenticate.
	Identify func(*http.Request) (op.Call, error)
	// Log receives what sessions do; nil for no log.
	Log *slog.Logger
	// Version is the program's.
	Version string
	// Instructions are given to every client: what this server is for and how
	// to use it. May be empty.
	Instructions string

	// Resources are the contexts and blocks that can be read; nil for none.
	Resources Resources
	// Watcher tells when they change; nil for no subscriptions.
	Watcher Watcher
	// Events are followed as resources, too; nil for none. It needs Watcher.
	Events Events
	// Letters tells of drifts that come; nil: inboxes are not followed. It needs
	// Watcher.
	Letters Letters
	// Join takes a seat for a client; leave gives it back. Neither takes long.
	// Nil for no seats.
	Join func(Seat) (leave func())

	// Idle is how long a session without a request lives; 0 means 30 minutes.
	Idle time.Duration
	// Lease is how long a client keeps its seat while no request of it is under
	// way, which a stream is; 0 means 15 s. A session goes on without a seat,
	// and has one again with its next request.
	Lease time.Duration
	// Sessions bounds the sessions and seats of one principal; 0 means 64. One
	// more ends the one that was idle longest.
	Sessions int
	// Subscriptions bounds the resources that one session follows; 0 means 1,000.
	Subscriptions int
	// MaxBody bounds a message in bytes; 0 means 17 MiB: parameters of 16 MiB
	// and what is around them.
	MaxBody int64
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Version == "" {
		c.Version = "0"
	}
	if c.Idle == 0 {
		c.Idle = 30 * time.Minute
	}
	if c.Lease == 0 {
		c.Lease = 15 * time.Second
	}
	if c.Sessions == 0 {
		c.Sessions = 64
	}
	if c.Subscriptions == 0 {
		c.Subscriptions = 1000
	}
	if c.MaxBody == 0 {
		c.MaxBody = 17 << 20
	}
	return c
}

// Context is a context as the list of resources shows it.
type Context struct {
	ID     string
	Title  string // may be empty
	Blocks int
}

// Resources are what can be read. Errors are those of operations. A context
// may be named as operations take it: by id, URL or title.
type Resources interface {
	// Contexts returns the contexts that the caller may read.
	Contexts(ctx context.Context, c op.Call) ([]Context, error)
	// ReadContext returns a context in Markdown.
	ReadContext(ctx context.Context, c op.Call, context string) (string, error)
	// Blocks returns the ids of a context's blocks, in their order.
	Blocks(ctx context.Context, c op.Call, context string) ([]string, error)
	// ReadBlock returns the content of a block.
	ReadBlock(ctx context.Context, c op.Call, context, block string) (string, error)
}

// Watcher follows changes. A watch begins before the method returns: what
// changes after that is told.
type Watcher interface {
	// Watch follows the blocks of a context.
	Watch(ctx context.Context, c op.Call, context string) (Watch, error)
	// WatchContexts follows which contexts there are, and their titles.
	WatchContexts(ctx context.Context, c op.Call) (Watch, error)
}

// Watch is a view of changes that does not queue them.
type Watch interface {
	// Next waits until something changed since the last time, and returns the
	// ids of the blocks that did; none where anything may have. An error is
	// final.
	Next(ctx context.Context) ([]string, error)
	// Close ends the watch.
	Close()
}

// Seat is a client that is there.
type Seat struct {
	Principal kaijutsu.Principal
	Nick      string // what the client calls itself: "claude-code"
	Instance  string // tells two seats of one nick apart
	Context   string // where it sits, as the client named it; may be empty
}
