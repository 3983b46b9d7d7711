package blocks

import "sort"

// all returns where the lines stand among lines of a text, in time that grows
// with those: the search is that of D. Knuth, J. Morris and V. Pratt (Fast
// Pattern Matching in Strings, SIAM Journal on Computing 6, 1977), on the
// numbers of lines. The last line may differ in its line feed, and is looked at
// by itself.
func (p *places) all(text string, lines []line, home lineRange) []int {
	pattern := p.numbered(p.c.then, p.then[p.lo:p.hi-1])
	hay := p.numbered(text, lines[home.lo:home.hi])
	fail := prefixes(pattern)
	var out []int
	matched := 0
	for at := range hay { // hay[at] is the last line, if those in front of it match
		if matched == len(pattern) {
			if p.same(text, lines[home.lo+at], len(pattern)) {
				out = append(out, home.lo+at-len(pattern))
			}
			if matched > 0 {
				matched = fail[matched-1]
			}
		}
		for matched > 0 && pattern[matched] != hay[at] {
			matched = fail[matched-1]
		}
		if len(pattern) > 0 && pattern[matched] == hay[at] {
			matched++
		}
	}
	return out
}

// numbered returns the numbers of lines; those that are the same have the same.
func (p *places) numbered(text string, lines []line) []int32 {
	out := make([]int32, len(lines))
	for i, l := range lines {
		n, ok := p.numbers[text[l.start:l.next]]
		if !ok {
			n = int32(len(p.numbers))
			p.numbers[text[l.start:l.next]] = n
		}
		out[i] = n
	}
	return out
}

// prefixes returns, for each beginning of a pattern, the length of the longest
// shorter one that it ends with.
func prefixes(pattern []int32) []int {
	fail := make([]int, len(pattern))
	for i, k := 1, 0; i < len(pattern); i++ {
		for k > 0 && pattern[k] != pattern[i] {
			k = fail[k-1]
		}
		if pattern[k] == pattern[i] {
			k++
		}
		fail[i] = k
	}
	return fail
}

// own returns the place that holds most characters of the lines themselves,
// false if none holds any.
func (p *places) own(now []int) (at int, ok bool) {
	before := p.keptOf(p.then[p.lo].start, p.then[p.hi-1].next)
	most := 0
	for _, place := range now {
		held := before(p.now[place+p.hi-p.lo-1].next) - before(p.now[place].start)
		if held > most {
			at, most = place, held
		}
	}
	return at, most > 0
}

// keptOf returns a function that tells how many bytes of a part of then are in
// front of a position of now.
func (p *places) keptOf(begin, end int) func(pos int) int {
	var list []stretchKept
	sums := []int{0}
	for k := p.keptFrom(begin); k < len(p.c.kept) && p.c.kept[k].then < end; k++ {
		s := p.c.kept[k]
		from, to := max(s.then, begin), min(s.then+s.n, end)
		list = append(list, stretchKept{now: s.now + from - s.then, n: to - from})
		sums = append(sums, sums[len(sums)-1]+to-from)
	}
	return func(pos int) int {
		i := sort.Search(len(list), func(i int) bool { return list[i].now+list[i].n > pos })
		if i < len(list) && list[i].now < pos {
			return sums[i] + pos - list[i].now
		}
		return sums[i]
	}
}
