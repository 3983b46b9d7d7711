package server

import (
	"net/http"

	"kaijutsu"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// maxHeaderBytes is how much the header of a request may take; net/http adds 4
// KiB.
const maxHeaderBytes = 32 << 10

// quota says whether a document may grow by a change of somebody. The documents
// of the nodes are not counted.
func (s *Server) quota(g repo.Growth) error {
	if hidden := s.later.hidden.Load(); g.By.IsZero() || hidden == nil || (*hidden)(g.Doc) {
		return nil
	}
	who, doc := limitKey(g.By), g.Doc.String()
	if err := s.limits.Check(limit.ChangeBytes, doc, 0, g.ChangeBytes); err != nil {
		return err
	}
	if err := s.limits.Check(limit.DocumentBytes, doc, g.Bytes, g.ChangeBytes); err != nil {
		return err
	}
	if g.NewActor {
		if err := s.limits.Check(limit.DocumentActors, doc, int64(g.Actors), 1); err != nil {
			return err
		}
		if err := s.limits.Check(limit.PrincipalActors, who, int64(g.ActorsBy), 1); err != nil {
			return err
		}
	}
	if g.New {
		return s.limits.Allow(limit.DocumentsMade, who, 1)
	}
	return nil
}

// limitKey is a principal as limits count it.
func limitKey(by kaijutsu.Principal) string { return string(by.Kind) + " " + by.Name }

// admit counts an operation of a principal. Who set a limit too low may always
// mend it.
func (s *Server) admit(c op.Call, spec *op.Spec) error {
	if spec.Name == "limit_set" && c.Right >= kaijutsu.RightOwn {
		return nil
	}
	return s.limits.Allow(limit.Operations, limitKey(c.By), 1)
}

// recognised is an Identify that says of connections whose they are: they are not
// closed to make room for strangers.
func (s *Server) recognised(identify func(*http.Request) (op.Call, error)) func(*http.Request) (op.Call, error) {
	return func(r *http.Request) (op.Call, error) {
		c, err := identify(r)
		if err == nil {
			s.door.Known(r.RemoteAddr)
		}
		return c, err
	}
}

// stream takes a place among the streams of a principal.
func (s *Server) stream(c op.Call) (leave func(), err error) {
	return s.limits.Enter(limit.Streams, limitKey(c.By))
}
