package mcpdoor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"kaijutsu"
)

// listen passes on what the server says by itself, over and over: a stream
// that breaks is taken up where it broke.
func (b *bridge) listen(ctx context.Context) {
	const shortest, longest = 100 * time.Millisecond, 5 * time.Second
	pause := shortest
	session, last := "", ""
	for ctx.Err() == nil {
		b.mu.Lock()
		if b.session != session {
			session, last = b.session, ""
		}
		b.mu.Unlock()
		heard, err := b.stream(ctx, &last)
		b.client.CloseIdleConnections() // as likely as not they are dead, too
		var lost *lostError
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errNoStream):
			b.Log.Debug("the server says nothing by itself", "err", err)
			return
		case errors.As(err, &lost):
			err = b.renew(ctx, lost.session)
		}
		if heard || err == nil {
			pause = shortest
		}
		if err != nil {
			b.Log.Debug("not listening", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longest)
	}
}

// errNoStream says that there is no use in trying again.
var errNoStream = errors.New("no stream")

// stream passes on one stream, from behind the event last on.
func (b *bridge) stream(ctx context.Context, last *string) (heard bool, err error) {
	req, err := b.request(ctx, http.MethodGet, nil, &message{})
	if err != nil {
		return false, err
	}
	if *last != "" {
		req.Header.Set("Last-Event-ID", *last)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return false, &lostError{req.Header.Get(sessionHeader)}
	case http.StatusMethodNotAllowed, http.StatusUnauthorized, http.StatusForbidden:
		return false, fmt.Errorf("%w: %s", errNoStream, resp.Status)
	case http.StatusBadRequest: // what came since is forgotten: begin anew
		*last = ""
		return false, fmt.Errorf("listen: %s: %w", resp.Status, kaijutsu.ErrUnavailable)
	default:
		return false, fmt.Errorf("listen: %s: %w", resp.Status, kaijutsu.ErrUnavailable)
	}
	err = readEvents(resp.Body, func(e event) error {
		heard = true
		if len(e.data) > 0 {
			b.write(e.data)
		}
		if e.id != "" {
			*last = e.id
		}
		return nil
	})
	return heard, err
}

// renew begins a new session in place of a lost one, as the client did, and
// follows what the lost one followed. What may have been missed meanwhile is
// told to have changed.
func (b *bridge) renew(ctx context.Context, lost string) error {
	b.renewing.Lock()
	defer b.renewing.Unlock()
	b.mu.Lock()
	current, hello, ready := b.session, b.hello, b.ready
	followed := maps.Clone(b.followed)
	b.mu.Unlock()
	if current != lost {
		return nil // somebody else has done it
	}
	if hello == nil {
		return fmt.Errorf("%w: %w: begin with initialize", errSessionLost, kaijutsu.ErrUnavailable)
	}
	if err := b.repeat(ctx, hello); err != nil {
		return fmt.Errorf("begin a new session: %w", err)
	}
	if ready != nil {
		if err := b.repeat(ctx, ready); err != nil {
			return fmt.Errorf("begin a new session: %w", err)
		}
	}
	b.Log.Info("the session was begun anew", "followed", len(followed))
	for _, uri := range slices.Sorted(maps.Keys(followed)) {
		if err := b.repeat(ctx, followed[uri]); err != nil {
			b.Log.Warn("a resource is no longer followed", "uri", uri, "err", err)
		}
		b.tell("notifications/resources/updated", map[string]string{"uri": uri})
	}
	if ready != nil {
		b.tell("notifications/resources/list_changed", nil)
	}
	return nil
}

// repeat sends a message of the client's once more, for the bridge itself.
func (b *bridge) repeat(ctx context.Context, line []byte) error {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	return b.post(ctx, line, &m, func([]byte) {})
}

// tell gives the client a notification.
func (b *bridge) tell(method string, params any) {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	msg, err := marshal(m)
	if err != nil { // it is made of strings
		return
	}
	b.write(msg)
}

// bye ends the session at the server, which would end by itself.
func (b *bridge) bye() {
	b.mu.Lock()
	session := b.session
	b.mu.Unlock()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	req, err := b.request(ctx, http.MethodDelete, nil, &message{})
	if err != nil {
		return
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.Log.Debug("the session was not ended", "err", err)
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<10)) // it says nothing
	_ = resp.Body.Close()
}
