package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// TestEveryChartIsXML draws every chart of every workload of made-up values, one
// contestant having failed.
func TestEveryChartIsXML(t *testing.T) {
	for _, w := range workloads() {
		for _, c := range w.charts {
			t.Run(c.file, func(t *testing.T) {
				if len(c.rows) != len(c.labels) {
					t.Fatalf("%d rows and %d labels", len(c.rows), len(c.labels))
				}
				s := &section{name: w.name, servers: []server{{name: "kj"}, {name: "npm-durable"}, {name: "y-websocket"}}}
				for i, row := range c.rows {
					s.note("kj", row, 0.37*float64(i+1))
					s.note("npm-durable", row, 41234*float64(i+1))
				}
				s.fail("y-websocket", "server died: <&> \"")
				got := c.draw(s)
				d := xml.NewDecoder(bytes.NewReader(got))
				for {
					if _, err := d.Token(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatalf("no XML: %v:\n%s", err, got)
					}
				}
				for _, want := range []string{">kj<", ">npm-durable<", "prefers-color-scheme:dark"} {
					if !strings.Contains(string(got), want) {
						t.Errorf("plot without %q", want)
					}
				}
				if c.across == "" && !strings.Contains(string(got), "server died") {
					t.Error("plot does not say why one is missing")
				}
			})
		}
	}
}

func TestLogScale(t *testing.T) {
	tests := []struct {
		name            string
		least, greatest float64
		low, high       float64
		ticks           int
	}{
		{"a decade", 3, 30, 2, 50, 5},
		{"equal", 7, 7, 5, 10, 2},
		{"many decades", 0.02, 90_000, 0.01, 100_000, 8},
		{"on the steps", 1, 10, 0.5, 20, 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLogScale(tt.least, tt.greatest, 100, 500)
			if math.Abs(l.low-tt.low) > 1e-9 || math.Abs(l.high-tt.high) > 1e-6 {
				t.Errorf("scale from %v to %v, want %v to %v", l.low, l.high, tt.low, tt.high)
			}
			if got := l.ticks(); len(got) != tt.ticks {
				t.Errorf("ticks %v, want %d", got, tt.ticks)
			}
			if at := l.at(tt.greatest); at < 100 || at > 500 {
				t.Errorf("the greatest at %v, want within the scale", at)
			}
		})
	}
}
