package blocks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// naiveEver is a character that a content ever had.
type naiveEver struct {
	char rune
	by   *amfile.Change // wrote it, as blame has it
	// shows reports whether it shows in the state that these changes make.
	shows func(state map[*amfile.Change]bool) bool
}

// naiveLine is a line and the change that wrote it last.
type naiveLine struct {
	c        *amfile.Change
	start, n int
}

// inOrder returns changes in the order that is the same everywhere.
func inOrder(past map[*amfile.Change]bool) []*amfile.Change {
	var out []*amfile.Change
	for c := range past {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *amfile.Change) int {
		return cmp.Or(cmp.Compare(a.StartOp, b.StartOp), strings.Compare(string(a.Author()), string(b.Author())))
	})
	return out
}

// lines walks through all states of a block's content, and says of each line
// that shows in the end after which change it was another for the last time.
func (n *naive) lines(id ID, past map[*amfile.Change]bool) []naiveLine {
	all := n.everOf(id, past)
	state := make(map[*amfile.Change]bool)
	wrote := make(map[string]*amfile.Change)
	var out []naiveLine
	for _, c := range inOrder(past) {
		state[c] = true
		now := make(map[string]*amfile.Change)
		out = nil
		line := naiveLine{}
		var key strings.Builder
		pos := 0
		end := func() {
			k := key.String()
			if now[k] = wrote[k]; now[k] == nil {
				now[k] = c
			}
			line.c, line.n = now[k], pos-line.start
			out = append(out, line)
			key.Reset()
		}
		for i, e := range all {
			if !state[e.by] || !e.shows(state) {
				continue
			}
			if e.char == '\n' {
				if pos == line.start {
					fmt.Fprintf(&key, "%d ", i) // an empty line is its line feed
				}
				end()
				line = naiveLine{start: pos + 1}
			} else {
				fmt.Fprintf(&key, "%d ", i)
			}
			pos++
		}
		if pos > line.start {
			end()
		}
		wrote = now
	}
	return out
}

// everOf returns all characters that the content of a block ever had.
func (n *naive) everOf(id ID, past map[*amfile.Change]bool) []naiveEver {
	put, ok := n.contentPut(id, past)
	if !ok {
		return nil
	}
	if n.ops[put].Action == amfile.Put {
		var out []naiveEver
		for _, c := range n.chars(put, past) {
			out = append(out, naiveEver{c.char, n.ops[c.by].c, func(map[*amfile.Change]bool) bool { return true }})
		}
		return out
	}
	taken, from := make(map[amfile.GlobalID][]naiveChar), n.origin(put)
	for i, s := range n.initial(put) {
		if size := len([]rune(s)); from != nil && size <= len(from) {
			taken[amfile.GlobalID{Counter: put.Counter + 1 + uint64(i), Actor: put.Actor}] = from[:size:size]
			if from = from[size:]; len(from) == 0 {
				break
			}
		}
	}
	return n.everIn(put, past, taken, func(map[*amfile.Change]bool) bool { return true })
}

// contentPut returns the operation that put the content which a block shows.
func (n *naive) contentPut(id ID, past map[*amfile.Change]bool) (amfile.GlobalID, bool) {
	obj := amfile.GlobalID{}
	for _, key := range []string{"pages", id.Page(), string(id)} {
		at, ok := n.get(obj, key, past)
		if !ok || n.ops[at].Action != amfile.MakeMap {
			return amfile.GlobalID{}, false
		}
		obj = at
	}
	if at, ok := n.get(obj, "text", past); ok && n.ops[at].Action == amfile.MakeText {
		return at, true
	}
	if at, ok := n.get(obj, "body", past); ok {
		if op := n.ops[at]; op.Action == amfile.MakeText || op.Action == amfile.Put && op.Value.Type == amfile.String {
			return at, true
		}
	}
	if at, ok := n.get(obj, "chunks", past); ok && n.ops[at].Action == amfile.MakeList {
		return at, true
	}
	return amfile.GlobalID{}, false
}

