package mcpdoor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestResources(t *testing.T) {
	for _, version := range []string{withSessions, "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			p := open(t, nil)
			c := p.dial(t, "amy", version, "")
			c.call(t, "context_create", `{"title":"my plan"}`)
			c.call(t, "block_write", `{"context":"c0001","block_id":"b1","text":"first"}`)
			for _, r := range []struct{ uri, mime, text string }{
				{"kaijutsu://context/c0001", "text/markdown", "# my plan\n\nfirst\n"},
				{"kaijutsu://context/my%20plan", "text/markdown", "# my plan\n\nfirst\n"},
				{"kaijutsu://context/c0001/block/b1", "text/plain", "first"},
			} {
				got, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.uri})
				if err != nil {
					t.Errorf("read %s: %v", r.uri, err)
					continue
				}
				if x := got.Contents[0]; x.Text != r.text || x.MIMEType != r.mime || x.URI != r.uri {
					t.Errorf("read %s = %+v, want %s %q", r.uri, x, r.mime, r.text)
				}
			}
			for _, uri := range []string{"kaijutsu://context/none", "kaijutsu://context/c0001/block/none", "kaijutsu://context/", "kaijutsu://context/c0001/block/", "file:///etc/passwd", "kaijutsu://context/a/b/c"} {
				_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				var rpc *jsonrpc.Error
				if !errors.As(err, &rpc) {
					t.Errorf("read %s: %v, want an error of the protocol", uri, err)
				}
			}
			templates, err := c.ListResourceTemplates(t.Context(), nil)
			if err != nil || len(templates.ResourceTemplates) != 2 {
				t.Errorf("templates = %v, %v", templates, err)
			}
		})
	}
}

func TestResourcePages(t *testing.T) {
	p := open(t, nil)
	c := p.dial(t, "amy", withSessions, "")
	const n = 2*pageSize + 7
	for i := range n {
		c.call(t, "context_create", fmt.Sprintf(`{"title":"t%d"}`, i))
	}
	var uris []string
	pages, cursor := 0, ""
	for {
		list, err := c.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
		}
		pages++
		if cursor = list.NextCursor; cursor == "" {
			break
		}
	}
	if len(uris) != n || pages != 3 || !slices.IsSorted(uris) || len(slices.Compact(slices.Clone(uris))) != n {
		t.Errorf("%d resources on %d pages, want %d on 3, each once", len(uris), pages, n)
	}
	if _, err := c.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: "%"}); err == nil {
		t.Error("a made-up cursor is taken")
	}
}

func TestCompletion(t *testing.T) {
	p := open(t, nil)
	c := p.dial(t, "amy", withSessions, "")
	for _, title := range []string{"Plan A", "plan b", "other"} {
		c.call(t, "context_create", fmt.Sprintf(`{"title":%q}`, title))
	}
	for i := range 120 {
		c.call(t, "block_write", fmt.Sprintf(`{"context":"c0001","block_id":"x%03d","text":""}`, i))
	}
	for _, x := range []struct {
		name, uri, arg, value string
		given                 map[string]string
		want                  string // values, or the count of them and of all, or "error"
	}{
		{"contexts by title", contextTemplate.URITemplate, "context", "PLAN", nil, "c0001 c0002"},
		{"contexts by id", blockTemplate.URITemplate, "context", "c0003", nil, "c0003"},
		{"no such context", contextTemplate.URITemplate, "context", "zzz", nil, ""},
		{"blocks", blockTemplate.URITemplate, "block", "x11", map[string]string{"context": "c0001"}, "x110 x111 x112 x113 x114 x115 x116 x117 x118 x119"},
		{"many blocks", blockTemplate.URITemplate, "block", "x", map[string]string{"context": "c0001"}, "100 of 120"},
		{"blocks of nothing", blockTemplate.URITemplate, "block", "x", nil, "error"},
		{"another argument", contextTemplate.URITemplate, "block", "x", nil, "error"},
		{"another template", "kaijutsu://{x}", "x", "", nil, "error"},
	} {
		t.Run(x.name, func(t *testing.T) {
			r, err := c.Complete(t.Context(), &mcp.CompleteParams{
				Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: x.uri},
				Argument: mcp.CompleteParamsArgument{Name: x.arg, Value: x.value},
				Context:  &mcp.CompleteContext{Arguments: x.given},
			})
			got := "error"
			if err == nil {
				slices.Sort(r.Completion.Values)
				got = strings.Join(r.Completion.Values, " ")
				if r.Completion.HasMore {
					got = fmt.Sprintf("%d of %d", len(r.Completion.Values), r.Completion.Total)
				}
			}
			if got != x.want {
				t.Errorf("completion = %q (%v), want %q", got, err, x.want)
			}
		})
	}
}

func FuzzParseURI(f *testing.F) {
	for _, s := range []string{"kaijutsu://context/a", "kaijutsu://context/a/block/b", "kaijutsu://context/%zz", "kaijutsu://context/%2F/block/%2Fblock%2F", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		context, block, err := (&session{door: &Door{}}).parseURI(uri)
		if err != nil {
			return
		}
		again, b, err := (&session{door: &Door{}}).parseURI(uriOf(context, block))
		if err != nil || again != context || b != block {
			t.Errorf("%q is %q, %q; written again it is %q, %q, %v", uri, context, block, again, b, err)
		}
	})
}
