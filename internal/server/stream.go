package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

// streamWriteTimeout bounds one write to a follower; one that cannot take it
// is cut off and may come back.
const streamWriteTimeout = 30 * time.Second

var errStopping = fmt.Errorf("the server is stopping: %w", kaijutsu.ErrUnavailable)

// serveTail streams a context's blocks as server-sent events: an event "block"
// for each block as it is, then "live", then "block" for each block whenever
// it changes. Events show what is on disk. A slow follower sees fewer steps.
func (s *Server) serveTail(w http.ResponseWriter, r *http.Request, by kaijutsu.Principal) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	id, err := s.resolve(ctx, r.PathValue("context"))
	if err != nil {
		writeError(w, err)
		return
	}
	watch, err := s.repo.Watch(ctx, id)
	if err != nil {
		s.report(r, err)
		writeError(w, err)
		return
	}
	defer watch.Close()
	detail, err := s.contextGet(ctx, by, contextGetIn{Context: id.URL()})
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := eventWriter{w, http.NewResponseController(w)}
	for _, b := range detail.BlockList {
		if out.send("block", b) != nil {
			return
		}
	}
	if out.send("live", struct{}{}) != nil || out.flush() != nil {
		return
	}
	for {
		changed, err := watch.Next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				err = errStopping // or the follower has gone, and will not read it
			}
			_ = out.send("error", err.Error()) // and the connection ends with it
			_ = out.flush()
			return
		}
		if out.sendBlocks(changed) != nil {
			return
		}
	}
}

// eventWriter writes server-sent events.
type eventWriter struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func (e eventWriter) send(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := e.rc.SetWriteDeadline(time.Now().Add(streamWriteTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	_, err = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, data)
	return err
}

func (e eventWriter) sendBlocks(changed []repo.Block) error {
	for _, b := range changed {
		if err := e.send("block", rowOf(b)); err != nil {
			return err
		}
	}
	return e.flush()
}

func (e eventWriter) flush() error { return e.rc.Flush() }

// serveExport answers with the document as an .automerge file.
func (s *Server) serveExport(w http.ResponseWriter, r *http.Request, _ kaijutsu.Principal) {
	id, err := s.resolve(r.Context(), r.PathValue("context"))
	if err != nil {
		writeError(w, err)
		return
	}
	chunk, err := s.repo.Export(r.Context(), id)
	if err != nil {
		s.report(r, err)
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(contextName(id)+".automerge"))
	w.Header().Set("Content-Length", strconv.Itoa(len(chunk)))
	_, _ = w.Write(chunk) // the client is gone
}

// addressFile tells the command line where the running server listens.
const addressFile = "server.url"

func (s *Server) writeAddress() error {
	path := filepath.Join(s.cfg.Dir, addressFile)
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(s.URL()+"\n"), 0o600); err != nil {
		return fmt.Errorf("write server address: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("write server address: %w", err)
	}
	return nil
}
