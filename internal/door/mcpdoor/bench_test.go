package mcpdoor

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// BenchmarkDoor measures what the door adds to a call: one operation straight
// from the set and by a client of the library, in turns, so that both see the
// same machine. It reports the medians and their difference in µs; the
// client's own work is part of that.
func BenchmarkDoor(b *testing.B) {
	for _, way := range []struct {
		name string
		dial func(*testing.B, *place) *client
	}{
		{"in_memory", func(b *testing.B, p *place) *client {
			theirs, ours := mcp.NewInMemoryTransports()
			call := op.Call{By: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}, Right: kaijutsu.RightEdit, Door: "mcp"}
			if _, err := p.door.newSession("memory", call).server.Connect(b.Context(), ours, nil); err != nil {
				b.Fatal(err)
			}
			return connect(b, theirs, withSessions)
		}},
		{"http_with_session", func(b *testing.B, p *place) *client { return p.dial(b, "amy", withSessions, "") }},
		{"http_without", func(b *testing.B, p *place) *client { return p.dial(b, "amy", "2026-07-28", "") }},
	} {
		for _, size := range []int{20, 2000} {
			b.Run(fmt.Sprintf("%s/%d_characters", way.name, size), func(b *testing.B) {
				p := open(b, nil)
				c := way.dial(b, p)
				c.call(b, "context_create", `{"title":"plan"}`)
				params := json.RawMessage(fmt.Sprintf(`{"context":"plan","block_id":"b1","text":%q}`, strings.Repeat("x", size)))
				by := op.Call{By: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}, Right: kaijutsu.RightEdit}
				var direct, over []time.Duration
				b.ReportAllocs()
				for b.Loop() {
					from := time.Now()
					if _, err := p.door.cfg.Set.Call(b.Context(), by, "block_write", params); err != nil {
						b.Fatal(err)
					}
					direct = append(direct, time.Since(from))
					from = time.Now()
					r, err := c.CallTool(b.Context(), &mcp.CallToolParams{Name: "block_write", Arguments: params})
					if err != nil || r.IsError {
						b.Fatal(r, err)
					}
					over = append(over, time.Since(from))
				}
				set1, mcp1 := median(direct), median(over)
				b.ReportMetric(set1, "set-µs")
				b.ReportMetric(mcp1, "mcp-µs")
				b.ReportMetric(mcp1-set1, "added-µs")
			})
		}
	}
}

// BenchmarkDoorAlone is the same without a client of the library: what of the
// above is the server's.
func BenchmarkDoorAlone(b *testing.B) {
	for _, version := range []string{withSessions, "2026-07-28"} {
		b.Run(version, func(b *testing.B) {
			p := open(b, nil)
			p.dial(b, "amy", withSessions, "").call(b, "context_create", `{"title":"plan"}`)
			params := `{"context":"plan","block_id":"b1","text":"xxxxxxxxxxxxxxxxxxxx"}`
			meta, headers := "", []string{"Mcp-Protocol-Version: " + version}
			if version == withSessions {
				resp, _ := p.raw(b, http.MethodPost, hello)
				headers = append(headers, "Mcp-Session-Id: "+resp.Header.Get(sessionHeader))
			} else {
				headers = append(headers, "Mcp-Method: tools/call", "Mcp-Name: block_write")
				meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`
			}
			by := op.Call{By: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}, Right: kaijutsu.RightEdit}
			var direct, over []time.Duration
			b.ReportAllocs()
			for i := 2; b.Loop(); i++ {
				from := time.Now()
				if _, err := p.door.cfg.Set.Call(b.Context(), by, "block_write", json.RawMessage(params)); err != nil {
					b.Fatal(err)
				}
				direct = append(direct, time.Since(from))
				from = time.Now()
				_, body := p.raw(b, http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s"name":"block_write","arguments":%s}}`, i, meta, params), headers...)
				over = append(over, time.Since(from))
				if !strings.Contains(body, `"structuredContent"`) {
					b.Fatal(body)
				}
			}
			set1, mcp1 := median(direct), median(over)
			b.ReportMetric(set1, "set-µs")
			b.ReportMetric(mcp1, "mcp-µs")
			b.ReportMetric(mcp1-set1, "added-µs")
		})
	}
}

// median returns the middle of durations in µs.
func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Nanoseconds()) / 1000
}
