package mcpdoor

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
)

// maxCompletions is how many values the protocol lets one answer hold.
const maxCompletions = 100

// complete answers completion/complete for the parameters of the templates.
func (s *session) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, arg := req.Params.Ref, req.Params.Argument
	if s.door.cfg.Resources == nil {
		return nil, protocolError(fmt.Errorf("%w: %w", errNoResources, kaijutsu.ErrInvalid))
	}
	if ref.Type != "ref/resource" || ref.URI != contextTemplate.URITemplate && ref.URI != blockTemplate.URITemplate && ref.URI != inboxTemplate.URITemplate {
		return nil, protocolError(fmt.Errorf("completion of %s %.200q: %w: there are the templates %s, %s and %s",
			ref.Type, ref.URI+ref.Name, kaijutsu.ErrInvalid, contextTemplate.URITemplate, blockTemplate.URITemplate, inboxTemplate.URITemplate))
	}
	call, err := s.call(req.Extra)
	if err != nil {
		return nil, protocolError(err)
	}
	var values []string
	switch {
	case arg.Name == "context":
		all, err := s.door.cfg.Resources.Contexts(ctx, call)
		if err != nil {
			return nil, s.failed("completion", err)
		}
		want := strings.ToLower(arg.Value)
		for _, c := range all {
			if strings.HasPrefix(c.ID, want) || strings.HasPrefix(strings.ToLower(c.Title), want) {
				values = append(values, c.ID)
			}
		}
	case arg.Name == "block" && ref.URI == blockTemplate.URITemplate:
		if req.Params.Context == nil || req.Params.Context.Arguments["context"] == "" {
			return nil, protocolError(fmt.Errorf("completion of block: %w: say in context.arguments which context", kaijutsu.ErrInvalid))
		}
		all, err := s.door.cfg.Resources.Blocks(ctx, call, req.Params.Context.Arguments["context"])
		if err != nil {
			return nil, s.failed("completion", err)
		}
		for _, id := range all {
			if strings.HasPrefix(id, arg.Value) {
				values = append(values, id)
			}
		}
	default:
		return nil, protocolError(fmt.Errorf("completion of %.64q: %w: %s has no such argument", arg.Name, kaijutsu.ErrInvalid, ref.URI))
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
		Values: append([]string{}, values[:min(len(values), maxCompletions)]...), Total: len(values), HasMore: len(values) > maxCompletions,
	}}, nil
}
