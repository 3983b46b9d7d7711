package blocks

import (
	"math/rand/v2"
	"strings"
)

// Order keys. A block's place among its siblings is a string of base-62
// digits, compared bytewise. The keys that we make are levels, one behind the
// other; a level is an integer, four random digits and a counter:
//
//	a5 k3Xq a1        the sixth place, of whoever drew k3Xq, first block
//	a5 k3Xq a2        the next one of the same run
//	a5 k3Xq a1 a0 …   a level below: between the two above
//
// Integers sort as text and have no end in either direction (a0 … az, b00 …;
// below a0 come Zz … Z0, Yzz …), so that keys stay short however many blocks
// are added at one place. The random digits keep runs that several replicas
// write at one place at the same time apart, each in one piece. Keys that
// other programs make need no such shape.

const (
	orderDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	zeroPlace   = "a0"
	firstOfRun  = "a1"
	jitterChars = 4
	// maxPlaceChars bounds the integers that are counted on from.
	maxPlaceChars = 12
	// maxLevels is how many levels of a key are looked at: ours have a few.
	maxLevels = 64
	// longKey is from where on no level is added while there is a digit with
	// room: halving one gap over and over would add a level each time.
	longKey = 48
)

// gap is where a key is wanted: above low, and below high unless open.
type gap struct {
	low, high string
	open      bool
	// afterOwn and beforeOwn say that the neighbour's author is the one who
	// inserts: the run goes on.
	afterOwn, beforeOwn bool
	// down prefers keys counted down from high.
	down bool
}

func (g gap) fits(key string) bool { return key > g.low && (g.open || key < g.high) }

// key returns a key in the gap, false if there is no room: between equal keys,
// or between some that other programs made.
func (g gap) key() (string, bool) {
	steps := []func() (string, bool){g.above, g.below}
	if g.down {
		steps[0], steps[1] = steps[1], steps[0]
	}
	if len(g.low) < longKey {
		steps = append(steps, g.inside, g.middle)
	} else {
		steps = append(steps, g.middle, g.inside)
	}
	for _, step := range steps {
		if key, ok := step(); ok && g.fits(key) {
			return key, true
		}
	}
	return "", false
}

// above counts on from low.
func (g gap) above() (string, bool) { return g.count(g.low, g.afterOwn, increment) }

// below counts down from high.
func (g gap) below() (string, bool) {
	if g.open {
		return "", false
	}
	return g.count(g.high, g.beforeOwn, decrement)
}

// count takes a step from a key: within its run if that goes on, else to the
// next place, of the highest level with room, which makes the shortest key.
func (g gap) count(from string, own bool, step func(string) (string, bool)) (string, bool) {
	levels := parseLevels(from)
	if n := len(levels); own && n > 0 && levels[n-1].whole {
		l := levels[n-1]
		if c, ok := step(l.counter); ok && g.fits(l.before+l.place+l.jitter+c) {
			return l.before + l.place + l.jitter + c, true
		}
	}
	for _, l := range levels {
		if p, ok := step(l.place); ok {
			if key := l.before + p + jitter() + firstOfRun; g.fits(key) {
				return key, true
			}
		}
	}
	return "", false
}

// inside opens a level below low.
func (g gap) inside() (string, bool) { return g.low + zeroPlace + jitter() + firstOfRun, true }

// middle finds a key between two of any shape, digit by digit.
func (g gap) middle() (string, bool) {
	var key strings.Builder
	free := g.open // the key is below high already
	for i := 0; i <= len(g.low) || !free && i < len(g.high); i++ {
		low, high := 0, len(orderDigits)
		if i < len(g.low) {
			low = strings.IndexByte(orderDigits, g.low[i])
		}
		if !free && i < len(g.high) {
			high = strings.IndexByte(orderDigits, g.high[i])
		}
		if low < 0 || high < 0 || !free && high < low {
			return "", false
		}
		if high-low > 1 {
			key.WriteByte(orderDigits[low+1+rand.IntN(high-low-1)])
			return key.String() + jitter(), true
		}
		key.WriteByte(orderDigits[low])
		free = free || low < high
	}
	return key.String() + jitter(), true
}

// level is one level of a key, or what of it can be made out.
type level struct {
	before  string // the levels above
	place   string // an integer
	jitter  string
	counter string // an integer
	whole   bool   // all of them are there
}

// parseLevels takes the first levels of a key apart, as far as it has our shape.
// Of the last one at least the place is there.
func parseLevels(key string) []level {
	var levels []level
	for at := 0; at < len(key) && len(levels) < maxLevels; {
		l := level{before: key[:at]}
		rest := key[at:]
		n := integerChars(rest)
		if n == 0 {
			break
		}
		l.place, rest = rest[:n], rest[n:]
		c := 0
		if len(rest) >= jitterChars {
			c = integerChars(rest[jitterChars:])
		}
		if c == 0 {
			return append(levels, l)
		}
		l.jitter, l.counter, l.whole = rest[:jitterChars], rest[jitterChars:jitterChars+c], true
		levels = append(levels, l)
		at += n + jitterChars + c
	}
	return levels
}

// integerChars returns the length of the integer that s begins with, 0 if none.
func integerChars(s string) int {
	if s == "" {
		return 0
	}
	n := 0
	switch c := s[0]; {
	case c >= 'a' && c <= 'z':
		n = int(c-'a') + 2
	case c >= 'A' && c <= 'Z':
		n = int('Z'-c) + 2
	}
	if n == 0 || n > maxPlaceChars || n > len(s) {
		return 0
	}
	for _, c := range []byte(s[:n]) {
		if strings.IndexByte(orderDigits, c) < 0 {
			return 0
		}
	}
	return n
}

// increment returns the integer after one, false at the end of the range.
func increment(integer string) (string, bool) {
	b := []byte(integer)
	for i := len(b) - 1; i > 0; i-- {
		if b[i] != 'z' {
			b[i] = orderDigits[strings.IndexByte(orderDigits, b[i])+1]
			return string(b), true
		}
		b[i] = '0'
	}
	switch {
	case b[0] == 'Z':
		return zeroPlace, true
	case b[0] >= 'a' && len(b) >= maxPlaceChars:
		return "", false
	case b[0] >= 'a':
		return string(b[0]+1) + string(b[1:]) + "0", true
	}
	return string(b[0]+1) + string(b[2:]), true
}

// decrement returns the integer before one, false at the end of the range.
func decrement(integer string) (string, bool) {
	b := []byte(integer)
	for i := len(b) - 1; i > 0; i-- {
		if b[i] != '0' {
			b[i] = orderDigits[strings.IndexByte(orderDigits, b[i])-1]
			return string(b), true
		}
		b[i] = 'z'
	}
	switch {
	case b[0] == 'a':
		return "Zz", true
	case b[0] <= 'Z' && len(b) >= maxPlaceChars:
		return "", false
	case b[0] <= 'Z':
		return string(b[0]-1) + string(b[1:]) + "z", true
	}
	return string(b[0]-1) + string(b[2:]), true
}

// jitter returns random digits.
func jitter() string {
	var b [jitterChars]byte
	for i := range b {
		b[i] = orderDigits[rand.IntN(len(orderDigits))]
	}
	return string(b[:])
}

// firstKey returns the key of the first of all siblings.
func firstKey() string { return zeroPlace + jitter() + firstOfRun }
