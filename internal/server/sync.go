package server

import (
	"errors"
	"net/http"
)

// serveSync hands an editor's connection to the hub. A page of somebody else
// is refused as HTTP; an editor without a valid token is told so in a frame,
// for stock clients do not survive a refused upgrade.
func (s *Server) serveSync(w http.ResponseWriter, r *http.Request) {
	c, token, err := s.gate.identify(r)
	switch {
	case errors.Is(err, errOrigin):
		http.Error(w, err.Error(), http.StatusForbidden)
	case err != nil:
		s.peers.Refuse(w, r, err)
	case token != "":
		watch := func(f func()) func() { return s.access.Watch(token, f) }
		s.peers.Serve(hijack{w, watch}, r, c.By)
	default:
		s.peers.Serve(w, r, c.By)
	}
}
