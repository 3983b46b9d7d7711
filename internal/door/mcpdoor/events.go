package mcpdoor

import (
	"context"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu/internal/op"
)

const eventsPrefix = "kaijutsu://events/"

// eventsTemplate is the newest events of a pattern.
var eventsTemplate = &mcp.ResourceTemplate{
	URITemplate: eventsPrefix + "{pattern}", Name: "events", Title: "Events", MIMEType: "application/json",
	Description: "The newest events whose subject matches, as {\"events\",\"next\"}; events_follow goes on from next. " +
		"ctx.*.block.> is the blocks of all contexts; it may be percent-encoded. Who subscribes is told when there are more.",
}

// Events are what can be followed. Errors are those of operations.
type Events interface {
	// ReadEvents returns the newest events of a pattern, as JSON.
	ReadEvents(ctx context.Context, c op.Call, pattern string) (string, error)
	// WatchEvents follows a pattern. Its Next returns no ids.
	WatchEvents(ctx context.Context, c op.Call, pattern string) (Watch, error)
}

// patternOf returns the pattern that a resource is of; false when it is of
// none.
func patternOf(uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, eventsPrefix)
	if !ok || rest == "" || strings.Contains(rest, "/") {
		return "", false
	}
	pattern, err := url.PathUnescape(rest)
	return pattern, err == nil
}

// encoded returns the address of a resource as its template matches it: patterns,
// contexts of inboxes and handles that are not percent-encoded are read all the
// same. ok is false for other resources.
func encoded(uri string) (_ string, ok bool) {
	if pattern, ok := patternOf(uri); ok {
		return eventsPrefix + url.PathEscape(pattern), true
	}
	if context, ok := inboxOf(uri); ok && context != "" {
		return inboxURI + "/" + escape(context), true
	}
	if handle, ok := handleOf(uri); ok {
		return citePrefix + escape(handle), true
	}
	return "", false
}

// escape percent-encodes all but the unreserved characters of RFC 3986.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// readPattern reads a resource by its encoded address, and answers by the one
// that was asked for.
func (s *session) readPattern(ctx context.Context, req *mcp.ReadResourceRequest, read func(context.Context, *mcp.ReadResourceRequest) (mcp.Result, error)) (mcp.Result, error) {
	uri, ok := encoded(req.Params.URI)
	if !ok {
		return read(ctx, req)
	}
	again, params := *req, *req.Params
	params.URI = uri
	again.Params = &params
	result, err := read(ctx, &again)
	if got, ok := result.(*mcp.ReadResourceResult); ok && got != nil {
		for _, c := range got.Contents {
			c.URI = req.Params.URI
		}
	}
	return result, err
}

// watch begins to follow what a resource is of: events, an inbox, or a context.
func (s *session) watch(call op.Call, name string) (Watch, error) {
	if pattern, ok := patternOf(name); ok {
		return s.door.cfg.Events.WatchEvents(s.living, call, pattern)
	}
	if ofDrift(name) {
		return s.watchDrift(call, name)
	}
	return s.door.cfg.Watcher.Watch(s.living, call, name)
}
