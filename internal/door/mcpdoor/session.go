package mcpdoor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// session is one client, or one request of a client without sessions.
type session struct {
	door     *Door
	id       string // as the protocol names it; "" for a single request
	instance string // as seats and the audit name it
	first    op.Call
	server   *mcp.Server
	subs     subscriptions
	chair    *chair

	living context.Context // ends with the session
	kill   context.CancelFunc
	ended  sync.Once

	mu      sync.Mutex
	visit   *visit             // of a single request; nil: it has no seat; guarded by mu
	conn    *mcp.ServerSession // nil before initialize; guarded by mu
	under   int                // requests under way; guarded by mu
	idle    *time.Timer        // runs while none is; guarded by mu
	idlesAt time.Time          // since when; guarded by mu
}

// newSession returns a session of somebody, with a server of its own.
func (d *Door) newSession(id string, call op.Call) *session {
	s := &session{door: d, id: id, instance: rand.Text()[:8]}
	call.Session = s.instance
	s.first = call
	s.chair = &chair{lease: d.cfg.Lease, join: func(nick string) func() {
		return d.seat(Seat{Principal: call.By, Nick: nick, Instance: s.instance, Context: call.Context})
	}}
	s.living, s.kill = context.WithCancel(d.stopping)
	s.subs.all = make(map[string]*subscription)
	s.server = mcp.NewServer(
		&mcp.Implementation{Name: "kaijutsu", Title: "Kaijutsu", Version: d.cfg.Version},
		&mcp.ServerOptions{
			Instructions:       d.cfg.Instructions,
			Logger:             demoted(d.cfg.Log),
			GetSessionID:       func() string { return id },
			InitializedHandler: func(context.Context, *mcp.InitializedRequest) { s.followContexts() },
			Capabilities:       d.capabilities(),
			CompletionHandler:  s.complete,
			SubscribeHandler:   s.subscribe,
			UnsubscribeHandler: s.unsubscribe,
		})
	if d.cfg.Resources != nil {
		s.addTemplates()
	}
	s.server.AddReceivingMiddleware(s.handle)
	return s
}

// capabilities says what clients may ask for.
func (d *Door) capabilities() *mcp.ServerCapabilities {
	c := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
	if d.cfg.Resources != nil {
		watched := d.cfg.Watcher != nil
		c.Resources = &mcp.ResourceCapabilities{Subscribe: watched, ListChanged: watched}
		c.Completions = &mcp.CompletionCapabilities{}
	}
	return c
}

// handle answers what the library would answer from lists of its own, and
// sees sessions begin.
func (s *session) handle(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if s.id == "" && !strings.HasPrefix(method, "notifications/") { // which do not say whose they are
			s.pays(req)
		}
		switch req := req.(type) {
		case *mcp.CallToolRequest:
			return s.callTool(ctx, req)
		case *mcp.ListToolsRequest:
			return s.listTools(req)
		case *mcp.ListResourcesRequest:
			return s.listResources(ctx, req)
		case *mcp.ReadResourceRequest:
			if req.Params != nil {
				return s.readPattern(ctx, req, func(ctx context.Context, req *mcp.ReadResourceRequest) (mcp.Result, error) {
					return next(ctx, method, req)
				})
			}
		case *mcp.SubscriptionsListenRequest:
			if req.Params != nil && req.Params.Notifications != nil && req.Params.Notifications.ResourcesListChanged {
				s.followContexts()
			}
		}
		result, err := next(ctx, method, req)
		if method == "initialize" && err == nil {
			if conn, ok := req.GetSession().(*mcp.ServerSession); ok {
				s.begin(conn)
			}
		}
		return result, err
	}
}

// call returns who asks, in the midst of a request.
func (s *session) call(extra *mcp.RequestExtra) (op.Call, error) {
	if extra == nil || extra.Header == nil { // no HTTP: the session is the request
		return s.first, nil
	}
	c, ok := s.door.requests.find(extra.Header.Get(requestHeader))
	if !ok {
		return op.Call{}, fmt.Errorf("the request ended before it was handled: %w", kaijutsu.ErrUnavailable)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.visit != nil {
		c.Session = s.visit.instance
	}
	return c, nil
}

// pays has a single request be that of a visit.
func (s *session) pays(req mcp.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.visit == nil {
		s.visit = s.door.visit(s.first, req)
	}
}

// begin notes that the client is there, takes its seat, and waits for its end.
func (s *session) begin(conn *mcp.ServerSession) {
	nick := ""
	if p := conn.InitializeParams(); p != nil && p.ClientInfo != nil {
		nick = cmp.Or(p.ClientInfo.Name, p.ClientInfo.Title)
	}
	s.chair.open(nick)
	s.mu.Lock()
	s.conn = conn
	s.mu.Unlock()
	waits := s.door.spawn(func() {
		_ = conn.Wait() // however it ended
		s.end()
	})
	if !waits || s.living.Err() != nil { // the door was closed meanwhile
		s.chair.close()
		return
	}
	s.door.cfg.Log.Debug("session began", "principal", s.first.By, "session", s.instance, "client", nick)
}

// began reports whether the client has initialized the session.
func (s *session) began() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn != nil
}

