package blocks

import (
	"sort"
	"strings"

	"kaijutsu/internal/textdiff"
)

// places looks for some lines of a text among the lines of what became of it.
type places struct {
	c         *comparison
	then, now []line
	lo, hi    int // the lines, in then
	// home is what lies between the nearest lines around that remain.
	homeThen, homeNow lineRange

	numbers map[string]int32 // of lines with their line feeds
}

// lineRange is the lines from lo to in front of hi.
type lineRange struct{ lo, hi int }

func newPlaces(c *comparison, then []line, lo, hi int) *places {
	p := &places{c: c, then: then, now: cutLines(c.now), lo: lo, hi: hi, numbers: make(map[string]int32)}
	p.homeThen, p.homeNow = lineRange{0, len(then)}, lineRange{0, len(p.now)}
	for i := lo - 1; i >= 0; i-- {
		if at, ok := p.remains(i, false); ok {
			p.homeThen.lo, p.homeNow.lo = i+1, at+1
			break
		}
	}
	for i := hi; i < len(then); i++ {
		if at, ok := p.remains(i, true); ok {
			p.homeThen.hi, p.homeNow.hi = i, max(at, p.homeNow.lo)
			break
		}
	}
	return p
}

// remains returns the line of now that line i of then is: one that says the
// same and holds characters of it, of several the one that holds most; of
// those the first, or the last.
func (p *places) remains(i int, last bool) (at int, ok bool) {
	l := p.then[i]
	begin, end := l.start, l.end
	if begin == end {
		end = l.next // it has nothing but its line feed
	}
	held := make(map[int]int)
	for k := p.keptFrom(begin); k < len(p.c.kept) && p.c.kept[k].then < end; k++ {
		s := p.c.kept[k]
		from, to := max(s.then, begin)-s.then+s.now, min(s.then+s.n, end)-s.then+s.now
		for n := p.lineOf(from); n < len(p.now) && p.now[n].start < to; n++ {
			held[n] += min(to, p.now[n].next) - max(from, p.now[n].start)
		}
	}
	most := 0
	for n, bytes := range held {
		same := p.c.now[p.now[n].start:p.now[n].end] == p.c.then[l.start:l.end]
		if same && (bytes > most || bytes == most && (n > at) == last) {
			at, most = n, bytes
		}
	}
	return at, most > 0
}

// keptFrom returns the first kept stretch that ends behind a position of then.
func (p *places) keptFrom(pos int) int {
	return sort.Search(len(p.c.kept), func(k int) bool { return p.c.kept[k].then+p.c.kept[k].n > pos })
}

// lineOf returns the line of now that holds a position.
func (p *places) lineOf(pos int) int {
	return sort.Search(len(p.now), func(n int) bool { return p.now[n].next > pos })
}

// find returns the lines of now that the lines are, or else those that stand
// in their place.
func (p *places) find() (lo, hi int, stands bool) {
	n := p.hi - p.lo
	now := p.all(p.c.now, p.now, p.homeNow)
	if len(now) > 0 {
		if at, ok := p.own(now); ok {
			return at, at + n, true
		}
		then := p.all(p.c.then, p.then, p.homeThen)
		if len(now) >= len(then) {
			at := now[sort.SearchInts(then, p.lo)]
			return at, at + n, true
		}
	}
	return p.aligned()
}

// equal reports whether lines of a text are those that are looked for.
func (p *places) equal(text string, lines []line) bool {
	for i, l := range lines {
		if !p.same(text, l, i) {
			return false
		}
	}
	return true
}

// same reports whether a line of a text is line i of those that are looked for.
func (p *places) same(text string, l line, i int) bool {
	t := p.then[p.lo+i]
	if text[l.start:l.end] != p.c.then[t.start:t.end] {
		return false
	}
	end, was := text[l.end:l.next], p.c.then[t.end:t.next]
	return end == was || i == p.hi-p.lo-1 && (end == "" || was == "")
}

// maxAligned is how many lines a line diff is made of: more would keep whoever
// waits for the block waiting.
const maxAligned = 20_000

// aligned goes by a line diff of what was and is between the lines that remain.
func (p *places) aligned() (lo, hi int, stands bool) {
	then, now := p.homeThen, p.homeNow
	d := diffed{from: p.lo - then.lo, to: p.hi - then.lo}
	if n, m := then.hi-then.lo, now.hi-now.lo; n+m > maxAligned {
		d.hunks = []textdiff.Hunk{{OldEnd: n, NewEnd: m}}
	} else {
		d.hunks = textdiff.Hunks(plain(p.c.then, p.then[then.lo:then.hi]), plain(p.c.now, p.now[now.lo:now.hi]))
	}
	lo, hi = now.lo+d.start(), now.lo+d.end()
	stands = d.whole() && hi-lo == p.hi-p.lo && p.equal(p.c.now, p.now[lo:hi])
	return lo, max(lo, hi), stands
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

// plain returns lines with a line feed each.
func plain(text string, lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(text[l.start:l.end])
		b.WriteByte('\n')
	}
	return b.String()
}
