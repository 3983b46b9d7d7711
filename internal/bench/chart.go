package bench

import "slices"

// chart is a plot of some rows of a workload, as SVG.
type chart struct {
	file  string // its name, without .svg
	title string
	unit  string // of the values
	// rows are what is drawn: for each contestant a line through their values, if
	// across is given, else a mark for each on a line of the contestant's own.
	rows []string
	// labels name the rows: beside the marks, or below the points.
	labels []string
	across string // what differs from row to row
	// atMost is drawn as the target of the last row, or 0.
	atMost float64
}

// series is what a chart shows of one contestant.
type series struct {
	server
	values []float64 // in the order of the rows, 0: not measured
	failed string    // why there are none
}

// seriesOf returns what there is to draw; whoever has nothing and did not fail is
// left out.
func (c chart) seriesOf(s *section) (all []series) {
	for _, srv := range s.servers {
		one := series{server: srv, values: make([]float64, len(c.rows))}
		for i, name := range c.rows {
			if v, ok := s.median(name, srv.name); ok && v > 0 {
				one.values[i] = v
			}
		}
		if !one.any() {
			if one.failed = s.failed(srv.name); one.failed == "" {
				continue
			}
		}
		all = append(all, one)
	}
	return all
}

func (s series) any() bool {
	return slices.ContainsFunc(s.values, func(v float64) bool { return v > 0 })
}

// drawable reports whether there is something to draw.
func (c chart) drawable(s *section) bool { return slices.ContainsFunc(c.seriesOf(s), series.any) }

// draw returns the plot.
func (c chart) draw(s *section) []byte {
	all := c.seriesOf(s)
	if c.across != "" {
		return c.drawLines(all)
	}
	return c.drawDots(all)
}

// scaleOf is a scale that has room for all values, and for the target.
func (c chart) scaleOf(all []series, from, to float64) logScale {
	var values []float64
	for _, s := range all {
		for _, v := range s.values {
			if v > 0 {
				values = append(values, v)
			}
		}
	}
	if c.atMost > 0 {
		values = append(values, c.atMost)
	}
	return newLogScale(slices.Min(values), slices.Max(values), from, to)
}
