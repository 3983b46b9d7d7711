package server

// Followers returns how many follow events.
func (s *Server) Followers() int { return s.hub.Stats().Followers }
