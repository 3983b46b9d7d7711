package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"kaijutsu"
)

// How long a request that does not stream may take to arrive and to be
// answered. An operation has a limit of its own in between.
const (
	readWithin  = time.Minute
	writeWithin = 3 * time.Minute
)

// brief bounds a request that does not stream, so that one that stands still
// does not stay.
func brief(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc, now := http.NewResponseController(w), time.Now()
		_ = rc.SetReadDeadline(now.Add(readWithin)) // not supported where there is no connection: nothing to bound
		_ = rc.SetWriteDeadline(now.Add(writeWithin))
		defer func() { _ = rc.SetWriteDeadline(time.Time{}) }() // the connection goes on with another request
		h.ServeHTTP(w, r)
	})
}

// Why what streams ends, as the cause of its context.
var (
	errStopping   = fmt.Errorf("the server is stopping: %w", kaijutsu.ErrUnavailable)
	errTokenEnded = fmt.Errorf("the token was revoked or has expired: %w", kaijutsu.ErrDenied)
)

// lasting is for what streams: a request ends when the server stops and when
// the token that it came with does; the cause of its context says which.
func (s *Server) lasting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		defer context.AfterFunc(s.stopping, func() { cancel(errStopping) })()
		s.whileGood(h, cancel).ServeHTTP(w, r.WithContext(ctx))
	})
}

// calling is for calls that do not stream: one ends when the token that it came
// with does, and when it still waits a while after the server began to stop.
func (s *Server) calling(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		defer context.AfterFunc(s.hurrying, func() { cancel(errStopping) })()
		s.whileGood(h, cancel).ServeHTTP(w, r.WithContext(ctx))
	})
}

// whileGood serves a request until its token ends. Who asks is found out once.
func (s *Server) whileGood(h http.Handler, cancel context.CancelCauseFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := s.gate.identify(r)
		if err == nil && c.watch != nil {
			defer c.watch(func() { cancel(errTokenEnded) })()
		}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identifiedKey{}, identified{c, err})))
	})
}

// identifiedKey is where a request carries who asks, across the doors, which
// pass nothing but the request.
type identifiedKey struct{}

type identified struct {
	caller
	err error
}

// hijack is a response whose connection, once it is taken over, is closed when
// a token ends.
type hijack struct {
	http.ResponseWriter
	watch func(func()) (stop func())
}

// Hijack takes over the connection.
func (h hijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	nc, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	stop := h.watch(func() { _ = nc.Close() }) // whoever reads it notices
	return &watched{Conn: nc, stop: stop}, rw, nil
}

// watched is a connection that stops a watch when it is closed.
type watched struct {
	net.Conn
	once sync.Once
	stop func()
}

// SyscallConn gives access to the socket, if there is one right below.
func (c *watched) SyscallConn() (syscall.RawConn, error) {
	if s, ok := c.Conn.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// Close closes the connection.
func (c *watched) Close() error {
	c.once.Do(c.stop)
	return c.Conn.Close()
}
