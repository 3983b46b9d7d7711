package blocks

import (
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// listed is a character that was ever in a text, with the changes that put it
// there and took it away.
type listed struct {
	id    amfile.GlobalID
	char  rune
	in    *amfile.Change
	taken []*amfile.Change
}

// list makes a text by the definition: a new element goes right behind the one
// it names, and behind those there that have a higher id.
func list(changes []*amfile.Change, obj amfile.GlobalID) []listed {
	var out []listed
	find := func(id amfile.GlobalID) int { return slices.IndexFunc(out, func(l listed) bool { return l.id == id }) }
	for _, c := range changes {
		for i := range c.Ops {
			op := &c.Ops[i]
			switch elem := c.Global(op.Elem); {
			case c.Global(op.Obj) != obj || !op.Seq:
			case op.Insert:
				at := find(elem) + 1
				for at < len(out) && out[at].id.Compare(c.ID(i)) > 0 {
					at++
				}
				out = slices.Insert(out, at, listed{id: c.ID(i), char: []rune(string(op.Value.Raw))[0], in: c})
			case op.Action == amfile.Delete:
				l := &out[find(elem)]
				l.taken = append(l.taken, c)
			}
		}
	}
	return out
}

// seen is a text of characters that are known by their ids; none are of a text
// that is no Text.
type seen struct {
	text []rune
	ids  []amfile.GlobalID
}

// read returns the text of a block behind some changes.
func (n *naive) read(changes []*amfile.Change, id ID, past map[*amfile.Change]bool) seen {
	obj := amfile.GlobalID{}
	for _, key := range []string{"pages", id.Page(), string(id)} {
		obj, _ = n.get(obj, key, past)
	}
	var s seen
	if at, ok := n.get(obj, "text", past); ok && n.ops[at].Action == amfile.MakeText {
		for _, l := range list(changes, at) {
			if past[l.in] && !slices.ContainsFunc(l.taken, func(c *amfile.Change) bool { return past[c] }) {
				s.text, s.ids = append(s.text, l.char), append(s.ids, l.id)
			}
		}
		return s
	}
	for _, c := range n.block(id, past) {
		s.text, s.ids = append(s.text, c.char), append(s.ids, amfile.GlobalID{})
	}
	return s
}

// pieceOf is a line of it: what it says, what ends it, and which characters are
// its own.
type pieceOf struct {
	says, end string
	ids       []amfile.GlobalID // of what it says
	all       []amfile.GlobalID // and of what ends it
}

func (s seen) lines() []pieceOf {
	says, ends := bareLines(string(s.text))
	out := make([]pieceOf, len(says))
	at := 0
	for i := range says {
		n := len([]rune(says[i]))
		m := n + len(ends[i])
		out[i] = pieceOf{says[i], ends[i], s.ids[at : at+n], s.ids[at : at+m]}
		if n == 0 {
			out[i].ids = out[i].all
		}
		at += m
	}
	return out
}

// common counts the ids that are in both lists.
func common(a, b []amfile.GlobalID) int {
	n := 0
	for _, id := range a {
		if id != (amfile.GlobalID{}) && slices.Contains(b, id) {
			n++
		}
	}
	return n
}

// remainsAt returns the line that a line is now; of several that hold as much
// of it the first, or the last; -1 for none.
func remainsAt(l pieceOf, now []pieceOf, last bool) int {
	best, most := -1, 0
	for i, other := range now {
		n := 0
		if other.says == l.says {
			n = common(l.ids, other.all)
		}
		if n > most || n > 0 && n == most && last {
			best, most = i, n
		}
	}
	return best
}

// verdict says by the rule whether lines are stale. It is open when fewer
// copies came back than there were, and nobody knows which.
func verdict(then, now seen, first, last int) (stale, open bool) {
	if string(then.text) == string(now.text) {
		return false, false
	}
	was, is := then.lines(), now.lines()
	cited := was[first-1 : last]
	at := func(in []pieceOf, i int) bool {
		for k, l := range cited {
			if i+k >= len(in) || in[i+k].says != l.says {
				return false
			}
			if end := in[i+k].end; end != l.end && (k < len(cited)-1 || end != "" && l.end != "") {
				return false
			}
		}
		return true
	}
	wasLo, wasHi, isLo, isHi := 0, len(was), 0, len(is)
	for i := first - 2; i >= 0; i-- {
		if k := remainsAt(was[i], is, false); k >= 0 {
			wasLo, isLo = i+1, k+1
			break
		}
	}
	for i := last; i < len(was); i++ {
		if k := remainsAt(was[i], is, true); k >= 0 {
			wasHi, isHi = i, k
			break
		}
	}
	var own []amfile.GlobalID
	for _, l := range cited {
		own = append(own, l.all...)
	}
	places, copies := 0, 0
	for i := isLo; i+len(cited) <= isHi; i++ {
		if !at(is, i) {
			continue
		}
		places++
		for _, l := range is[i : i+len(cited)] {
			if common(l.all, own) > 0 {
				return false, false
			}
		}
	}
	for i := wasLo; i+len(cited) <= wasHi; i++ {
		if at(was, i) {
			copies++
		}
	}
	if places == 0 || places >= copies {
		return places == 0, false
	}
	// A line diff keeps as many lines as can be kept: if it can keep these among
	// them, it may.
	home, back := was[wasLo:wasHi], is[isLo:isHi]
	from := first - 1 - wasLo
	for i := 0; i+len(cited) <= len(back); i++ {
		if at(back, i) && mostKept(home[:from], back[:i])+len(cited)+mostKept(home[from+len(cited):], back[i+len(cited):]) == mostKept(home, back) {
			return false, true
		}
	}
	return true, false
}

// mostKept returns the length of the longest common subsequence of lines.
func mostKept(a, b []pieceOf) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		left := 0 // of the row before
		for j, y := range b {
			up := row[j+1]
			if x.says == y.says {
				row[j+1] = left + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			left = up
		}
	}
	return row[len(b)]
}

