package blocks

import (
	"maps"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// naive is a document by the definitions: a set of operations. Every question
// is answered from all of them, character by character.
type naive struct {
	ops     map[amfile.GlobalID]naiveOp
	inside  map[amfile.GlobalID][]amfile.GlobalID // by object
	next    map[amfile.GlobalID][]amfile.GlobalID // what supersedes an operation
	changes map[kaijutsu.ChangeHash]*amfile.Change
	pasts   map[kaijutsu.ChangeHash]map[*amfile.Change]bool
}

type naiveOp struct {
	*amfile.Op
	c *amfile.Change
}

// naiveChar is a character and the operation that wrote it.
type naiveChar struct {
	char rune
	by   amfile.GlobalID
}

func newNaive(changes []*amfile.Change) *naive {
	n := &naive{
		ops: make(map[amfile.GlobalID]naiveOp), inside: make(map[amfile.GlobalID][]amfile.GlobalID), next: make(map[amfile.GlobalID][]amfile.GlobalID),
		changes: make(map[kaijutsu.ChangeHash]*amfile.Change), pasts: make(map[kaijutsu.ChangeHash]map[*amfile.Change]bool),
	}
	for _, c := range changes {
		n.changes[c.Hash] = c
		for i := range c.Ops {
			op, id := &c.Ops[i], c.ID(i)
			n.ops[id] = naiveOp{op, c}
			n.inside[c.Global(op.Obj)] = append(n.inside[c.Global(op.Obj)], id)
			for _, p := range op.Pred {
				n.next[c.Global(p)] = append(n.next[c.Global(p)], id)
			}
		}
	}
	return n
}

// past returns the changes behind some, and these.
func (n *naive) past(heads ...kaijutsu.ChangeHash) map[*amfile.Change]bool {
	all := make(map[*amfile.Change]bool)
	for _, h := range heads {
		if n.pasts[h] == nil {
			own := n.past(n.changes[h].Deps...)
			own[n.changes[h]] = true
			n.pasts[h] = own
		}
		maps.Copy(all, n.pasts[h])
	}
	return all
}

// visible returns, of those of an object's operations that match, the ones
// that none in a past has superseded, ascending.
func (n *naive) visible(obj amfile.GlobalID, past map[*amfile.Change]bool, match func(amfile.GlobalID, naiveOp) bool) []amfile.GlobalID {
	var out []amfile.GlobalID
	for _, id := range n.inside[obj] {
		op := n.ops[id]
		if !past[op.c] || op.Action == amfile.Delete || op.Action == amfile.Increment || !match(id, op) {
			continue
		}
		if !slices.ContainsFunc(n.next[id], func(s amfile.GlobalID) bool { return past[n.ops[s].c] }) {
			out = append(out, id)
		}
	}
	slices.SortFunc(out, amfile.GlobalID.Compare)
	return out
}

// get returns the operation whose value shows at a key of a map.
func (n *naive) get(obj amfile.GlobalID, key string, past map[*amfile.Change]bool) (amfile.GlobalID, bool) {
	all := n.visible(obj, past, func(_ amfile.GlobalID, op naiveOp) bool { return !op.Seq && op.Key == key })
	if len(all) == 0 {
		return amfile.GlobalID{}, false
	}
	return all[len(all)-1], true
}

// block returns the characters of a block as they were behind some changes.
func (n *naive) block(id ID, past map[*amfile.Change]bool) []naiveChar {
	obj := amfile.GlobalID{}
	for _, key := range []string{"pages", id.Page(), string(id)} {
		at, ok := n.get(obj, key, past)
		if !ok || n.ops[at].Action != amfile.MakeMap {
			return nil
		}
		obj = at
	}
	if at, ok := n.get(obj, "text", past); ok && n.ops[at].Action == amfile.MakeText {
		return n.chars(at, past)
	}
	if at, ok := n.get(obj, "body", past); ok {
		if op := n.ops[at]; op.Action == amfile.MakeText || op.Action == amfile.Put && op.Value.Type == amfile.String {
			return n.chars(at, past)
		}
	}
	if at, ok := n.get(obj, "chunks", past); ok && n.ops[at].Action == amfile.MakeList {
		return n.chars(at, past)
	}
	return nil
}

// chars returns what an operation on a content field has put, as it was.
func (n *naive) chars(put amfile.GlobalID, past map[*amfile.Change]bool) []naiveChar {
	op := n.ops[put]
	from := n.origin(put)
	if op.Action == amfile.Put {
		if from != nil {
			return from
		}
		return spell(string(op.Value.Raw), put)
	}
	// The elements that begin the object, as its change wrote them, have the
	// characters of the origin one after the other.
	taken := make(map[amfile.GlobalID][]naiveChar)
	for i, s := range n.initial(put) {
		if size := len([]rune(s)); from != nil && size <= len(from) {
			taken[amfile.GlobalID{Counter: put.Counter + 1 + uint64(i), Actor: put.Actor}] = from[:size:size]
			if from = from[size:]; len(from) == 0 {
				break
			}
		}
	}
	return n.elements(put, past, taken)
}

func spell(s string, by amfile.GlobalID) []naiveChar {
	var out []naiveChar
	for _, r := range s {
		out = append(out, naiveChar{r, by})
	}
	return out
}

// elements walks the tree of insertions: what was inserted behind an element,
// the latest first, each followed by what was inserted behind it.
func (n *naive) elements(obj amfile.GlobalID, past map[*amfile.Change]bool, taken map[amfile.GlobalID][]naiveChar) []naiveChar {
	behind := make(map[amfile.GlobalID][]amfile.GlobalID)
	puts := make(map[amfile.GlobalID][]amfile.GlobalID)
	for _, id := range n.inside[obj] {
		op := n.ops[id]
		switch elem := op.c.Global(op.Elem); {
		case !past[op.c] || !op.Seq:
		case op.Insert:
			behind[elem] = append(behind[elem], id)
			puts[id] = append(puts[id], id)
		default:
			puts[elem] = append(puts[elem], id)
		}
	}
	list := n.ops[obj].Action == amfile.MakeList
	var out []naiveChar
	var walk func(at amfile.GlobalID)
	walk = func(at amfile.GlobalID) {
		slices.SortFunc(behind[at], func(a, b amfile.GlobalID) int { return b.Compare(a) })
		for _, elem := range behind[at] {
			of := puts[elem]
			shows := n.visible(obj, past, func(id amfile.GlobalID, _ naiveOp) bool { return slices.Contains(of, id) })
			if len(shows) > 0 {
				out = append(out, n.element(shows[len(shows)-1], list, past, taken)...)
			}
			walk(elem)
		}
	}
	walk(amfile.GlobalID{})
	return out
}

func (n *naive) element(id amfile.GlobalID, list bool, past map[*amfile.Change]bool, taken map[amfile.GlobalID][]naiveChar) []naiveChar {
	op := n.ops[id]
	switch {
	case op.Action == amfile.Mark:
		return nil
	case taken[id] != nil:
		return taken[id]
	case op.Action == amfile.Put && op.Value.Type == amfile.String:
		from := n.broughtBack(id)
		if taken[from] != nil {
			return taken[from]
		}
		return spell(string(op.Value.Raw), from)
	case !list:
		return spell(objectReplacement, id)
	case op.Action == amfile.MakeText:
		return n.elements(id, past, nil)
	}
	return nil
}

// initial returns the strings that a change puts into an object that it makes,
// right behind making it, one after the other.
func (n *naive) initial(put amfile.GlobalID) []string {
	var out []string
	last := amfile.GlobalID{}
	for id := put; ; last = id {
		id.Counter++
		op, ok := n.ops[id]
		if !ok || op.c != n.ops[put].c || !op.Insert || op.Value.Type != amfile.String || op.c.Global(op.Obj) != put || op.c.Global(op.Elem) != last {
			return out
		}
		out = append(out, string(op.Value.Raw))
	}
}

// origin returns the characters that the change of an operation took away in
// another form, if it begins with them what it puts; of an undo also those
// that what it took back had taken away.
func (n *naive) origin(put amfile.GlobalID) []naiveChar {
	op := n.ops[put]
	if !slices.Contains([]string{"text", "body", "chunks"}, op.Key) {
		return nil
	}
	for _, h := range append([]kaijutsu.ChangeHash{op.c.Hash}, Undone(op.c.Message)...) {
		if c := n.changes[h]; c != nil {
			if from := n.takenAway(put, c); from != nil {
				return from
			}
		}
	}
	return nil
}

func (n *naive) takenAway(put amfile.GlobalID, c *amfile.Change) []naiveChar {
	op := n.ops[put]
	for _, key := range []string{"text", "body", "chunks"} {
		var gone amfile.GlobalID
		for i := range c.Ops {
			other := &c.Ops[i]
			for _, p := range other.Pred {
				if id := c.Global(p); other.Key == key && c.Global(other.Obj) == op.c.Global(op.Obj) && n.ops[id].c != c && id.Compare(gone) > 0 {
					gone = id
				}
			}
		}
		was, ok := n.ops[gone]
		if !ok || was.Action != amfile.Put && was.Action != amfile.MakeText && (was.Action != amfile.MakeList || key != "chunks") {
			continue
		}
		if was.Action == amfile.Put && was.Value.Type != amfile.String {
			continue
		}
		chars := n.chars(gone, n.past(c.Deps...))
		var text strings.Builder
		for _, c := range chars {
			text.WriteRune(c.char)
		}
		switch {
		case text.Len() == 0:
		case op.Action == amfile.Put:
			if op.Value.Type == amfile.String && string(op.Value.Raw) == text.String() {
				return chars
			}
		default:
			begin := ""
			for _, s := range n.initial(put) {
				if begin += s; begin == text.String() {
					return chars
				}
			}
		}
	}
	return nil
}

// broughtBack returns the operation that first wrote what an insertion shows,
// which is another one when an undo brought it back.
func (n *naive) broughtBack(id amfile.GlobalID) amfile.GlobalID {
	for {
		was := n.former(id)
		if was == id {
			return id
		}
		id = was
	}
}

// former returns the operation whose value an insertion of an undo brought back:
// it put a run of characters behind the last of as many that the changes it
// names had deleted. Of any other it returns the operation itself.
func (n *naive) former(id amfile.GlobalID) amfile.GlobalID {
	op := n.ops[id]
	named := Undone(op.c.Message)
	if !op.Insert || len(named) == 0 {
		return id
	}
	obj := op.c.Global(op.Obj)
	joined := func(id amfile.GlobalID) bool { // to the one in front of it
		at, front := n.ops[id], amfile.GlobalID{Counter: id.Counter - 1, Actor: id.Actor}
		before := n.ops[front]
		return at.c == op.c && before.c == op.c && at.Insert && before.Insert && at.c.Global(at.Obj) == obj && before.c.Global(before.Obj) == obj && at.c.Global(at.Elem) == front
	}
	first, behind := id, 0
	for joined(first) {
		first.Counter--
	}
	for end := id; ; behind++ {
		end.Counter++
		if !joined(end) {
			break
		}
	}
	before := make(map[amfile.GlobalID]amfile.GlobalID)
	for _, h := range named {
		c := n.changes[h]
		for i := 0; c != nil && i < len(c.Ops); i++ {
			if del := &c.Ops[i]; del.Seq && !del.Insert && c.Global(del.Obj) == obj {
				for _, p := range del.Pred {
					elem, pred := c.Global(del.Elem), c.Global(p)
					if (pred == elem || !slices.Contains(named, n.ops[pred].c.Hash)) && pred.Compare(before[elem]) > 0 {
						before[elem] = pred
					}
				}
			}
		}
	}
	var order []amfile.GlobalID
	for _, elem := range n.order(obj) {
		if before[elem].Counter > 0 {
			order = append(order, elem)
		}
	}
	at := slices.Index(order, op.c.Global(n.ops[first].Elem)) - behind
	if at < 0 || !slices.Contains(order, op.c.Global(n.ops[first].Elem)) {
		return id
	}
	from := before[order[at]]
	if was := n.ops[from]; was.Action != amfile.Put || was.Value.Type != op.Value.Type || string(was.Value.Raw) != string(op.Value.Raw) {
		return id
	}
	return from
}

// order returns all elements that an object ever had, in their order.
func (n *naive) order(obj amfile.GlobalID) []amfile.GlobalID {
	behind := make(map[amfile.GlobalID][]amfile.GlobalID)
	for _, id := range n.inside[obj] {
		if op := n.ops[id]; op.Insert {
			elem := op.c.Global(op.Elem)
			behind[elem] = append(behind[elem], id)
		}
	}
	var out []amfile.GlobalID
	var walk func(at amfile.GlobalID)
	walk = func(at amfile.GlobalID) {
		slices.SortFunc(behind[at], func(a, b amfile.GlobalID) int { return b.Compare(a) })
		for _, elem := range behind[at] {
			out = append(out, elem)
			walk(elem)
		}
	}
	walk(amfile.GlobalID{})
	return out
}
