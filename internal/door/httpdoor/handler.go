package httpdoor

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// DefaultMaxBody is the largest body of a call in bytes.
const DefaultMaxBody = 16 << 20

// Config says what the door serves.
type Config struct {
	// Set holds the operations; required.
	Set *op.Set
	// Identify says who asks and with what rights; required. Door is filled in
	// here. Its error is answered like that of an operation; one with a method
	// Challenge() string is answered 401, with that as WWW-Authenticate.
	Identify func(*http.Request) (op.Call, error)
	// Log receives what went wrong and is nobody's business outside; nil for
	// no log.
	Log *slog.Logger
	// Version is the program's, for the OpenAPI document.
	Version string
	// MaxBody bounds a body in bytes; 0 means DefaultMaxBody. Let it be no
	// less than what the set takes.
	MaxBody int64
}

// door is the handler.
type door struct {
	cfg   Config
	shown map[string]*operation // by name; what does not depend on the caller
}

// New returns the handler of /v1/ops, /v1/ops/ and /v1/openapi.json.
func New(cfg Config) http.Handler {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = DefaultMaxBody
	}
	d := &door{cfg: cfg, shown: make(map[string]*operation)}
	for _, o := range cfg.Set.All() {
		d.shown[o.Name] = show(o)
	}
	return d
}

// ServeHTTP finds the address, then who asks, then what they want.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	serve, methods := d.route(r.URL.Path)
	if serve == nil {
		WriteError(w, fmt.Errorf("%s: %w; there are /v1/ops, /v1/ops/{name} and /v1/openapi.json", r.URL.Path, kaijutsu.ErrNotFound))
		return
	}
	if !slices.Contains(methods, r.Method) {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		writeProblem(w, http.StatusMethodNotAllowed, op.Problem{
			Kind:    "invalid",
			Message: fmt.Sprintf("%.16s %s: this method does nothing here: use %s", r.Method, r.URL.Path, methods[len(methods)-1]),
		})
		return
	}
	call, err := d.identify(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	serve(w, r, call)
}

// handler serves a request of somebody.
type handler func(http.ResponseWriter, *http.Request, op.Call)

var reading = []string{http.MethodHead, http.MethodGet}

// route returns what serves a path, and the methods that it knows: the one to
// recommend is the last.
func (d *door) route(path string) (handler, []string) {
	switch {
	case path == "/v1/ops":
		return d.list, reading
	case path == "/v1/openapi.json":
		return d.openAPI, reading
	}
	name, ok := strings.CutPrefix(path, "/v1/ops/")
	if !ok || name == "" || strings.Contains(name, "/") {
		return nil, nil
	}
	return d.operation, []string{http.MethodHead, http.MethodGet, http.MethodPost}
}

// maxInstance bounds what a caller says of where it calls from, in bytes.
const maxInstance = 64

// identify returns who asks, from where, and which context they mean.
func (d *door) identify(r *http.Request) (op.Call, error) {
	call, err := d.cfg.Identify(r)
	if err != nil {
		return op.Call{}, err
	}
	call.Door = "http"
	if call.Session = r.Header.Get("Kaijutsu-Instance"); len(call.Session) > maxInstance {
		return op.Call{}, fmt.Errorf("header Kaijutsu-Instance of %d bytes: %w: at most %d", len(call.Session), kaijutsu.ErrInvalid, maxInstance)
	}
	head := r.Header.Get("Kaijutsu-Context")
	query := ""
	if r.URL.RawQuery != "" {
		query = r.URL.Query().Get("context")
	}
	switch {
	case head != "" && query != "" && head != query:
		return op.Call{}, fmt.Errorf("header Kaijutsu-Context says %.64q and ?context= says %.64q: %w: name one context", head, query, kaijutsu.ErrInvalid)
	case head != "":
		call.Context = head
	case query != "":
		call.Context = query
	}
	return call, nil
}

// fail answers an error that did not come from an operation, which logs its
// own.
func (d *door) fail(w http.ResponseWriter, r *http.Request, err error) {
	if op.ProblemOf(err).Kind == op.KindInternal {
		d.cfg.Log.Error("request failed", "path", r.URL.Path, "err", err)
	}
	WriteError(w, err)
}

// WriteError answers a request with an error, as every address of the server
// does.
func WriteError(w http.ResponseWriter, err error) {
	p := op.ProblemOf(err)
	status := p.Status
	var login interface{ Challenge() string }
	if errors.As(err, &login) {
		status = http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", login.Challenge())
	}
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	writeProblem(w, status, p)
}

func writeProblem(w http.ResponseWriter, status int, p op.Problem) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct { // strings always encode
		Error op.Problem `json:"error"`
	}{p})
	writeJSON(w, status, []byte(strings.TrimSuffix(b.String(), "\n")))
}

// writeJSON answers with the bytes as they are.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone
}
