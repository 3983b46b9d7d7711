package httpdoor

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/op"
)

// BenchmarkDoor measures what the door adds to a call: one operation straight
// from the set and over HTTP on the loopback, in turns, so that both see the
// same machine. It reports the medians and their difference in µs.
func BenchmarkDoor(b *testing.B) {
	for _, size := range []int{20, 2000} {
		b.Run(fmt.Sprintf("%d_characters", size), func(b *testing.B) {
			set := (&notes{texts: make(map[string]string)}).set(op.Gates{})
			server := serve(b, Config{Set: set})
			client := server.Client()
			params := fmt.Sprintf(`{"note_id":"a","text":%q}`, strings.Repeat("x", size))
			r, err := http.NewRequest(http.MethodPost, server.URL, nil)
			if err != nil {
				b.Fatal(err)
			}
			call, err := identify(r)
			if err != nil {
				b.Fatal(err)
			}
			var direct, over []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				from := time.Now()
				if _, err := set.Call(b.Context(), call, "note_write", json.RawMessage(params)); err != nil {
					b.Fatal(err)
				}
				direct = append(direct, time.Since(from))
				from = time.Now()
				resp, err := client.Post(server.URL+"/v1/ops/note_write", "application/json", strings.NewReader(params))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
					b.Fatal(resp.Status, err)
				}
				resp.Body.Close()
				over = append(over, time.Since(from))
			}
			set1, http1 := median(direct), median(over)
			b.ReportMetric(set1, "set-µs")
			b.ReportMetric(http1, "http-µs")
			b.ReportMetric(http1-set1, "added-µs")
		})
	}
}

// median returns the middle of durations in µs.
func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Nanoseconds()) / 1000
}