// enter notes a request under way.
func (s *session) enter() {
	s.chair.hold()
	s.chair.sit()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under++
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
}

// leave notes the end of a request; behind the last one the session is idle.
func (s *session) leave() {
	s.chair.rest()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.under--; s.under == 0 && s.living.Err() == nil {
		s.idlesAt = time.Now()
		s.idle = time.AfterFunc(s.door.cfg.Idle, s.closeIdle)
	}
}

// idleSince returns since when no request is under way; false when one is.
func (s *session) idleSince() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idlesAt, s.under == 0 && !s.idlesAt.IsZero()
}

func (s *session) closeIdle() {
	if _, idle := s.idleSince(); idle {
		s.close()
	}
}

// close ends a session from this side: requests under way are finished first.
func (s *session) close() {
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	if conn != nil {
		_ = conn.Close() // it is gone either way
	}
	s.end()
}

// end gives back what the session holds. It may be called more than once.
func (s *session) end() {
	s.ended.Do(func() {
		s.kill()
		s.mu.Lock()
		visit := s.visit
		if s.idle != nil {
			s.idle.Stop()
			s.idle = nil
		}
		s.mu.Unlock()
		s.chair.close()
		if visit != nil {
			visit.chair.rest()
		}
		s.door.mu.Lock()
		delete(s.door.open, s.id)
		s.door.mu.Unlock()
		s.door.cfg.Log.Debug("session ended", "principal", s.first.By, "session", s.instance)
	})
}

// What requests that name a session are refused with.
var (
	errNoSession = fmt.Errorf("this session: %w: it has ended; begin a new one with initialize", kaijutsu.ErrNotFound)
	errSession   = fmt.Errorf("this session belongs to somebody else: %w: begin one of your own", kaijutsu.ErrDenied)
)

// sessionOf returns the session that a request belongs to, a new one when it
// names none, or nil when there is none to return.
func (d *Door) sessionOf(id, method string, call op.Call) (*session, error) {
	if id == "" {
		if method != http.MethodPost {
			return nil, nil
		}
		return d.begin(call)
	}
	d.mu.Lock()
	s := d.open[id]
	d.mu.Unlock()
	switch {
	case s == nil:
		return nil, errNoSession
	case s.first.By != call.By:
		return nil, errSession
	}
	return s, nil
}

var errClosed = fmt.Errorf("the server is stopping: %w", kaijutsu.ErrUnavailable)

// begin makes a session, and room for it.
func (d *Door) begin(call op.Call) (*session, error) {
	for {
		d.mu.Lock()
		if d.closed {
			d.mu.Unlock()
			return nil, errClosed
		}
		if d.countLocked(call.By) < d.cfg.Sessions {
			s := d.newSession(rand.Text(), call)
			d.open[s.id] = s
			d.mu.Unlock()
			return s, nil
		}
		oldest := d.oldestLocked(call.By)
		d.mu.Unlock()
		if oldest == nil {
			return nil, fmt.Errorf("%s has %d sessions under way already: %w: end one", call.By.Name, d.cfg.Sessions, kaijutsu.ErrUnavailable)
		}
		oldest()
	}
}

// countLocked returns how many sessions and seats a principal has.
func (d *Door) countLocked(by kaijutsu.Principal) int {
	n := 0
	for _, s := range d.open {
		if s.first.By == by {
			n++
		}
	}
	for g := range d.guests {
		if g.by == by {
			n++
		}
	}
	return n
}

// oldestLocked returns what ends the session or visit of a principal that has
// been idle longest, nil if all are in use.
func (d *Door) oldestLocked(by kaijutsu.Principal) (end func()) {
	var oldest time.Time
	for _, s := range d.open {
		if since, idle := s.idleSince(); idle && s.first.By == by && (end == nil || since.Before(oldest)) {
			end, oldest = s.close, since
		}
	}
	for g, v := range d.guests {
		if g.by == by && (end == nil || v.last.Before(oldest)) {
			end, oldest = func() { d.leave(g, v) }, v.last
		}
	}
	return end
}

// short cuts what a client says about itself.
func short(s string) string {
	const most = 64
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i]
		}
	}
	return s
}

// protocolError returns an error of an operation as one of the protocol.
func protocolError(err error) error { return rpcError(op.ProblemOf(err)) }

var errNoResources = errors.New("this server has no resources")
