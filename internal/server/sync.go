package server

import (
	"errors"
	"net/http"

	"kaijutsu"
)

// serveSync hands an editor's connection to the hub. A page of somebody else
// is refused as HTTP; an editor without a valid token is told so in a frame,
// for stock clients do not survive a refused upgrade.
func (s *Server) serveSync(w http.ResponseWriter, r *http.Request) {
	c, err := s.gate.identify(r)
	switch {
	case errors.Is(err, errOrigin):
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	case err != nil:
		s.peers.Refuse(w, r, err)
		return
	}
	if c.watch != nil {
		w = hijack{w, c.watch}
	}
	if c.Bounds == nil {
		s.peers.Serve(w, r, c.By)
		return
	}
	s.peers.ServeWithin(w, r, c.By, func(doc kaijutsu.DocumentID, right kaijutsu.Right) kaijutsu.Right {
		if c.Bounds.Kernel(kaijutsu.RightOwn) < kaijutsu.RightOwn && s.later.private(doc) {
			return kaijutsu.RightNone
		}
		return c.Bounds.Document(doc, right)
	})
}
