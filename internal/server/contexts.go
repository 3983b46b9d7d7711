package server

import (
	"encoding/json"
	"net/http"
	"strconv"

	"kaijutsu"
	"kaijutsu/internal/door/httpdoor"
	"kaijutsu/internal/op"
)

// as serves somebody who may use an operation: the address does what that does,
// in another form.
func (s *Server) as(operation string, f func(http.ResponseWriter, *http.Request, op.Call) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := s.recognised(s.gate.call)(r)
		if err == nil {
			c.Door = "http"
			_, err = s.set.Get(c, operation)
		}
		if err == nil {
			err = f(w, r, c)
		}
		if err == nil {
			return
		}
		if op.ProblemOf(err).Kind == op.KindInternal {
			s.log.Error("request failed", "path", r.URL.Path, "err", err)
		}
		httpdoor.WriteError(w, err)
	})
}

// serveContexts answers with the list of contexts.
func (s *Server) serveContexts(w http.ResponseWriter, r *http.Request, c op.Call) error {
	result, err := s.set.Call(r.Context(), c, "context_list", json.RawMessage("{}"))
	if err != nil {
		return err
	}
	var list struct{ Contexts json.RawMessage }
	if err := json.Unmarshal(result, &list); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(append(list.Contexts, '\n')) // the client is gone
	return nil
}

// serveExport answers with the document as an .automerge file.
func (s *Server) serveExport(w http.ResponseWriter, r *http.Request, c op.Call) error {
	doc, err := s.kernel.Resolve(r.Context(), c, r.PathValue("context"), kaijutsu.RightRead)
	if err != nil {
		return err
	}
	chunk, err := s.kernel.Export(r.Context(), c, doc)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(doc.Name()+".automerge"))
	w.Header().Set("Content-Length", strconv.Itoa(len(chunk)))
	_, _ = w.Write(chunk) // the client is gone
	return nil
}
