package server

import (
	"bufio"
	"net"
	"net/http"

	"kaijutsu/internal/limit"
)

// standing has the requests of a connection that is not trusted wait for those of
// others, and says what to think of it: one whose request was done for somebody
// whom the server knows is trusted until it makes one that is refused.
func (s *Server) standing(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := s.door.Visitor(r.RemoteAddr)
		if v == nil {
			h.ServeHTTP(w, r)
			return
		}
		defer v.Enter()()
		h.ServeHTTP(&judged{ResponseWriter: w, visitor: v}, r)
	})
}

// judged is a response that tells the Door of its status.
type judged struct {
	http.ResponseWriter
	visitor *limit.Visitor
	said    bool
}

func (j *judged) say(status int) {
	if j.said || status < http.StatusOK {
		return
	}
	j.said = true
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		j.visitor.Waste()
		return
	}
	switch {
	case status >= http.StatusBadRequest:
		j.visitor.Doubt()
	case j.visitor.Known():
		j.visitor.Trust()
	default:
		j.visitor.Count()
	}
}

// WriteHeader implements http.ResponseWriter.
func (j *judged) WriteHeader(status int) {
	j.say(status)
	j.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (j *judged) Write(b []byte) (int, error) {
	j.say(http.StatusOK)
	return j.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (j *judged) Unwrap() http.ResponseWriter { return j.ResponseWriter }

// Flush implements http.Flusher.
func (j *judged) Flush() {
	j.say(http.StatusOK)
	_ = http.NewResponseController(j.ResponseWriter).Flush() // an http.Flusher has no error
}

// Hijack implements http.Hijacker.
func (j *judged) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(j.ResponseWriter).Hijack()
}
