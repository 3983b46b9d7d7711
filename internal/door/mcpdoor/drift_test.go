package mcpdoor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// post is operations on letters, and who is told of them: every book is a
// context.
type post struct {
	*shelf
	asked chan string // contexts of watches
}

type inboxIn struct {
	Context string `json:"context,omitempty"`
	Unread  bool   `json:"unread,omitempty"`
}

type handleIn struct {
	Handle string `json:"handle" rule:"minlen=1,maxlen=200"`
}

type saysOut struct {
	Says string `json:"says"`
}

// set adds the operations of letters to those of a shelf.
func (p post) set() *op.Set {
	inbox := op.Define(op.Spec{Name: "drift_inbox", Summary: "Show letters", Right: kaijutsu.RightRead}, func(_ context.Context, c op.Call, in inboxIn) (saysOut, error) {
		if in.Context == "" {
			in.Context = c.Context
		}
		return saysOut{fmt.Sprintf("%s in %q, unread: %v", c.By.Name, in.Context, in.Unread)}, nil
	})
	cite := op.Define(op.Spec{Name: "citation_resolve", Summary: "Show a citation", Right: kaijutsu.RightRead}, func(_ context.Context, _ op.Call, in handleIn) (saysOut, error) {
		if !strings.Contains(in.Handle, "/") {
			return saysOut{}, fmt.Errorf("handle %q: want context/block: %w", in.Handle, kaijutsu.ErrInvalid)
		}
		return saysOut{in.Handle}, nil
	})
	return op.NewSet(op.Gates{}, inbox, cite)
}

func (p post) WatchLetters(ctx context.Context, c op.Call, name string) (Watch, error) {
	p.asked <- name + " of " + c.Context
	if name == "" {
		return p.WatchContexts(ctx, c)
	}
	return p.Watch(ctx, c, name)
}

func openPost(t *testing.T) (*place, post) {
	p := post{newShelf(), make(chan string, 10)}
	p.books["c1"] = &book{id: "c1", title: "plan", blocks: map[string]string{}}
	return open(t, func(c *Config) { c.Set, c.Resources, c.Watcher, c.Letters = p.set(), p.shelf, p.shelf, p }), p
}

func TestDriftResources(t *testing.T) {
	p, _ := openPost(t)
	const handle = "0198a000-0000-7000-8000-000000000001/0198a000-0000-7000-8000-00000000000a@0123456789abcdef,fedcba9876543210#3-7"
	for _, version := range []string{withSessions, "2026-07-28"} {
		c := p.dial(t, "amy", version, "?context=plan")
		list, err := c.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 2 || list.Resources[0].URI != "kaijutsu://drift/inbox" {
			t.Fatalf("resources = %+v, %v, want the inbox first", list, err)
		}
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, tmpl := range templates.ResourceTemplates {
			all = append(all, tmpl.URITemplate)
		}
		for _, want := range []string{"kaijutsu://drift/inbox/{context}", "kaijutsu://cite/{+handle}"} {
			if !strings.Contains(strings.Join(all, " "), want) {
				t.Errorf("templates = %v, want %s among them", all, want)
			}
		}
		for uri, want := range map[string]string{
			"kaijutsu://drift/inbox":                        `amy in "plan", unread: true`,
			"kaijutsu://drift/inbox/My%20plan":              `amy in "My plan", unread: true`,
			"kaijutsu://drift/inbox/.parent":                `amy in ".parent", unread: true`,
			"kaijutsu://drift/inbox/main:plan b":            `amy in "main:plan b", unread: true`,
			"kaijutsu://cite/" + handle:                     handle,
			"kaijutsu://cite/" + escape(handle):             handle,
			"kaijutsu://cite/My%20plan/b1@0123456789#3":     "My plan/b1@0123456789#3",
			"kaijutsu://cite/My plan/b1":                    "My plan/b1",
			"kaijutsu://cite/main:日本/b1@0123456789%230%253": "main:日本/b1@0123456789#0%3",
			"kaijutsu://cite/nothing":                       "error",
			"kaijutsu://cite/":                              "error",
			"kaijutsu://cite/%zz":                           "error",
			"kaijutsu://drift/inbox/":                       "error",
			"kaijutsu://drift/inbox/a/b":                    "error",
			"kaijutsu://drift":                              "error",
		} {
			got := "error"
			r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err == nil {
				var out saysOut
				if err := json.Unmarshal([]byte(r.Contents[0].Text), &out); err != nil {
					t.Fatal(err)
				}
				got = out.Says
				if r.Contents[0].URI != uri || r.Contents[0].MIMEType != "application/json" {
					t.Errorf("%s is answered as %s, %s", uri, r.Contents[0].URI, r.Contents[0].MIMEType)
				}
			}
			if got != want {
				t.Errorf("%s %s = %q (%v), want %q", version, uri, got, err, want)
			}
		}
	}
}

// TestInboxFollowed: who subscribes to an inbox is told when something comes.
func TestInboxFollowed(t *testing.T) {
	p, post := openPost(t)
	for _, version := range []string{withSessions, "2026-07-28"} {
		c := p.dial(t, "amy", version, "?context=plan")
		for _, x := range []struct{ uri, asked, book string }{
			{"kaijutsu://drift/inbox", " of plan", ""},
			{"kaijutsu://drift/inbox/c1", "c1 of plan", "c1"},
		} {
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: x.uri}); err != nil {
				t.Fatal(err)
			}
			if got := wait(t, "following", post.asked); got != x.asked {
				t.Errorf("%s follows %q, want %q", x.uri, got, x.asked)
			}
			post.mu.Lock()
			post.tellLocked(x.book)
			post.mu.Unlock()
			if got := wait(t, "telling of "+x.uri, c.updated); got != x.uri {
				t.Errorf("told of %s, want %s", got, x.uri)
			}
			if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: x.uri}); err != nil {
				t.Error(err)
			}
		}
		// A stream of the later version begins whatever of it cannot be followed.
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "kaijutsu://cite/a/b"}); err == nil && version == withSessions {
			t.Error("a citation can be followed")
		}
	}
}

// TestNoDriftResources: where the operations are not, neither are their
// resources.
func TestNoDriftResources(t *testing.T) {
	c := open(t, nil).dial(t, "amy", withSessions, "")
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 2 {
		t.Errorf("templates = %+v, %v, want contexts and blocks", templates, err)
	}
	for _, uri := range []string{"kaijutsu://drift/inbox", "kaijutsu://cite/a/b"} {
		if r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s = %+v", uri, r)
		}
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err == nil {
			t.Errorf("%s can be followed", uri)
		}
	}
}
