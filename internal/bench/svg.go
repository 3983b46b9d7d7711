package bench

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// svg is a picture that is being drawn. Its colours are readable on light ground
// and on dark, and it follows what the reader prefers.
type svg struct {
	b             bytes.Buffer
	width, height int
}

const svgStyle = `<style>
text{font:12px -apple-system,BlinkMacSystemFont,"Segoe UI",Helvetica,Arial,sans-serif;fill:#59636e}
.title{font-size:14px;font-weight:600;fill:#1f2328}
.name{fill:#1f2328}
.grid{stroke:#d1d9e0;stroke-width:1}
.target{stroke:#d1242f;stroke-width:1.5;stroke-dasharray:5 3}
.goal{fill:#d1242f}
@media (prefers-color-scheme:dark){
text{fill:#9198a1}
.title,.name{fill:#f0f6fc}
.grid{stroke:#3d444d}
.target{stroke:#f85149}
.goal{fill:#f85149}
}
</style>
`

func newSVG(width, height int, title string) *svg {
	s := &svg{width: width, height: height}
	fmt.Fprintf(&s.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", width, height, width, height, quote(title))
	s.b.WriteString(svgStyle)
	s.text(12, 22, "title", "start", title)
	return s
}

func (s *svg) bytes() []byte {
	s.b.WriteString("</svg>\n")
	return s.b.Bytes()
}

// quote makes a text part of XML.
func quote(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // into memory
	return b.String()
}

func (s *svg) text(x, y float64, class, anchor, text string) {
	fmt.Fprintf(&s.b, `<text x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>`+"\n", x, y, class, anchor, quote(text))
}

func (s *svg) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&s.b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>`+"\n", x1, y1, x2, y2, class)
}

// stroke is a line in the colour of a contestant.
func (s *svg) stroke(points [][2]float64, p paint, width float64) {
	fmt.Fprintf(&s.b, `<polyline fill="none" stroke="%s" stroke-width="%.1f" stroke-linejoin="round"%s points="`, p.colour, width, p.dashes())
	for _, at := range points {
		fmt.Fprintf(&s.b, "%.1f,%.1f ", at[0], at[1])
	}
	s.b.WriteString(`"/>` + "\n")
}

// dot is a mark, filled or hollow.
func (s *svg) dot(x, y, radius float64, p paint, filled bool) {
	fill := "none"
	if filled {
		fill = p.colour
	}
	fmt.Fprintf(&s.b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" stroke="%s" stroke-width="2"/>`+"\n", x, y, radius, fill, p.colour)
}

// paint is how a contestant is drawn.
type paint struct {
	colour string
	dashed bool
}

func (p paint) dashes() string {
	if !p.dashed {
		return ""
	}
	return ` stroke-dasharray="6 4"`
}

// paintOf returns the colour of a contestant: of one name with and without
// -durable the same, the durable one dashed.
func paintOf(name string) paint {
	base, dashed := strings.CutSuffix(name, "-durable")
	colour := map[string]string{
		oursName: "#e8590c", relayName: "#868e96", "npm": "#1c7ed6", "hocuspocus": "#2f9e44", "y-websocket": "#9c36b5",
	}[base]
	if colour == "" {
		colour = "#868e96"
	}
	return paint{colour, dashed}
}

// logScale puts values on an axis, by their logarithm.
type logScale struct{ low, high, from, to float64 }

// newLogScale is a scale of whole steps of 1, 2 and 5 that holds the values.
func newLogScale(least, greatest, from, to float64) logScale {
	low, high := step125(least*0.98, false), step125(greatest*1.02, true)
	if low >= high {
		high = low * 10
	}
	return logScale{low, high, from, to}
}

// step125 returns the step at or before a value, or at or behind it.
func step125(v float64, up bool) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v)))
	best := decade
	for _, m := range []float64{1, 2, 5, 10} {
		if m*decade <= v {
			best = m * decade
		} else if up {
			return m * decade
		}
	}
	return best
}

func (l logScale) at(v float64) float64 {
	return l.from + (l.to-l.from)*(math.Log(v)-math.Log(l.low))/(math.Log(l.high)-math.Log(l.low))
}

// ticks are the steps of the scale, only those of 10 when there are many.
func (l logScale) ticks() (all []float64) {
	steps := []float64{1, 2, 5}
	if math.Log10(l.high/l.low) > 3 {
		steps = steps[:1]
	}
	for decade := math.Floor(math.Log10(l.low)); decade <= math.Ceil(math.Log10(l.high)); decade++ {
		for _, m := range steps {
			if v := m * math.Pow(10, decade); v >= l.low*0.999 && v <= l.high*1.001 {
				all = append(all, v)
			}
		}
	}
	return all
}

// tickText writes the value of a tick.
func tickText(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%gM", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%gk", v/1e3)
	}
	return fmt.Sprintf("%g", math.Round(v*1e6)/1e6)
}
