package mcpdoor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestSubscribe(t *testing.T) {
	p := open(t, nil)
	c := p.dial(t, "amy", withSessions, "?context=c0001")
	c.call(t, "context_create", `{"title":"plan"}`)
	c.call(t, "context_create", `{"title":"other"}`)
	c.call(t, "block_write", `{"block_id":"b1","text":"1"}`)
	c.call(t, "block_write", `{"block_id":"b2","text":"1"}`)
	follow := func(uri string) {
		t.Helper()
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
	}
	told := func(why string, want ...string) {
		t.Helper()
		got := make(map[string]bool)
		for range want {
			got[wait(t, why, c.updated)] = true
		}
		for _, uri := range want {
			if !got[uri] {
				t.Errorf("%s: told of %v, want %v", why, got, want)
			}
		}
		if len(c.updated) > 0 {
			t.Errorf("%s: told of %s, too", why, <-c.updated)
		}
	}
	const whole, one, two, byTitle = "kaijutsu://context/c0001", "kaijutsu://context/c0001/block/b1", "kaijutsu://context/c0001/block/b2", "kaijutsu://context/plan"
	follow(one)
	c.call(t, "block_write", `{"context":"other","block_id":"b1","text":"2"}`)
	c.call(t, "block_write", `{"block_id":"b2","text":"2"}`)
	c.call(t, "block_write", `{"block_id":"b1","text":"2"}`)
	told("a block", one)
	follow(whole)
	follow(byTitle)
	c.call(t, "block_write", `{"block_id":"b1","text":"3"}`)
	told("a block and its context", one, whole, byTitle)
	if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: one}); err != nil {
		t.Fatal(err)
	}
	follow(two)
	c.call(t, "block_write", `{"block_id":"b1","text":"4"}`)
	told("a context", whole, byTitle)
	p.remove("c0001")
	told("a context that is gone", whole, byTitle, two)
	if n := p.watching(); n != 1 { // that of the list
		t.Errorf("%d watches stay, want 1", n)
	}
	for _, uri := range []string{whole, "kaijutsu://context/c0002/block/none", "file:///x"} {
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err == nil {
			t.Errorf("%s can be followed", uri)
		}
	}
	if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: whole}); err != nil {
		t.Error(err)
	}
}

func TestSubscribeLimit(t *testing.T) {
	p := open(t, func(c *Config) { c.Subscriptions = 2 })
	c := p.dial(t, "amy", withSessions, "")
	for i := range 3 {
		c.call(t, "context_create", fmt.Sprintf(`{"title":"t%d"}`, i))
		err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: fmt.Sprintf("kaijutsu://context/t%d", i)})
		if (err != nil) != (i == 2) || err != nil && !strings.Contains(err.Error(), "2 resources are followed already") {
			t.Errorf("following number %d: %v", i+1, err)
		}
	}
}

func TestListChanged(t *testing.T) {
	p := open(t, nil)
	amy, bob := p.dial(t, "amy", withSessions, ""), p.dial(t, "bob", withSessions, "")
	for name, c := range map[string]*client{"amy": amy, "bob": bob} {
		// Again and again: one does not know from when on the client's stream is open.
		again := time.NewTicker(100 * time.Millisecond)
		defer again.Stop()
		told := false
		for from := time.Now(); !told; {
			if time.Since(from) > patience {
				t.Fatalf("telling %s did not happen in %v", name, patience)
			}
			amy.call(t, "context_create", `{"title":"plan"}`)
			select {
			case <-c.listed:
				told = true
			case <-again.C:
			}
		}
	}
}

// TestListen follows changes in the protocol without sessions.
func TestListen(t *testing.T) {
	p := open(t, nil)
	c := p.dial(t, "amy", "2026-07-28", "?context=plan")
	c.call(t, "context_create", `{"title":"plan"}`)
	c.call(t, "block_write", `{"block_id":"b1","text":"1"}`)
	const uri = "kaijutsu://context/plan/block/b1"
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	c.call(t, "block_write", `{"block_id":"b1","text":"2"}`)
	if got := wait(t, "telling of the block", c.updated); got != uri {
		t.Errorf("told of %s", got)
	}
	c.call(t, "context_create", `{"title":"other"}`)
	wait(t, "telling of the list", c.listed)
}
