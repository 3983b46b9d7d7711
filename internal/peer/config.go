package peer

import (
	"context"
	"log/slog"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/repo"
)

// Config says what a Hub works with. Log, Repo and PeerID are required; the
// zero value of every other field is its default.
type Config struct {
	Log  *slog.Logger
	Repo *repo.Repo
	// PeerID is the server's own peer id, stable across restarts.
	PeerID string
	// StorageID names the server's storage, under which clients see what is
	// saved. Empty: the server is nobody's storage.
	StorageID string
	// Right says what a principal may do with a document now. It is asked for
	// every message and must be cheap. Nil allows everything.
	Right func(ctx context.Context, by kaijutsu.Principal, doc kaijutsu.DocumentID) kaijutsu.Right
	// Refused is told of changes and documents that were refused to an editor. It
	// must return at once. Nil: nobody is told.
	Refused func(Refusal)
	// Seat takes a seat for an editor that opened a document, or returns nil when
	// there is none for it. It must return at once. Nil: there are no seats.
	Seat func(Sitting) Seat
	// Relay passes an ephemeral message of an editor of ours on to other nodes,
	// whose hubs get the bytes through DeliverEphemeral: at most
	// MaxRelayed. It must return at once, and may lose messages. Nil: there are
	// no other nodes.
	Relay func(doc kaijutsu.DocumentID, message []byte)
	// Now is the clock of the times that peers are told; default time.Now.
	Now func() time.Time

	// Limiter holds the limits that are counted for principals, documents and
	// connections; default one with the default values.
	Limiter *limit.Limiter
	// Door is where connections come in: it is told who is somebody, and whom to
	// trust. Nil: nobody is told, and everybody is trusted.
	Door *limit.Door

	Timing Timing
	Limits Limits
}

// Timing is how long a connection waits for what. Zero fields are defaults.
type Timing struct {
	// Join closes a connection that has not joined; default 10 s.
	Join time.Duration
	// Ping is how long a connection may be silent before it is pinged; after
	// twice as long it is cut. Default 5 s.
	Ping time.Duration
	// Write cuts a connection that takes no byte for so long while there is
	// something to write; default 30 s.
	Write time.Duration
	// Waste is for how long a connection is slowed that sends control frames and
	// empty frames and no message, before it is closed; default 30 s.
	Waste time.Duration
	// Close is how long a closing handshake may take; default 5 s.
	Close time.Duration
	// Show is how long presence waits for a peer that was just shown some, so that
	// it is shown the latest of each channel in the place of all; default 16 ms, as
	// long as a screen shows a picture. Negative: nothing waits.
	Show time.Duration
}

// Limits bound what one connection, or all of them, may use. Zero fields are
// defaults.
type Limits struct {
	// FrameBytes is the largest frame of a joined peer; default 64 MiB. The
	// client library sends a whole document in one frame.
	FrameBytes int
	// JoinBytes is the largest frame before the join; default 64 KiB.
	JoinBytes int
	// PendingBytes bounds the frames above 1 MiB that are being read, over
	// all connections; default 128 MiB.
	PendingBytes int64
	// PendingOps bounds the operations of large messages that are decoded and
	// not yet taken in, over all connections: 150 bytes each. At least
	// amfile.MaxOps; default 2,000,000.
	PendingOps int64
	// Connections is how many connections are served; default what the Limiter
	// says now.
	Connections int
	// Documents is how many documents one connection may open; default 10,000.
	Documents int
	// BadMessages is how many invalid messages one connection may send before
	// it is closed; default 20.
	BadMessages int
	// Refusals is how many documents one connection may have refused changes
	// in before it is closed; default 5.
	Refusals int
	// Subscriptions is how many storage ids one connection may subscribe to;
	// default 1,000.
	Subscriptions int
	// EphemeralRate is how many ephemeral messages one connection may send in
	// a second, on average; default 500. EphemeralBytes is the same for their
	// payload; default 4 MiB. Twice as much may come at once.
	EphemeralRate, EphemeralBytes int
	// EphemeralQueue is how many ephemeral messages wait for one connection
	// before the oldest is dropped; default 1,000.
	EphemeralQueue int
	// CompressAbove is the size in bytes from which frames are compressed for
	// peers that offer it; default 8 KiB.
	CompressAbove int
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Right == nil {
		c.Right = func(context.Context, kaijutsu.Principal, kaijutsu.DocumentID) kaijutsu.Right {
			return kaijutsu.RightOwn
		}
	}
	if c.Limiter == nil {
		c.Limiter, _ = limit.New(nil, nil) // no value that could be wrong
	}
	t := &c.Timing
	orElse(&t.Join, 10*time.Second)
	orElse(&t.Ping, 5*time.Second)
	orElse(&t.Write, 30*time.Second)
	orElse(&t.Waste, 30*time.Second)
	orElse(&t.Close, 5*time.Second)
	orElse(&t.Show, 16*time.Millisecond)
	l := &c.Limits
	orElse(&l.FrameBytes, 64<<20)
	orElse(&l.JoinBytes, 64<<10)
	orElse(&l.PendingBytes, 128<<20)
	orElse(&l.PendingOps, 2_000_000)
	l.PendingOps = max(l.PendingOps, amfile.MaxOps)
	orElse(&l.Documents, 10_000)
	orElse(&l.BadMessages, 20)
	orElse(&l.Refusals, 5)
	orElse(&l.Subscriptions, 1000)
	orElse(&l.EphemeralRate, 500)
	orElse(&l.EphemeralBytes, 4<<20)
	orElse(&l.EphemeralQueue, 1000)
	orElse(&l.CompressAbove, 8<<10)
	return c
}

func orElse[T comparable](v *T, standard T) {
	var zero T
	if *v == zero {
		*v = standard
	}
}
