package mcpdoor

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxReplay is how many notifications are kept of a session for a client whose
// stream broke.
const maxReplay = 256

// replay keeps the last notifications of each session's own stream. Results
// are not kept: each goes out whole, in the answer to its request.
//
// A client that comes back with the id of the last event it saw gets the rest;
// where some of that is forgotten it is told so, and begins anew. One that
// begins anew gets what is kept, each notification once: they only say that
// something has changed, so hearing it twice does no harm.
type replay struct {
	mu       sync.Mutex
	sessions map[string]*kept // guarded by mu
}

// kept is the notifications of a session.
type kept struct {
	first  int // index of the first one
	events [][]byte
}

var _ mcp.EventStore = (*replay)(nil)

func newReplay() *replay { return &replay{sessions: make(map[string]*kept)} }

// Open makes room for a session.
func (r *replay) Open(_ context.Context, session, stream string) error {
	if stream != "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sessions[session] == nil {
		r.sessions[session] = &kept{}
	}
	return nil
}

// Append keeps a notification.
func (r *replay) Append(_ context.Context, session, stream string, data []byte) error {
	if stream != "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.sessions[session]
	if k == nil {
		return fmt.Errorf("session %q has ended", session)
	}
	if len(k.events) == maxReplay {
		k.events = slices.Delete(k.events, 0, 1)
		k.first++
	}
	k.events = append(k.events, slices.Clone(data))
	return nil
}

// After returns what is kept behind an index.
func (r *replay) After(_ context.Context, session, stream string, index int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		events, err := r.after(session, stream, index)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (r *replay) after(session, stream string, index int) ([][]byte, error) {
	if stream != "" {
		return nil, fmt.Errorf("stream %q: %w", stream, mcp.ErrEventsPurged)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.sessions[session]
	if k == nil {
		return nil, fmt.Errorf("session %q has ended", session)
	}
	if index < 0 { // the stream begins anew, and so do its numbers
		k.first, k.events = 0, distinct(k.events)
	}
	from := index + 1 - k.first
	if from < 0 || from > len(k.events) {
		return nil, fmt.Errorf("event %d: %w", index, mcp.ErrEventsPurged)
	}
	return slices.Clone(k.events[from:]), nil
}

// distinct keeps the last of equal events.
func distinct(events [][]byte) [][]byte {
	seen := make(map[string]bool)
	var out [][]byte
	for _, e := range slices.Backward(events) {
		if !seen[string(e)] {
			seen[string(e)] = true
			out = append(out, e)
		}
	}
	slices.Reverse(out)
	return out
}

// SessionClosed forgets a session.
func (r *replay) SessionClosed(_ context.Context, session string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sessions, session)
	return nil
}
