package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kaijutsu"
)

// goodbye is how long an editor may take to answer that the connection is
// closed, when the server stops.
const goodbye = time.Second

// Close drains the server: no new connections, editors and agents told and
// closed, requests under way finished, appends that wait written, the index and
// the documents closed, then the store. Requests may take half of the time that
// ctx leaves; when all of it is over, the error says what is still closing, and
// the process may end: what was acknowledged is on disk.
// Closing again waits for the same end.
func (s *Server) Close(ctx context.Context) error {
	d := &s.drained
	d.once.Do(func() {
		s.progress.become(draining)
		_ = os.Remove(filepath.Join(s.cfg.Dir, addressFile)) // stale files are harmless
		s.stop()
		d.done = make(chan struct{})
		go func() {
			defer close(d.done)
			d.err = s.drain(ctx, &d.at)
		}()
	})
	select {
	case <-d.done:
		return d.err
	case <-ctx.Done():
	}
	select {
	case <-d.done: // both at once
		return d.err
	default:
		return fmt.Errorf("%s still closing after the time to stop was over: %w: what was acknowledged is on disk", d.at.what(), kaijutsu.ErrUnavailable)
	}
}

// drained is the end of a server, which comes once.
type drained struct {
	once sync.Once
	at   closing
	done chan struct{} // made by once
	err  error         // before done is closed
}

// drain closes everything in order, and notes where it is.
func (s *Server) drain(ctx context.Context, at *closing) error {
	at.now("connections")
	var told sync.WaitGroup
	told.Go(func() { s.peers.CloseWithin(goodbye) })
	told.Go(s.mcp.Close)
	finishing, cancel := half(ctx)
	defer cancel()
	defer s.hurry()
	defer time.AfterFunc(goodbye, s.hurry).Stop() // who waits for an answer would wait on
	err := s.http.Shutdown(finishing)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	if s.metrics.own != nil {
		err = errors.Join(err, s.metrics.own.Close())
	}
	told.Wait()
	err = errors.Join(err, s.closeParts(at.now))
	at.now("traces")
	return errors.Join(err, s.traces.Close(ctx))
}

// half returns a context that ends when half of what ctx leaves is over.
func half(ctx context.Context) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)/2)
}

// closing is what is being closed.
type closing struct {
	mu   sync.Mutex
	name string // guarded by mu
}

func (c *closing) now(name string) {
	c.mu.Lock()
	c.name = name
	c.mu.Unlock()
}

func (c *closing) what() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}
