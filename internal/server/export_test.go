package server

// Followers returns how many follow events.
func (s *Server) Followers() int { return s.hub.Stats().Followers }

// Trusts reports whether a connection is trusted, by its whole address.
func (s *Server) Trusts(remote string) bool { return s.door.Visitor(remote).Trusted() }