// everIn returns all characters that a text or list ever had. What an undo
// brought back stands for what it brought back; what it took back is left out.
func (n *naive) everIn(obj amfile.GlobalID, past map[*amfile.Change]bool, taken map[amfile.GlobalID][]naiveChar, within func(map[*amfile.Change]bool) bool) []naiveEver {
	puts := make(map[amfile.GlobalID][]amfile.GlobalID) // by element
	void, stood := make(map[amfile.GlobalID]bool), make(map[amfile.GlobalID]bool)
	for _, id := range n.inside[obj] {
		op := n.ops[id]
		if !past[op.c] || !op.Seq || op.Action == amfile.Delete || op.Action == amfile.Increment || op.Action == amfile.Mark {
			continue
		}
		elem := id
		if !op.Insert {
			elem = op.c.Global(op.Elem)
		}
		puts[elem] = append(puts[elem], id)
		void[id] = n.void(id, past)
	}
	for _, ids := range puts {
		for _, id := range ids {
			if void[id] {
				continue
			}
			for was := n.former(id); was != id; was = n.former(id) {
				stood[was], id = true, was
			}
		}
	}
	list := n.ops[obj].Action == amfile.MakeList
	var out []naiveEver
	for _, elem := range n.order(obj) {
		if n.ops[elem].Action == amfile.Mark {
			continue
		}
		slices.SortFunc(puts[elem], amfile.GlobalID.Compare)
		for k, id := range puts[elem] {
			if void[id] || stood[id] {
				continue
			}
			later := puts[elem][k+1:]
			shows := func(state map[*amfile.Change]bool) bool {
				return within(state) && !n.superseded(id, state) && !slices.ContainsFunc(later, func(l amfile.GlobalID) bool { return state[n.ops[l].c] && !n.superseded(l, state) })
			}
			if op := n.ops[id]; list && op.Action == amfile.MakeText {
				out = append(out, n.everIn(id, past, nil, func(state map[*amfile.Change]bool) bool { return state[op.c] && shows(state) })...)
				continue
			}
			for _, c := range n.element(id, list, past, taken) {
				out = append(out, naiveEver{c.char, n.ops[c.by].c, shows})
			}
		}
	}
	return out
}

func (n *naive) superseded(id amfile.GlobalID, state map[*amfile.Change]bool) bool {
	return slices.ContainsFunc(n.next[id], func(by amfile.GlobalID) bool { return n.ops[by].Action != amfile.Increment && state[n.ops[by].c] })
}

// void reports whether the first that took a character away is an undo of what
// wrote it.
func (n *naive) void(id amfile.GlobalID, past map[*amfile.Change]bool) bool {
	by := make(map[*amfile.Change]bool)
	for _, s := range n.next[id] {
		if c := n.ops[s].c; past[c] && n.ops[s].Action != amfile.Increment {
			by[c] = true
		}
	}
	if len(by) == 0 {
		return false
	}
	named := Undone(inOrder(by)[0].Message)
	return slices.Contains(named, n.ops[id].c.Hash) || slices.Contains(named, n.ops[n.broughtBack(id)].c.Hash)
}

// checkWriters holds the lines of every block of a model, by its spans and by
// the log, against the walk through the states behind some heads.
func checkWriters(t interface {
	Helper()
	Fatalf(string, ...any)
}, m *Model, log Log, n *naive, heads kaijutsu.Heads) {
	t.Helper()
	past := n.past(heads...)
	for id, b := range m.blocks {
		want := n.lines(id, past)
		got, err := m.Lines(id, log)
		if err != nil {
			t.Fatalf("Lines(%s) at %v: %v", id, heads, err)
		}
		block, _ := m.Block(id)
		compareWriters(t, "Lines", block, got, want)
		_, e := formsOf(b.fields).form()
		if e == nil || e.seq == nil {
			continue
		}
		was := e.seq.past
		e.seq.past = &archive{lost: true}
		got, err = m.Lines(id, log)
		e.seq.past = was
		if err != nil {
			t.Fatalf("Lines(%s) by the log at %v: %v", id, heads, err)
		}
		compareWriters(t, "Lines by the log", block, got, want)
	}
}

func compareWriters(t interface {
	Helper()
	Fatalf(string, ...any)
}, what string, b Block, got []Line, want []naiveLine) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s of %q: %d, want %d", what, b.Content, len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g.Change != w.c.Hash || g.Actor != w.c.Author() || g.Time.Unix() != w.c.Time || g.Start != w.start || g.Len != w.n {
			t.Fatalf("%s of %q: line %d is [%d, +%d) of %v at %v, want [%d, +%d) of %v at %v (start %d)", what, b.Content, i, g.Start, g.Len, g.Actor, g.Time.Unix(), w.start, w.n, w.c.Author(), w.c.Time, w.c.StartOp)
		}
	}
}
