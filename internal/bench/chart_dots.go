package bench

import (
	"fmt"
	"slices"
)

// The measures of a chart of dots, in pixels.
const (
	chartWidth = 760
	dotsLeft   = 170
	dotsRight  = 70
	dotsTop    = 62
	dotsHeight = 28 // of each contestant
	dotsBottom = 44
)

// drawDots draws a line for each contestant, with a mark for each row: the last
// row's is filled, and its value stands beside the line.
func (c chart) drawDots(all []series) []byte {
	bottom := float64(dotsTop + dotsHeight*len(all))
	s := newSVG(chartWidth, int(bottom)+dotsBottom, c.title)
	scale := c.scaleOf(all, dotsLeft, chartWidth-dotsRight)
	for _, v := range scale.ticks() {
		x := scale.at(v)
		s.line(x, dotsTop-6, x, bottom, "grid")
		s.text(x, bottom+18, "", "middle", tickText(v))
	}
	s.text((dotsLeft+chartWidth-dotsRight)/2, bottom+36, "", "middle", c.unit+" (logarithmic; left is better)")
	c.legend(s)
	if c.atMost > 0 {
		x := scale.at(c.atMost)
		s.line(x, dotsTop-6, x, bottom, "target")
		s.text(x, dotsTop-10, "goal", "middle", "target "+number(c.atMost))
	}
	for i, one := range all {
		c.drawContestant(s, scale, one, dotsTop+dotsHeight*(float64(i)+0.5))
	}
	return s.bytes()
}

// legend says which mark is which row.
func (c chart) legend(s *svg) {
	if len(c.rows) < 2 {
		return
	}
	x := float64(dotsLeft)
	for i, label := range c.labels {
		s.dot(x, 40, markRadius(i, len(c.rows)), paint{colour: "#868e96"}, i == len(c.rows)-1)
		s.text(x+10, 44, "", "start", label)
		x += 34 + 7*float64(len(label))
	}
}

// markRadius is the size of a row's mark: they grow.
func markRadius(i, n int) float64 { return 5 - 0.8*float64(n-1-i) }

func (c chart) drawContestant(s *svg, scale logScale, one series, y float64) {
	s.text(dotsLeft-14, y+4, "name", "end", one.name)
	if !one.any() {
		s.text(dotsLeft+8, y+4, "", "start", shorten(one.failed, 80))
		return
	}
	p := paintOf(one.name)
	var xs []float64
	for _, v := range one.values {
		if v > 0 {
			xs = append(xs, scale.at(v))
		}
	}
	s.stroke([][2]float64{{slices.Min(xs), y}, {slices.Max(xs), y}}, p, 3)
	for i, v := range one.values {
		if v > 0 {
			s.dot(scale.at(v), y, markRadius(i, len(one.values)), p, i == len(one.values)-1)
		}
	}
	greatest := slices.Max(one.values)
	s.text(slices.Max(xs)+12, y+4, "", "start", fmt.Sprint(number(greatest)))
}
