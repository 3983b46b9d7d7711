package blocks

import (
	"strings"

	"kaijutsu/internal/textdiff"
)

// places looks for some lines of a text among the lines of what became of it.
type places struct {
	c         *comparison
	then, now []line
	lo, hi    int // the lines, in then

	// Behind the last character in front of the lines that is kept, and in
	// front of the first one behind them, in both texts.
	afterThen, afterNow   int
	beforeThen, beforeNow int
}

func newPlaces(c *comparison, then []line, lo, hi int) *places {
	p := &places{c: c, then: then, now: cutLines(c.now), lo: lo, hi: hi, beforeThen: len(c.then), beforeNow: len(c.now)}
	begin, end := then[lo].start, then[hi-1].next
	for _, k := range c.kept {
		if k.then < begin {
			n := min(k.n, begin-k.then)
			p.afterThen, p.afterNow = k.then+n, k.now+n
		}
		if k.then+k.n > end {
			skip := max(0, end-k.then)
			p.beforeThen, p.beforeNow = k.then+skip, k.now+skip
			break
		}
	}
	return p
}

// find returns the lines of now that the lines are, or else those that stand
// in their place.
func (p *places) find() (lo, hi int, stands bool) {
	n := p.hi - p.lo
	now := p.all(p.c.now, p.now, p.afterNow, p.beforeNow)
	if len(now) > 0 {
		if at, ok := p.own(now); ok {
			return at, at + n, true
		}
		then := p.all(p.c.then, p.then, p.afterThen, p.beforeThen)
		if len(now) >= len(then) {
			for i, at := range then {
				if at == p.lo {
					return now[i], now[i] + n, true
				}
			}
		}
	}
	return p.aligned()
}

// all returns where, between two characters, the lines stand in a text that has
// these lines.
func (p *places) all(text string, lines []line, after, before int) []int {
	n := p.hi - p.lo
	bare := p.then[p.hi-1].end == p.then[p.lo].start // all that it has is a line feed
	var out []int
	for at := within(lines, after); at+n <= len(lines); at++ {
		last := lines[at+n-1]
		if last.end > before || bare && last.next > before {
			break
		}
		if p.equal(text, lines[at:at+n]) {
			out = append(out, at)
		}
	}
	return out
}

// within returns the first line that begins at a position or behind it.
func within(lines []line, pos int) int {
	lo, hi := 0, len(lines)
	for lo < hi {
		if mid := (lo + hi) / 2; lines[mid].start < pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// equal reports whether lines of a text are those that are looked for.
func (p *places) equal(text string, lines []line) bool {
	for i, l := range lines {
		t := p.then[p.lo+i]
		if text[l.start:l.end] != p.c.then[t.start:t.end] {
			return false
		}
		end, was := text[l.end:l.next], p.c.then[t.end:t.next]
		if end != was && (i < len(lines)-1 || end != "" && was != "") {
			return false
		}
	}
	return true
}

// own returns the place that holds most characters of the lines themselves,
// false if none holds any.
func (p *places) own(now []int) (at int, ok bool) {
	begin, end := p.then[p.lo].start, p.then[p.hi-1].next
	most := 0
	for _, place := range now {
		first, last := p.now[place].start, p.now[place+p.hi-p.lo-1].next
		n := 0
		for _, k := range p.c.kept {
			lo := max(k.then, begin, first-k.now+k.then)
			hi := min(k.then+k.n, end, last-k.now+k.then)
			n += max(0, hi-lo)
		}
		if n > most {
			at, most = place, n
		}
	}
	return at, most > 0
}

// aligned goes by a line diff of what was and is between the two characters.
// Lines that they stand in the midst of count as a whole.
func (p *places) aligned() (lo, hi int, stands bool) {
	thenLo, thenHi := around(p.then, p.afterThen, p.beforeThen)
	nowLo, nowHi := around(p.now, p.afterNow, p.beforeNow)
	thenLo, thenHi = min(thenLo, p.lo), max(thenHi, p.hi)
	d := diffed{p.lo - thenLo, p.hi - thenLo, textdiff.Hunks(plain(p.c.then, p.then[thenLo:thenHi]), plain(p.c.now, p.now[nowLo:nowHi]))}
	lo, hi = nowLo+d.start(), nowLo+d.end()
	switch {
	case d.whole() && p.among(lo):
		return lo, hi, true
	case hi < lo || textOfLines(p.c.now, p.now, lo, hi) == textOfLines(p.c.then, p.then, p.lo, p.hi):
		return nowLo, nowHi, false // they are another copy, or parts of lines
	}
	return lo, hi, false
}

// diffed is some lines, from one to in front of another, of a text that differs
// from another by hunks.
type diffed struct {
	from, to int
	hunks    []textdiff.Hunk
}

// start returns where the lines begin in the other text, or what stands in
// their place.
func (d *diffed) start() int {
	shift := 0
	for _, h := range d.hunks {
		if h.OldEnd > d.from {
			if h.OldStart <= d.from {
				return h.NewStart
			}
			break
		}
		shift = h.NewEnd - h.OldEnd
	}
	return d.from + shift
}

// end returns where they end.
func (d *diffed) end() int {
	shift := 0
	for _, h := range d.hunks {
		if h.OldStart >= d.to {
			break
		}
		if h.OldEnd >= d.to {
			return h.NewEnd
		}
		shift = h.NewEnd - h.OldEnd
	}
	return d.to + shift
}

// whole reports whether no hunk is in the lines.
func (d *diffed) whole() bool {
	for _, h := range d.hunks {
		if h.OldStart < d.to && h.OldEnd > d.from {
			return false
		}
	}
	return true
}

// among reports whether the lines stand at a line of now, between the two
// characters.
func (p *places) among(at int) bool {
	for _, place := range p.all(p.c.now, p.now, p.afterNow, p.beforeNow) {
		if place == at {
			return true
		}
	}
	return false
}

// around returns the lines that are, in part or whole, between two positions.
func around(lines []line, after, before int) (lo, hi int) {
	lo = within(lines, after)
	if lo > 0 && lines[lo-1].start < after && lines[lo-1].next > after {
		lo--
	}
	hi = within(lines, before)
	return lo, max(lo, hi)
}

// plain returns lines with a line feed each.
func plain(text string, lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(text[l.start:l.end])
		b.WriteByte('\n')
	}
	return b.String()
}
