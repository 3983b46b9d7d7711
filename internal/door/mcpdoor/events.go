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

// readPattern reads a resource. The template of events matches patterns that are
// percent-encoded only; one that is not is read all the same.
func (s *session) readPattern(ctx context.Context, req *mcp.ReadResourceRequest, read func(context.Context, *mcp.ReadResourceRequest) (mcp.Result, error)) (mcp.Result, error) {
	pattern, ok := patternOf(req.Params.URI)
	if !ok {
		return read(ctx, req)
	}
	encoded, params := *req, *req.Params
	params.URI = eventsPrefix + url.PathEscape(pattern)
	encoded.Params = &params
	result, err := read(ctx, &encoded)
	if got, ok := result.(*mcp.ReadResourceResult); ok && got != nil {
		for _, c := range got.Contents {
			c.URI = req.Params.URI
		}
	}
	return result, err
}

// watch begins to follow what a resource is of: events, or a context.
func (s *session) watch(call op.Call, name string) (Watch, error) {
	if pattern, ok := patternOf(name); ok {
		return s.door.cfg.Events.WatchEvents(s.living, call, pattern)
	}
	return s.door.cfg.Watcher.Watch(s.living, call, name)
}
