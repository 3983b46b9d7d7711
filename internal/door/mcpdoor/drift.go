package mcpdoor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/internal/op"
)

const (
	inboxURI   = "kaijutsu://drift/inbox"
	citePrefix = "kaijutsu://cite/"
	// The operations that these resources are.
	inboxOperation = "drift_inbox"
	citeOperation  = "citation_resolve"
)

// What came to contexts, and what citations say.
var (
	inboxResource = &mcp.Resource{
		URI: inboxURI, Name: "drift inbox", Title: "Drift inbox", MIMEType: "application/json",
		Description: "The drifts that you have not read: of the context that the session means, of all where it means none. " +
			"Who subscribes is told when one comes. drift_inbox with \"read\" notes that you have read them.",
	}
	inboxTemplate = &mcp.ResourceTemplate{
		URITemplate: inboxURI + "/{context}", Name: "drift inbox of a context", Title: "Drift inbox of a context", MIMEType: "application/json",
		Description: "The drifts in one context that you have not read. {context} is its id, or the beginning of its id or title. Who subscribes is told when one comes.",
	}
	citeTemplate = &mcp.ResourceTemplate{
		URITemplate: citePrefix + "{+handle}", Name: "citation", Title: "Citation", MIMEType: "application/json",
		Description: "Exactly what the lines that a handle names said, and whether they still stand so. {handle} is context/block@heads#first-last, as meta.citations of a block has it; it may be percent-encoded.",
	}
)

// Letters are told of drifts that come. Errors are those of operations.
type Letters interface {
	// WatchLetters follows what comes to a context, or, where none is named and the
	// call means none, to all that the caller may read. Its Next returns no ids.
	WatchLetters(ctx context.Context, c op.Call, context string) (Watch, error)
}

// inboxOf returns the context whose inbox a resource is, empty for that of the
// call; false when it is none.
func inboxOf(uri string) (context string, ok bool) {
	if uri == inboxURI {
		return "", true
	}
	rest, ok := strings.CutPrefix(uri, inboxURI+"/")
	if !ok || rest == "" || strings.Contains(rest, "/") {
		return "", false
	}
	context, err := url.PathUnescape(rest)
	return context, err == nil
}

// handleOf returns the handle that a resource resolves; false when it is none.
func handleOf(uri string) (handle string, ok bool) {
	rest, ok := strings.CutPrefix(uri, citePrefix)
	if !ok || rest == "" {
		return "", false
	}
	handle, err := url.PathUnescape(rest)
	return handle, err == nil
}

// ofDrift reports whether a resource is an inbox or a citation.
func ofDrift(uri string) bool {
	_, inbox := inboxOf(uri)
	_, cited := handleOf(uri)
	return inbox || cited
}

// addDrift says how inboxes and citations are named: to whom their operations
// are there.
func (s *session) addDrift() {
	if s.offers(inboxOperation) {
		s.server.AddResource(inboxResource, s.readResource)
		s.server.AddResourceTemplate(inboxTemplate, s.readResource)
	}
	if s.offers(citeOperation) {
		s.server.AddResourceTemplate(citeTemplate, s.readResource)
	}
}

// offers reports whether an operation is there for who began the session.
func (s *session) offers(operation string) bool {
	_, err := s.door.cfg.Set.Get(s.first, operation)
	return err == nil
}

// readDrift reads an inbox or a citation: the result of its operation.
func (s *session) readDrift(ctx context.Context, call op.Call, uri string) (string, error) {
	operation, params := citeOperation, map[string]any{}
	if context, ok := inboxOf(uri); ok {
		operation, params["unread"] = inboxOperation, true
		if context != "" {
			params["context"] = context
		}
	} else {
		params["handle"], _ = handleOf(uri)
	}
	b, err := json.Marshal(params)
	if err != nil {
		return "", err
	}
	result, err := s.door.cfg.Set.Call(ctx, call, operation, b)
	return string(result), err
}

// watchDrift follows an inbox.
func (s *session) watchDrift(call op.Call, uri string) (Watch, error) {
	context, ok := inboxOf(uri)
	if !ok {
		return nil, fmt.Errorf("a citation is not followed: %w: what it says does not change; follow the context that it is of", kaijutsu.ErrInvalid)
	}
	if s.door.cfg.Letters == nil {
		return nil, fmt.Errorf("the inbox is not followed: %w: this server does not tell of drifts", kaijutsu.ErrUnavailable)
	}
	if _, err := s.door.cfg.Set.Get(call, inboxOperation); err != nil {
		return nil, err
	}
	return s.door.cfg.Letters.WatchLetters(s.living, call, context)
}
