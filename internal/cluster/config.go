package cluster

import (
	"context"
	"log/slog"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// Config says what a Cluster works with. Bus, Repo and Store are required.
type Config struct {
	Log   *slog.Logger // default: slog.Default()
	Bus   *flowbus.Bus
	Repo  *repo.Repo
	Store *store.Store
	// Now is the clock; only differences between its readings and what people
	// are shown come from it. Default time.Now.
	Now func() time.Time
	// Name, Version and Addr are what other nodes show of this one: what people
	// call it, the version of the program, and where it can be reached.
	Name, Version, Addr string
	// OnNode is told of other nodes that join and leave, one call at a time. It
	// must return soon. Default: nobody is told.
	OnNode func(n Node, joined bool)

	// Records is the document of the kernel's records: it is brought up to date
	// before any other that is fetched, and Settle waits until what is in it
	// counts here. Default: there are none.
	Records kaijutsu.DocumentID
	Settle  func(context.Context) error
	// Find returns the documents that go by a name here, for Seek on other nodes.
	// Default: none do.
	Find func(ctx context.Context, name string) []kaijutsu.DocumentID

	tune tuning // the zero value is what doc.go says
}

// tuning holds the times and limits that tests shorten.
type tuning struct {
	announce    time.Duration // between announcements while something moves
	announceMax time.Duration // and when all is quiet
	quiet       time.Duration // what a difference outlives before it costs anything
	save        time.Duration // between writes of the marks
	renew       time.Duration // between announcements in the registry
	nodeTTL     time.Duration
	first       time.Duration // that others wait for the kernel's records at most
	journal     uint64        // entries that wait for NATS before they are skipped
	outbox      int           // unacknowledged changes from which editing slows down
}

func (t tuning) withDefaults() tuning {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&t.announce, 2*time.Second)
	set(&t.announceMax, 10*time.Second)
	set(&t.quiet, time.Second)
	set(&t.save, 250*time.Millisecond)
	set(&t.renew, 5*time.Second)
	set(&t.nodeTTL, 20*time.Second)
	set(&t.first, 10*time.Second)
	if t.journal == 0 {
		t.journal = 1_000_000
	}
	if t.outbox == 0 {
		t.outbox = 4096
	}
	return t
}
