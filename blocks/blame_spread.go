package blocks

import "slices"

const pieceBytes = 24

// spread replaces, among the pieces of a text or list that was made by the
// operation made, those that come from elsewhere: the first elements have the
// ids behind made.
func (from origin) spread(made opID, pieces []piece) []piece {
	if from.pieces == nil {
		return pieces
	}
	return newCutter(from).spread(made, pieces)
}

func (c *cutter) spread(made opID, pieces []piece) []piece {
	var out []piece
	for _, p := range pieces {
		at := int(p.id.counter) - int(made.counter) - 1
		switch {
		case p.id.actor != made.actor || at < 0 || at >= c.elements():
			out = append(out, p)
		case p.run:
			n := min(p.n, c.elements()-at)
			out = c.append(out, c.start(at), c.start(at+n))
			if n < p.n {
				out = append(out, p.cut(n, p.n-n))
			}
		default:
			out = c.append(out, c.start(at), c.start(at+1))
		}
	}
	return out
}

// cutter cuts parts out of the pieces of an origin.
type cutter struct {
	origin
	upTo []int // where each piece ends, in code points
}

func newCutter(from origin) *cutter {
	c := &cutter{from, make([]int, len(from.pieces))}
	end := 0
	for i, p := range from.pieces {
		end += p.n
		c.upTo[i] = end
	}
	return c
}

// elements returns how many elements have an origin.
func (c *cutter) elements() int {
	if c.ends != nil {
		return len(c.ends)
	}
	return c.upTo[len(c.upTo)-1]
}

// start returns where an element begins, in code points.
func (c *cutter) start(element int) int {
	if c.ends == nil || element == 0 {
		return element
	}
	return c.ends[element-1]
}

// append adds the characters [start, end).
func (c *cutter) append(out []piece, start, end int) []piece {
	i, exact := slices.BinarySearch(c.upTo, start)
	if exact {
		i++
	}
	for ; start < end; i++ {
		p := c.pieces[i]
		skip := start - (c.upTo[i] - p.n)
		n := min(p.n-skip, end-start)
		out = append(out, p.cut(skip, n))
		start += n
	}
	return out
}
