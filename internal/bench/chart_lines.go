package bench

import (
	"cmp"
	"slices"
)

// The measures of a chart of lines, in pixels.
const (
	linesLeft   = 64
	linesRight  = 190
	linesTop    = 44
	linesBottom = 380
	linesHeight = 430
	linesApart  = 15 // names beside the lines' ends, at least
)

// drawLines draws a line for each contestant, through the values of the rows.
// Each has its name at its end.
func (c chart) drawLines(all []series) []byte {
	s := newSVG(chartWidth, linesHeight, c.title)
	scale := c.scaleOf(all, linesBottom, linesTop)
	for _, v := range scale.ticks() {
		y := scale.at(v)
		s.line(linesLeft, y, chartWidth-linesRight, y, "grid")
		s.text(linesLeft-8, y+4, "", "end", tickText(v))
	}
	s.text(linesLeft-8, linesTop-10, "", "end", c.unit)
	for i, label := range c.labels {
		s.text(c.x(i), linesBottom+20, "", "middle", label)
	}
	s.text((linesLeft+chartWidth-linesRight)/2, linesBottom+40, "", "middle", c.across+" (both axes logarithmic; lower is better)")
	if c.atMost > 0 {
		y := scale.at(c.atMost)
		s.line(linesLeft, y, chartWidth-linesRight, y, "target")
		s.text(linesLeft+4, y-5, "goal", "start", "target at "+c.labels[len(c.labels)-1]+": "+number(c.atMost))
	}
	var names []lineName
	for _, one := range all {
		if n, ok := c.drawLine(s, scale, one); ok {
			names = append(names, n)
		}
	}
	for _, n := range apart(names) {
		s.stroke([][2]float64{{n.x + 6, n.from}, {chartWidth - linesRight + 24, n.y}}, paint{colour: "#868e96"}, 0.6)
		s.text(chartWidth-linesRight+28, n.y+4, "name", "start", n.text)
	}
	return s.bytes()
}

// x is where the values of a row stand.
func (c chart) x(i int) float64 {
	const inset = 24
	from, to := float64(linesLeft+inset), float64(chartWidth-linesRight-inset)
	if len(c.rows) < 2 {
		return (from + to) / 2
	}
	return from + (to-from)*float64(i)/float64(len(c.rows)-1)
}

// lineName is a name at the end of a line, which is at from.
type lineName struct {
	x, y, from float64
	text       string
}

func (c chart) drawLine(s *svg, scale logScale, one series) (lineName, bool) {
	var points [][2]float64
	for i, v := range one.values {
		if v > 0 {
			points = append(points, [2]float64{c.x(i), scale.at(v)})
		}
	}
	if len(points) == 0 {
		return lineName{}, false
	}
	p, width := paintOf(one.name), 2.0
	if one.name == oursName {
		width = 3.5
	}
	s.stroke(points, p, width)
	for _, at := range points {
		s.dot(at[0], at[1], 3, p, true)
	}
	end := points[len(points)-1]
	return lineName{end[0], end[1], end[1], one.name}, true
}

// apart moves names that would cover each other.
func apart(names []lineName) []lineName {
	slices.SortFunc(names, func(a, b lineName) int { return cmp.Compare(a.y, b.y) })
	for i := range names {
		if i > 0 {
			names[i].y = max(names[i].y, names[i-1].y+linesApart)
		}
	}
	limit := float64(linesBottom)
	for i := len(names) - 1; i >= 0; i-- {
		names[i].y = min(names[i].y, limit)
		limit = names[i].y - linesApart
	}
	return names
}
