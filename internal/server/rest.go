package server

import (
	"runtime/debug"
	"time"
)

// restAfter are the times after the start at which memory that only the start
// took is given back: reading what there is leaves about as much garbage as it
// leaves behind, and an idle process collects none for minutes.
var restAfter = []time.Duration{2 * time.Second, 15 * time.Second}

// rest gives memory back after the start; it ends with the server.
func (s *Server) rest() {
	began := time.Now()
	for _, after := range restAfter {
		late := time.NewTimer(time.Until(began.Add(after)))
		select {
		case <-late.C:
			debug.FreeOSMemory()
		case <-s.stopping.Done():
			late.Stop()
			return
		}
	}
}
