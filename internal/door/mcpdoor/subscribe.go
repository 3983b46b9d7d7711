package mcpdoor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
)

// subscriptions are the resources that a session follows.
type subscriptions struct {
	mu       sync.Mutex
	all      map[string]*subscription // by the context as the client names it; guarded by mu
	count    int                      // of resources; guarded by mu
	contexts bool                     // the list is followed; guarded by mu
}

// subscription is what is followed of one context.
type subscription struct {
	uris map[string]string // to their block, "" for all; guarded by subscriptions.mu
	stop context.CancelFunc
}

// subscribe begins to follow a resource. The library notes who is to be told.
func (s *session) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	if s.door.cfg.Watcher == nil || s.door.cfg.Resources == nil {
		return protocolError(fmt.Errorf("subscriptions: %w: this server does not tell of changes", kaijutsu.ErrUnavailable))
	}
	call, err := s.call(req.Extra)
	if err != nil {
		return protocolError(err)
	}
	name, block, err := s.parseURI(req.Params.URI)
	if err != nil {
		return err
	}
	if block != "" { // a block that is not there cannot be followed
		if _, err := s.door.cfg.Resources.ReadBlock(ctx, call, name, block); err != nil {
			return s.failed(req.Params.URI, err)
		}
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	if s.subs.count >= s.door.cfg.Subscriptions {
		return protocolError(fmt.Errorf("%d resources are followed already: %w: unsubscribe from one", s.subs.count, kaijutsu.ErrTooLarge))
	}
	sub := s.subs.all[name]
	if sub == nil {
		watch, err := s.watch(call, name)
		if err != nil {
			return s.failed(req.Params.URI, err)
		}
		sub = &subscription{uris: make(map[string]string)}
		var following context.Context
		following, sub.stop = context.WithCancel(s.living)
		if !s.door.spawn(func() { s.follow(following, name, sub, watch) }) {
			sub.stop()
			watch.Close()
			return protocolError(errClosed)
		}
		s.subs.all[name] = sub
	}
	if _, again := sub.uris[req.Params.URI]; !again {
		sub.uris[req.Params.URI] = block
		s.subs.count++
	}
	return nil
}

// unsubscribe ends what subscribe began.
func (s *session) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	name, _, err := s.parseURI(req.Params.URI)
	if err != nil {
		return err
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	sub := s.subs.all[name]
	if sub == nil {
		return nil
	}
	if _, ok := sub.uris[req.Params.URI]; ok {
		delete(sub.uris, req.Params.URI)
		s.subs.count--
	}
	if len(sub.uris) == 0 {
		sub.stop()
		delete(s.subs.all, name)
	}
	return nil
}

// follow tells of the changes of a context until nobody wants to know. When it
// can no longer be followed, all of it is told to have changed, once: who
// reads it again learns why.
func (s *session) follow(ctx context.Context, name string, sub *subscription, watch Watch) {
	defer watch.Close()
	for {
		touched, err := watch.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		var uris []string
		if err == nil {
			uris = s.subs.concerned(sub, touched)
		} else { // first forgotten, then told: who follows it again is not forgotten
			uris = s.subs.drop(name, sub)
			s.door.cfg.Log.Debug("a context is no longer followed", "context", name, "session", s.instance, "err", err)
		}
		for _, uri := range uris {
			// Whom it does not reach has no session any more.
			_ = s.server.ResourceUpdated(s.living, &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}
		if err != nil {
			return
		}
	}
}

// concerned returns the resources in which blocks are, or all of a
// subscription when anything may have changed.
func (s *subscriptions) concerned(sub *subscription, touched []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var uris []string
	for uri, block := range sub.uris {
		if block == "" || len(touched) == 0 {
			uris = append(uris, uri)
			continue
		}
		for _, id := range touched {
			if strings.HasPrefix(id, block) {
				uris = append(uris, uri)
				break
			}
		}
	}
	return uris
}

// drop forgets a subscription that has ended by itself, and returns what it
// was of.
func (s *subscriptions) drop(name string, sub *subscription) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub.stop()
	uris := slices.Collect(maps.Keys(sub.uris))
	s.count -= len(uris)
	clear(sub.uris)
	if s.all[name] == sub {
		delete(s.all, name)
	}
	return uris
}

// followContexts begins to tell of contexts that come and go.
func (s *session) followContexts() {
	if s.door.cfg.Watcher == nil || s.door.cfg.Resources == nil {
		return
	}
	s.subs.mu.Lock()
	already := s.subs.contexts
	s.subs.contexts = true
	s.subs.mu.Unlock()
	if already {
		return
	}
	watch, err := s.door.cfg.Watcher.WatchContexts(s.living, s.first)
	if err != nil {
		s.door.cfg.Log.Debug("the list of contexts is not followed", "session", s.instance, "err", err)
		return
	}
	follows := s.door.spawn(func() {
		defer watch.Close()
		for {
			if _, err := watch.Next(s.living); err != nil {
				return
			}
			s.addTemplates()
		}
	})
	if !follows {
		watch.Close()
	}
}
