package follow

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"kaijutsu"
)

// place is where a follower stands among the events of documents: behind part
// of a version, in a topic of all contexts of the version that an entry of the
// journal made. The number of a whole version's part is whole.
type place struct {
	seq, version uint64
	part         int
}

// whole is the part behind all parts.
const whole = math.MaxInt

// wholeEntry is behind everything that an entry of the journal made.
func wholeEntry(seq uint64) place { return place{seq, math.MaxUint64, whole} }

// wholeVersion is behind everything of a version, in a context's topic.
func wholeVersion(version uint64) place { return place{0, version, whole} }

func (p place) before(o place) bool {
	switch {
	case p.seq != o.seq:
		return p.seq < o.seq
	case p.version != o.version:
		return p.version < o.version
	}
	return p.part < o.part
}

// mark is an id as events carry it: <node>.<seq>.<version>.<part>, and, of
// those that are of no document, a number behind it that says which they are in
// the ring, with the letter of its topic. Part 0 is the whole version, version
// 0 the whole entry of the journal.
type mark struct {
	node string
	place
	topic byte // 'c' or 'w'; 0: there is no ordinal
	pos   uint64
}

const (
	letterContext = 'c'
	letterWide    = 'w'
)

// String returns the mark as parseMark reads it.
func (m mark) String() string {
	part, version := m.part, m.version
	if part == whole {
		part = 0
	}
	if version == math.MaxUint64 {
		version = 0
	}
	b := make([]byte, 0, 64)
	b = append(append(b, m.node...), '.')
	b = append(strconv.AppendUint(b, m.seq, 10), '.')
	b = append(strconv.AppendUint(b, version, 10), '.')
	b = strconv.AppendInt(b, int64(part), 10)
	if m.topic != 0 {
		b = strconv.AppendUint(append(b, '.', m.topic), m.pos, 10)
	}
	return string(b)
}

// parseMark reads an id. The error wraps kaijutsu.ErrInvalid.
func parseMark(s string) (mark, error) {
	bad := func() (mark, error) {
		return mark{}, fmt.Errorf("since %.100q: %w: want the id of an event, such as 7f3a9c01.17.42.1, or a version", s, kaijutsu.ErrInvalid)
	}
	if len(s) > 120 {
		return bad()
	}
	f := strings.Split(s, ".")
	if len(f) != 4 && len(f) != 5 || f[0] == "" {
		return bad()
	}
	m := mark{node: f[0]}
	var err [3]error
	var part uint64
	m.seq, err[0] = strconv.ParseUint(f[1], 10, 63)
	m.version, err[1] = strconv.ParseUint(f[2], 10, 63)
	part, err[2] = strconv.ParseUint(f[3], 10, 31)
	if err[0] != nil || err[1] != nil || err[2] != nil {
		return bad()
	}
	if m.part = int(part); part == 0 {
		m.part = whole
	}
	if len(f) == 5 {
		if len(f[4]) < 2 || f[4][0] != letterContext && f[4][0] != letterWide {
			return bad()
		}
		var e error
		if m.pos, e = strconv.ParseUint(f[4][1:], 10, 63); e != nil {
			return bad()
		}
		m.topic = f[4][0]
	}
	return m, nil
}

// shortNode is a node's id as the ids of events begin: its first letters and
// digits.
func shortNode(id string) string {
	var b strings.Builder
	for _, r := range id {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			b.WriteRune(r)
		}
		if b.Len() == 8 {
			break
		}
	}
	if b.Len() == 0 {
		return "node"
	}
	return b.String()
}
