package audit

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Config says where a Log keeps its files. Log and Dir are required; zero
// fields take the defaults.
type Config struct {
	Log *slog.Logger
	// Dir is made when it is not there.
	Dir string
	// MaxBytes ends a file; default 16 MiB.
	MaxBytes int64
	// MaxFiles bounds the files; default 64.
	MaxFiles int
	// Keep is how long entries stay; default 90 days.
	Keep time.Duration
	// SyncEvery bounds how long an entry may be on its way to the disk; default
	// one second.
	SyncEvery time.Duration
	// Now is the clock of entries; default time.Now.
	Now func() time.Time
}

// queueLen is how many entries may wait for the disk.
const queueLen = 1024

// Log is a log that is written. It is safe for concurrent use.
type Log struct {
	cfg    Config
	in     chan Entry
	asked  chan chan struct{} // who waits until what was added is in the file
	quit   chan struct{}
	ended  chan struct{}
	closed sync.Once

	mu      sync.Mutex
	dropped int                 // guarded by mu; entries since the last one that was taken
	over    bool                // guarded by mu
	same    map[repeat]*refusal // guarded by mu
	next    time.Time           // guarded by mu; when refusals are told that repeated
}

// Open opens the log of a directory. The error wraps what the file system says.
func Open(cfg Config) (*Log, error) {
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = 16 << 20
	}
	if cfg.MaxFiles == 0 {
		cfg.MaxFiles = 64
	}
	if cfg.Keep == 0 {
		cfg.Keep = 90 * 24 * time.Hour
	}
	if cfg.SyncEvery == 0 {
		cfg.SyncEvery = time.Second
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the audit log: %w", err)
	}
	if err := os.Chmod(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("close the directory of the audit log to others: %w", err)
	}
	l := &Log{
		cfg: cfg, in: make(chan Entry, queueLen), asked: make(chan chan struct{}), quit: make(chan struct{}), ended: make(chan struct{}),
		same: make(map[repeat]*refusal),
	}
	w := &writer{cfg: cfg}
	go l.run(w)
	return l, nil
}

// Close writes what waits and ends the log; entries that are added later are
// lost.
func (l *Log) Close() error {
	l.closed.Do(func() {
		l.mu.Lock()
		l.over = true
		l.mu.Unlock()
		close(l.quit)
	})
	<-l.ended
	return nil
}

// Add adds an entry and returns at once; At defaults to now. A nil Log takes
// nothing.
func (l *Log) Add(e Entry) {
	if l == nil {
		return
	}
	if e.At.IsZero() {
		e.At = l.cfg.Now()
	}
	e.At = e.At.UTC().Truncate(time.Millisecond)
	e = e.clean()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || !l.freshLocked(e) {
		return
	}
	l.putLocked(e)
}

// putLocked queues an entry; when there is no room it is dropped and counted.
func (l *Log) putLocked(e Entry) {
	if l.dropped > 0 {
		lost := Entry{At: e.At, Action: "audit", Outcome: Failed, Reason: "entries were dropped: there were more than the disk took", Times: l.dropped}
		select {
		case l.in <- lost:
			l.dropped = 0
		default:
			l.dropped++
			return
		}
	}
	select {
	case l.in <- e:
	default:
		l.dropped++
	}
}

// flush waits until what was added before is in the file.
func (l *Log) flush() {
	done := make(chan struct{})
	select {
	case l.asked <- done:
		<-done
	case <-l.ended:
	}
}

// run writes until Close.
func (l *Log) run(w *writer) {
	defer close(l.ended)
	tick := time.NewTicker(l.cfg.SyncEvery)
	defer tick.Stop()
	var said error
	note := func(err error) {
		if err != nil && (said == nil || said.Error() != err.Error()) {
			l.cfg.Log.Error("audit log not written: entries are lost until the disk takes them", "err", err)
		}
		said = err
	}
	drain := func() {
		for {
			select {
			case e := <-l.in:
				note(w.write(e))
			default:
				return
			}
		}
	}
	for {
		select {
		case e := <-l.in:
			note(w.write(e))
		case done := <-l.asked:
			drain()
			close(done)
		case <-tick.C:
			l.tell()
			if err := w.sync(); err != nil {
				note(err)
			}
		case <-l.quit:
			l.mu.Lock()
			l.tellLocked(time.Time{})
			l.mu.Unlock()
			drain()
			if err := errors.Join(w.sync(), w.close()); err != nil {
				note(err)
			}
			return
		}
	}
}
