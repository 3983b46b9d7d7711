package mcpdoor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/op"
)

// The headers of the transport: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	contextHeader = "Kaijutsu-Context"
	// requestHeader names a request to those who handle it. It never comes
	// from outside and never leaves.
	requestHeader = "Kaijutsu-Request"
)

// firstWithoutSessions is the protocol version from which on requests stand
// for themselves.
const firstWithoutSessions = "2026-07-28"

// Door serves /mcp. It is safe for concurrent use.
type Door struct {
	cfg      Config
	tools    *tools
	sessions http.Handler // for clients with sessions
	single   http.Handler // for requests that stand for themselves
	replay   *replay
	requests requests

	stopping context.Context // ended by Close: the parent of all that sessions do
	stop     context.CancelFunc
	running  sync.WaitGroup // goroutines of sessions

	// mu comes before the mu of a session.
	mu     sync.Mutex
	closed bool                // guarded by mu
	open   map[string]*session // by id; guarded by mu
	guests map[guest]*visit    // guarded by mu
}

// New returns a door. Close it.
func New(cfg Config) *Door {
	d := &Door{cfg: cfg.withDefaults(), replay: newReplay(), open: make(map[string]*session), guests: make(map[guest]*visit)}
	d.stopping, d.stop = context.WithCancel(context.Background())
	d.tools = newTools(d.cfg.Set)
	log := demoted(d.cfg.Log)
	server := func(r *http.Request) *mcp.Server {
		if s, _ := r.Context().Value(sessionKey{}).(*session); s != nil {
			return s.server
		}
		return nil
	}
	d.sessions = mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		JSONResponse:        true, // results have nothing to say before they are done
		Logger:              log,
		EventStore:          d.replay,
		MaxRequestBodyBytes: d.cfg.MaxBody,
	})
	d.single = mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 true,
		Logger:                       log,
		MaxRequestBodyBytes:          d.cfg.MaxBody,
		PropagateRequestCancellation: true,
	})
	return d
}

// sessionKey carries the session of a request across the library, which asks
// for a server and passes nothing but the request.
type sessionKey struct{}

// Close ends every session and waits for what they do.
func (d *Door) Close() {
	d.mu.Lock()
	d.closed = true
	var open []*session
	for _, s := range d.open {
		open = append(open, s)
	}
	d.mu.Unlock()
	d.stop()
	var closing sync.WaitGroup
	for _, s := range open {
		closing.Go(guard.Func(d.cfg.Log, "end of an MCP session", s.close)) // each waits for its own requests
	}
	closing.Wait()
	d.leaveAll()
	d.running.Wait()
}

// ServeHTTP finds who asks, then their session.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call, err := d.identify(r)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	id := r.Header.Get(sessionHeader)
	if id == "" && r.Header.Get(versionHeader) >= firstWithoutSessions {
		d.serveSingle(w, r, call)
		return
	}
	s, err := d.sessionOf(id, r.Method, call)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	if s == nil { // nothing to find and nothing to begin: the library says what is wrong
		r.Header.Del(requestHeader)
		d.sessions.ServeHTTP(w, r)
		return
	}
	s.enter()
	defer s.leave()
	d.serve(d.sessions, w, r, s, call)
	if id == "" && (!s.began() || r.Context().Err() != nil) { // nobody knows of it
		s.close()
	}
}

// serve passes a request on, with what belongs to it.
func (d *Door) serve(to http.Handler, w http.ResponseWriter, r *http.Request, s *session, call op.Call) {
	call.Session = s.instance
	key := d.requests.add(call)
	defer d.requests.drop(key)
	r = r.WithContext(context.WithValue(r.Context(), sessionKey{}, s))
	r.Header = r.Header.Clone()
	r.Header.Set(requestHeader, key)
	to.ServeHTTP(w, r)
}

// spawn runs f in a goroutine that Close waits for; not when the door is
// closed.
func (d *Door) spawn(f func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.running.Add(1)
	guard.Go(d.cfg.Log, "MCP session", func() {
		defer d.running.Done()
		f()
	})
	return true
}

// identify returns who asks, and which context they mean.
func (d *Door) identify(r *http.Request) (op.Call, error) {
	if !sameOrigin(r) {
		return op.Call{}, errForeignPage
	}
	call, err := d.cfg.Identify(r)
	if err != nil {
		return op.Call{}, err
	}
	call.Door = "mcp"
	if c := r.Header.Get(contextHeader); c != "" {
		call.Context = c
	} else if r.URL.RawQuery != "" {
		if c := r.URL.Query().Get("context"); c != "" {
			call.Context = c
		}
	}
	return call, nil
}

var errForeignPage = fmt.Errorf("a web page of another site asks: %w: MCP is for programs", kaijutsu.ErrDenied)

// sameOrigin reports whether a request comes from no web page or from one of
// the address it goes to: what another page makes a browser send is refused.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// refuse answers a request that did not get as far as the protocol.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := op.ProblemOf(err)
	status := p.Status
	var login interface{ Challenge() string }
	if errors.As(err, &login) {
		status = http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", login.Challenge())
	}
	if p.Kind == op.KindInternal {
		d.cfg.Log.Error("request failed", "path", r.URL.Path, "err", err)
	}
	body := problemJSON(p)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone
}

// requests are the calls of the requests under way: by a name that travels
// with the request through the library.
type requests struct {
	mu   sync.Mutex
	next uint64             // guarded by mu
	all  map[string]op.Call // guarded by mu
}

func (r *requests) add(c op.Call) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = make(map[string]op.Call)
	}
	r.next++
	key := strconv.FormatUint(r.next, 36)
	r.all[key] = c
	return key
}

func (r *requests) drop(key string) {
	r.mu.Lock()
	delete(r.all, key)
	r.mu.Unlock()
}

func (r *requests) find(key string) (op.Call, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.all[key]
	return c, ok
}

// problemJSON is a problem as every door writes it.
func problemJSON(p op.Problem) []byte {
	b, err := marshal(struct {
		Error op.Problem `json:"error"`
	}{p})
	if err != nil { // strings always encode
		return json.RawMessage(`{"error":{"kind":"internal","message":"internal error"}}`)
	}
	return b
}
