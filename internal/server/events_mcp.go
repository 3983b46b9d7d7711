package server

import (
	"context"
	"encoding/json"
	"time"

	"kaijutsu"
	"kaijutsu/internal/door/mcpdoor"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/op"
)

const (
	// eventsRead is how many events a read resource holds at most.
	eventsRead = 50
	// eventsTold is how often an agent is told of more, at most.
	eventsTold = 200 * time.Millisecond
)

// events are what agents follow as resources: for whom events_follow is there.
type events struct{ s *Server }

func (e events) want(c op.Call, pattern string) (follow.Want, error) {
	_, err := e.s.set.Get(c, "events_follow")
	return follow.Want{Pattern: pattern, By: c.By, Right: e.s.toldOf(c)}, err
}

// toldOf returns what somebody may know of contexts now, deleted ones too: of the
// private one only who owns the kernel.
func (s *Server) toldOf(c op.Call) func(kaijutsu.DocumentID) kaijutsu.Right {
	return func(doc kaijutsu.DocumentID) kaijutsu.Right {
		if s.later.private(doc) && c.Bounds.Kernel(s.access.Kernel(c.By)) < kaijutsu.RightOwn {
			return kaijutsu.RightNone
		}
		return c.Bounds.Document(doc, s.access.Current(c.By, doc))
	}
}

// ReadEvents returns the newest events of a pattern.
func (e events) ReadEvents(ctx context.Context, c op.Call, pattern string) (string, error) {
	want, err := e.want(c, pattern)
	if err != nil {
		return "", err
	}
	items, next, err := e.s.hub.Newest(ctx, want, eventsRead)
	if err != nil {
		return "", err
	}
	out := struct {
		Events []json.RawMessage `json:"events"`
		Next   string            `json:"next"`
	}{[]json.RawMessage{}, next}
	for _, i := range items {
		out.Events = append(out.Events, i.Data)
	}
	b, err := json.Marshal(out)
	return string(b), err
}

// WatchEvents follows a pattern.
func (e events) WatchEvents(ctx context.Context, c op.Call, pattern string) (mcpdoor.Watch, error) {
	want, err := e.want(c, pattern)
	if err != nil {
		return nil, err
	}
	f, err := e.s.hub.Follow(ctx, want)
	if err != nil {
		return nil, err
	}
	return &eventWatch{f: f}, nil
}

type eventWatch struct {
	f    *follow.Follower
	told time.Time
}

// Next waits until there are more events.
func (w *eventWatch) Next(ctx context.Context) ([]string, error) {
	wait := time.NewTimer(time.Until(w.told.Add(eventsTold)))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		items, err := w.f.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			if i.Name != follow.Hello {
				w.told = time.Now()
				return nil, nil
			}
		}
	}
}

// Close ends the watch.
func (w *eventWatch) Close() { w.f.Close() }
