package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/pprof"
	"time"

	"kaijutsu/internal/door/httpdoor"
)

const (
	pprofPath = "/debug/pprof/"
	// profileWithin bounds one profile; more seconds are refused.
	profileWithin = 2 * time.Minute
)

// profiles serves the profiles of the Go runtime: stacks, memory by the code
// that took it, processor time. They name no content; the command line, which
// may name files with secrets, is not among them.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pprofPath, pprof.Index) // and those with names
	mux.HandleFunc("GET "+pprofPath+"cmdline", http.NotFound)
	mux.HandleFunc("GET "+pprofPath+"profile", pprof.Profile)
	mux.HandleFunc("GET "+pprofPath+"symbol", pprof.Symbol)
	mux.HandleFunc("GET "+pprofPath+"trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), profileWithin)
		defer cancel()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(profileWithin)) // where there is a connection
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r.WithContext(ctx))
	})
}

// refuseOwn answers who does not own the server: one without a token is asked
// for it.
func refuseOwn(w http.ResponseWriter, err error) {
	var mendable login
	if errors.As(err, &mendable) {
		private(w)
	}
	httpdoor.WriteError(w, err)
}