// TestFateOfRepeatedLines holds what became of lines that there are many of
// against a list of characters with ids. Where fewer copies came back than
// were deleted, and a line diff may find these or others, either answer is right.
func TestFateOfRepeatedLines(t *testing.T) {
	var n counts
	for seed := range int64(envInt("KJ_ROUNDS", 150)) {
		s := newFateStory(t, seed, false)
		type citation struct {
			heads       kaijutsu.Heads
			then        string
			first, last int
		}
		var cited []citation
		cite := func(p *pair) {
			then := p.block(s.id).Content
			if lines, _ := bareLines(then); len(lines) > 0 {
				first := 1 + s.rng.Intn(len(lines))
				cited = append(cited, citation{p.graph.Heads(), then, first, first + s.rng.Intn(min(3, len(lines)-first+1))})
			}
		}
		original := s.peers[0].block(s.id).Content
		cite(s.peers[0])
		for range 20 {
			p := s.peers[s.rng.Intn(3)]
			if s.rng.Intn(3) == 0 {
				p.pull(s.peers[s.rng.Intn(3)])
			}
			s.edit(p, original)
			if s.rng.Intn(4) == 0 {
				cite(p)
			}
		}
		p := s.peers[0]
		p.pull(s.peers[1])
		p.pull(s.peers[2])
		var changes []*amfile.Change
		for i := range p.graph.Len() {
			changes = append(changes, must(graphLog{p.graph}.Change(i)))
		}
		naive := newNaive(changes)
		b := p.block(s.id)
		now := naive.read(changes, s.id, naive.past(p.graph.Heads()...))
		if string(now.text) != b.Content {
			t.Fatalf("seed %d: the list says %q, the model %q", seed, string(now.text), b.Content)
		}
		replayed := make(map[string]*Model)
		for _, c := range cited {
			then := naive.read(changes, s.id, naive.past(c.heads...))
			if string(then.text) != c.then {
				t.Fatalf("seed %d: the list says %q then, the model said %q", seed, string(then.text), c.then)
			}
			f, err := p.fate(s.id, c.heads, c.first, c.last)
			if err != nil {
				t.Fatal(err)
			}
			checkTexts(t, f, c.then, b.Content, b.Deleted, c.first, c.last)
			at := c.heads.String()
			if replayed[at] == nil {
				replayed[at] = must(ModelAt(graphLog{p.graph}, c.heads))
			}
			if slow := must(p.model.FateSince(replayed[at], s.id, c.first, c.last)); slow != f {
				t.Fatalf("seed %d: by a replay it is %+v, else %+v", seed, slow, f)
			}
			want, open := verdict(then, now, c.first, c.last)
			switch {
			case b.Deleted:
				want, open = true, false
			case open:
				n.open++
				continue
			}
			if f.Stale != want {
				t.Errorf("seed %d: lines %d to %d of %q are %+v, want stale %v in %q", seed, c.first, c.last, c.then, f, want, b.Content)
			}
			n.add(f.Stale, want)
		}
	}
	n.check(t)
}
