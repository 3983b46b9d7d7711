package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// streamWriteTimeout bounds one write to a follower; one that cannot take it
// is cut off and may come back.
const streamWriteTimeout = 30 * time.Second

// serveTail streams a context's blocks as server-sent events: an event "block"
// for each block as it is, then "live", then "block" for each block whenever
// it changes. Events show what is on disk. A slow follower sees fewer steps.
func (s *Server) serveTail(w http.ResponseWriter, r *http.Request, c op.Call) error {
	ctx := r.Context()
	doc, err := s.kernel.Resolve(ctx, c, r.PathValue("context"), kaijutsu.RightRead)
	if err != nil {
		return err
	}
	leave, err := s.stream(c)
	if err != nil {
		return err
	}
	defer leave()
	watch, err := s.kernel.Watch(ctx, c, doc)
	if err != nil {
		return err
	}
	defer watch.Close()
	if _, err := s.kernel.Context(ctx, c, doc); err != nil {
		return err // it is no context
	}
	var list []repo.Block
	err = s.kernel.View(ctx, c, doc, func(v repo.View) error {
		list = v.Blocks()
		return nil
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := eventWriter{w, http.NewResponseController(w)}
	defer out.unbounded()
	for _, b := range list {
		if out.send("block", tailRowOf(b)) != nil {
			return nil
		}
	}
	if out.send("live", struct{}{}) != nil || out.flush() != nil {
		return nil
	}
	out.end(s.tail(ctx, c, doc, watch, out))
	return nil
}

// tail sends what changes, until it cannot go on.
func (s *Server) tail(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, watch *repo.Watch, out eventWriter) error {
	for {
		changed, err := watch.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx) // or the follower has gone, and will not read it
		case err != nil:
			return err
		}
		if err := s.mayStill(c, doc); err != nil {
			return err
		}
		for _, b := range changed {
			if err := out.send("block", tailRowOf(b)); err != nil {
				return nil
			}
		}
		if out.flush() != nil {
			return nil
		}
	}
}

// mayStill refuses who follows a context and may not read it any more.
func (s *Server) mayStill(c op.Call, doc kaijutsu.DocumentID) error {
	if s.toldOf(c)(doc) < kaijutsu.RightRead {
		return fmt.Errorf("the right to read it was taken away: %w", kaijutsu.ErrDenied)
	}
	return nil
}

// tailRow is a block as followers see it: as block_list shows it, whole.
type tailRow struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Role      string `json:"role"`
	Status    string `json:"status"`
	Parent    string `json:"parent,omitempty"`
	Depth     int    `json:"depth"`
	Form      string `json:"form"`
	Content   string `json:"content"`
	Meta      string `json:"meta,omitempty"`
	Author    string `json:"author"`
	Via       string `json:"via,omitempty"`
	Created   string `json:"created"`
	Deleted   bool   `json:"deleted,omitempty"`
	Collapsed bool   `json:"collapsed,omitempty"`
	Excluded  bool   `json:"excluded,omitempty"`
	Ephemeral bool   `json:"ephemeral,omitempty"`
}

func tailRowOf(b repo.Block) tailRow {
	author := b.By.Name
	if b.By.IsZero() {
		author = b.Author.String()
	}
	return tailRow{
		ID: string(b.ID), Kind: string(b.Kind), Role: string(b.Role), Status: string(b.Status), Parent: string(b.Parent),
		Depth: b.Depth, Form: string(b.Form), Content: b.Content, Meta: b.Meta, Author: author, Via: b.Via.Name,
		Created: b.Created.UTC().Format(time.RFC3339), Deleted: b.Deleted, Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral,
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

// end says why there is no more.
func (e eventWriter) end(err error) {
	if err == nil {
		return
	}
	_ = e.send("error", op.ProblemOf(err).Message) // and the connection ends with it
	_ = e.flush()
}

func (e eventWriter) flush() error { return e.rc.Flush() }

func (e eventWriter) unbounded() { _ = e.rc.SetWriteDeadline(time.Time{}) }
