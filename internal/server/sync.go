package server

import (
	"errors"
	"net/http"
)

// serveSync hands an editor's connection to the hub. A page of somebody else
// is refused as HTTP; an editor without a valid token is told so in a frame,
// for stock clients do not survive a refused upgrade.
func (s *Server) serveSync(w http.ResponseWriter, r *http.Request) {
	by, err := s.gate.identify(r)
	switch {
	case errors.Is(err, errOrigin):
		http.Error(w, err.Error(), http.StatusForbidden)
	case err != nil:
		s.peers.Refuse(w, r, err)
	default:
		s.peers.Serve(w, r, by)
	}
}
