package mcpdoor

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
)

const (
	resourcePrefix = "kaijutsu://context/"
	blockInfix     = "/block/"
	// pageSize is how many contexts one answer to resources/list holds.
	pageSize = 200
)

// The templates of resources.
var (
	contextTemplate = &mcp.ResourceTemplate{
		URITemplate: resourcePrefix + "{context}", Name: "context", Title: "Context", MIMEType: "text/markdown",
		Description: "A context with all its blocks, in Markdown. {context} is its id, or the beginning of its id or title.",
	}
	blockTemplate = &mcp.ResourceTemplate{
		URITemplate: resourcePrefix + "{context}" + blockInfix + "{block}", Name: "block", Title: "Block", MIMEType: "text/plain",
		Description: "The content of one block.",
	}
)

// addTemplates says how resources are named, and how they are read. Saying it
// again tells the client that the list of resources has changed.
func (s *session) addTemplates() {
	s.server.AddResourceTemplate(contextTemplate, s.readResource)
	s.server.AddResourceTemplate(blockTemplate, s.readResource)
	if s.door.cfg.Events != nil {
		s.server.AddResourceTemplate(eventsTemplate, s.readResource)
	}
	s.addDrift()
}

// parseURI returns the context and the block that a resource is; no block for
// a whole context; the whole URI for events, inboxes and citations. The error is
// one of the protocol.
func (s *session) parseURI(uri string) (context, block string, err error) {
	if _, ok := patternOf(uri); ok && s.door.cfg.Events != nil {
		return uri, "", nil
	}
	if ofDrift(uri) {
		return uri, "", nil
	}
	rest, ok := strings.CutPrefix(uri, resourcePrefix)
	context, block, isBlock := strings.Cut(rest, blockInfix)
	if !ok || context == "" || strings.Contains(context, "/") || strings.Contains(block, "/") || isBlock != (block != "") {
		return "", "", noResource(uri)
	}
	if context, err = url.PathUnescape(context); err != nil {
		return "", "", noResource(uri)
	}
	if block, err = url.PathUnescape(block); err != nil {
		return "", "", noResource(uri)
	}
	return context, block, nil
}

func noResource(uri string) error {
	return protocolError(fmt.Errorf("resource %.200q: %w; there are %s, %s, %s, %s and %s", uri, kaijutsu.ErrNotFound,
		contextTemplate.URITemplate, blockTemplate.URITemplate, eventsTemplate.URITemplate, inboxURI, citeTemplate.URITemplate))
}

// uriOf names a context, or a block of it.
func uriOf(context, block string) string {
	uri := resourcePrefix + url.PathEscape(context)
	if block != "" {
		uri += blockInfix + url.PathEscape(block)
	}
	return uri
}

// readResource answers resources/read.
func (s *session) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	call, err := s.call(req.Extra)
	if err != nil {
		return nil, protocolError(err)
	}
	name, block, err := s.parseURI(req.Params.URI)
	if err != nil {
		return nil, err
	}
	content := &mcp.ResourceContents{URI: req.Params.URI}
	if pattern, ok := patternOf(name); ok {
		content.MIMEType = eventsTemplate.MIMEType
		content.Text, err = s.door.cfg.Events.ReadEvents(ctx, call, pattern)
	} else if ofDrift(name) {
		content.MIMEType = inboxResource.MIMEType
		content.Text, err = s.readDrift(ctx, call, name)
	} else if block == "" {
		content.MIMEType = contextTemplate.MIMEType
		content.Text, err = s.door.cfg.Resources.ReadContext(ctx, call, name)
	} else {
		content.MIMEType = blockTemplate.MIMEType
		content.Text, err = s.door.cfg.Resources.ReadBlock(ctx, call, name, block)
	}
	if err != nil {
		return nil, s.failed(req.Params.URI, err)
	}
	result := &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}
	result.CacheScope = "private"
	return result, nil
}

// failed logs what nobody outside is told, and returns the rest as an error of
// the protocol.
func (s *session) failed(what string, err error) error {
	if rpc := protocolError(err); rpc.(*jsonrpc.Error).Code != jsonrpc.CodeInternalError {
		return rpc
	}
	s.door.cfg.Log.Error("resource failed", "resource", what, "principal", s.first.By, "err", err)
	return protocolError(err)
}

// listResources answers resources/list with the contexts that the caller may
// read, by id, and before them the inbox. The cursor is the last id of the page
// before.
func (s *session) listResources(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
	result.CacheScope = "private"
	if s.door.cfg.Resources == nil {
		return result, nil
	}
	call, err := s.call(req.Extra)
	if err != nil {
		return nil, protocolError(err)
	}
	if _, err := s.door.cfg.Set.Get(call, inboxOperation); err == nil && (req.Params == nil || req.Params.Cursor == "") {
		result.Resources = append(result.Resources, inboxResource)
	}
	after := ""
	if req.Params != nil && req.Params.Cursor != "" {
		b, err := base64.RawURLEncoding.DecodeString(req.Params.Cursor)
		if err != nil || len(b) == 0 {
			return nil, errCursor
		}
		after = string(b)
	}
	all, err := s.door.cfg.Resources.Contexts(ctx, call)
	if err != nil {
		return nil, s.failed("list", err)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(c Context) bool { return c.ID <= after })
	slices.SortFunc(all, func(a, b Context) int { return strings.Compare(a.ID, b.ID) })
	if len(all) > pageSize {
		all = all[:pageSize]
		result.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(all[pageSize-1].ID))
	}
	for _, c := range all {
		result.Resources = append(result.Resources, &mcp.Resource{
			URI: uriOf(c.ID, ""), Name: cmp.Or(c.Title, c.ID), Title: c.Title, MIMEType: contextTemplate.MIMEType,
			Description: fmt.Sprintf("A context; blocks: %d.", c.Blocks),
		})
	}
	return result, nil
}
