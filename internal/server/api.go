package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"

	"kaijutsu"
)

// maxRequestBytes bounds the body of an operation.
const maxRequestBytes = 8 << 20

// handler is an HTTP handler that knows who asks.
type handler = func(http.ResponseWriter, *http.Request, kaijutsu.Principal)

// operation runs one operation: parameters in, result out.
type operation func(ctx context.Context, by kaijutsu.Principal, params []byte) (any, error)

// api serves /v1: operations by name, and the few addresses that stream.
func (s *Server) api() handler {
	ops := map[string]operation{
		"context_create": define(s.contextCreate),
		"context_list":   define(s.contextList),
		"context_get":    define(s.contextGet),
		"block_create":   define(s.blockCreate),
		"block_append":   define(s.blockAppend),
		"block_status":   define(s.blockStatus),
		"server_status":  define(s.serverStatus),
	}
	mux := http.NewServeMux()
	as := func(f handler) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { f(w, r, principalOf(r)) }
	}
	mux.HandleFunc("POST /v1/ops/{name}", as(func(w http.ResponseWriter, r *http.Request, by kaijutsu.Principal) {
		op, ok := ops[r.PathValue("name")]
		if !ok {
			writeError(w, fmt.Errorf("operation %q: %w; there are %s", r.PathValue("name"), kaijutsu.ErrNotFound, listKeys(ops)))
			return
		}
		params, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
		if err != nil {
			writeError(w, fmt.Errorf("parameters larger than %d MiB: %w", maxRequestBytes>>20, kaijutsu.ErrTooLarge))
			return
		}
		result, err := op(r.Context(), by, params)
		if err != nil {
			s.report(r, err)
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, result)
	}))
	mux.HandleFunc("GET /v1/contexts", as(func(w http.ResponseWriter, r *http.Request, by kaijutsu.Principal) {
		list, err := s.contextList(r.Context(), by, contextListIn{})
		if err != nil {
			s.report(r, err)
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, list.Contexts)
	}))
	mux.HandleFunc("GET /v1/contexts/{context}/export", as(s.serveExport))
	mux.HandleFunc("GET /v1/contexts/{context}/tail", as(s.serveTail))
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, kaijutsu.ErrNotFound))
	})
	return func(w http.ResponseWriter, r *http.Request, by kaijutsu.Principal) {
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, by)))
	}
}

// principalKey carries the principal across ServeMux, which has no parameter
// for it; nothing below the handlers reads it.
type principalKey struct{}

func principalOf(r *http.Request) kaijutsu.Principal {
	by, _ := r.Context().Value(principalKey{}).(kaijutsu.Principal)
	return by
}

// define makes an operation of a function: its parameters are one JSON object
// with the fields of In and no others.
func define[In, Out any](f func(context.Context, kaijutsu.Principal, In) (Out, error)) operation {
	return func(ctx context.Context, by kaijutsu.Principal, params []byte) (any, error) {
		var in In
		if len(params) == 0 {
			params = []byte("{}")
		}
		if err := decodeStrict(params, &in); err != nil {
			return nil, fmt.Errorf("parameters: %w: %w; there are %s", kaijutsu.ErrInvalid, err, listFields(in))
		}
		return f(ctx, by, in)
	}
}

// report logs what the client is told only the kind of.
func (s *Server) report(r *http.Request, err error) {
	if code, _ := kindOf(err); code == http.StatusInternalServerError {
		s.log.Error("request failed", "path", r.URL.Path, "err", err)
	}
}

// kinds maps the error sentinels to HTTP.
var kinds = []struct {
	err  error
	code int
	name string
}{
	{kaijutsu.ErrNotFound, http.StatusNotFound, "not_found"},
	{kaijutsu.ErrInvalid, http.StatusBadRequest, "invalid"},
	{kaijutsu.ErrConflict, http.StatusConflict, "conflict"},
	{kaijutsu.ErrDenied, http.StatusForbidden, "denied"},
	{kaijutsu.ErrTooLarge, http.StatusRequestEntityTooLarge, "too_large"},
	{kaijutsu.ErrUnavailable, http.StatusServiceUnavailable, "unavailable"},
}

func kindOf(err error) (code int, name string) {
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return k.code, k.name
		}
	}
	return http.StatusInternalServerError, "internal"
}

// writeError answers with {"error": {"kind", "message"}}. What has no kind is
// the server's own business and stays in its log.
func writeError(w http.ResponseWriter, err error) {
	code, name := kindOf(err)
	message := err.Error()
	if name == "internal" {
		message = "internal error; the server's log says more"
	}
	if errors.Is(err, errNoToken) || errors.Is(err, errToken) {
		code = http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, code, map[string]any{"error": map[string]string{"kind": name, "message": message}})
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client is gone
}

// listFields names the JSON fields of a parameter struct.
func listFields(in any) string {
	t := reflect.TypeOf(in)
	names := make(map[string]struct{})
	for i := range t.NumField() {
		names[jsonName(t.Field(i))] = struct{}{}
	}
	if len(names) == 0 {
		return "no parameters"
	}
	return listKeys(names)
}
