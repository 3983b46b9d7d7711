package amfile

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
)

// mutator makes changes that almost fit a history: operations like those that
// editors made, now and then with one thing wrong.
type mutator struct {
	r       *rand.Rand
	h       *history
	changes []*Change
	ids     []GlobalID // of all operations
	top     uint64     // highest counter
	actors  []kaijutsu.ActorID
}

func newMutator(r *rand.Rand, changes []*Change) *mutator {
	m := &mutator{r: r, h: newHistory(), changes: changes}
	actors := map[kaijutsu.ActorID]bool{}
	for _, c := range changes {
		if err := m.h.add(c); err != nil {
			return nil
		}
		m.top = max(m.top, c.MaxOp())
		actors[c.Author()] = true
		for i := range c.Ops {
			m.ids = append(m.ids, c.ID(i))
		}
	}
	m.actors = slices.Sorted(maps.Keys(actors))
	return m
}

func (m *mutator) heads() []kaijutsu.ChangeHash {
	heads := map[kaijutsu.ChangeHash]bool{}
	for _, c := range m.changes {
		heads[c.Hash] = true
		for _, dep := range c.Deps {
			delete(heads, dep)
		}
	}
	return kaijutsu.NewHeads(slices.Collect(maps.Keys(heads))...)
}

// change returns a change on top of the history, or of an earlier state of it,
// by a new actor, with the rules not yet applied.
func (m *mutator) change() *Change {
	c := &Change{
		Actors: append([]kaijutsu.ActorID{"a new actor"}, m.actors...),
		Deps:   m.heads(), Seq: 1, StartOp: m.top + 1, Time: int64(m.r.IntN(1e9)),
	}
	if m.r.IntN(3) == 0 {
		c.Deps = []kaijutsu.ChangeHash{m.changes[m.r.IntN(len(m.changes))].Hash}
	}
	for n := 1 + m.r.IntN(4); n > 0; n-- {
		c.Ops = append(c.Ops, m.ops(c)...)
	}
	for n := m.r.IntN(3); n > 0; n-- {
		m.spoil(c, &c.Ops[m.r.IntN(len(c.Ops))])
	}
	return c
}

func (m *mutator) local(c *Change, id GlobalID) OpID {
	if id.Counter == 0 {
		return OpID{}
	}
	return OpID{id.Counter, uint32(slices.Index(c.Actors, id.Actor))}
}

// ops returns one operation, or the two of a mark, that fit what is there.
func (m *mutator) ops(c *Change) []Op {
	next := c.StartOp + uint64(len(c.Ops))
	if m.r.IntN(5) == 0 {
		return []Op{{Action: MakeMap + Action(2*m.r.IntN(3)), Key: "made"}}
	}
	id := m.ids[m.r.IntN(len(m.ids))]
	op := m.h.ops[id]
	fresh := Op{Action: Put, Obj: m.local(c, op.Obj), Seq: op.Seq, Key: op.Key, Elem: m.local(c, op.Elem), Value: m.value()}
	kind := m.h.ops[op.Obj].Action
	if op.Seq && m.r.IntN(3) > 0 {
		if op.Insert && m.r.IntN(4) > 0 {
			fresh.Elem = m.local(c, id)
		}
		fresh.Insert = true
		if kind == MakeText {
			fresh.Value = StringValue(string(rune('a' + m.r.IntN(26))))
		}
		if kind == MakeText && m.r.IntN(3) == 0 {
			end := fresh
			fresh.Action, fresh.MarkBegin, fresh.MarkName, fresh.Value = Mark, true, "bold", m.value()
			end.Action, end.Value, end.Elem = Mark, NullValue(), OpID{next, 0}
			if m.r.IntN(2) == 0 {
				if other := m.ids[m.r.IntN(len(m.ids))]; m.h.ops[other].Obj == op.Obj && m.h.ops[other].Insert {
					end.Elem = m.local(c, other)
				}
			}
			return []Op{fresh, end}
		}
		return []Op{fresh}
	}
	if op.Seq && op.Insert {
		fresh.Elem = m.local(c, id)
	}
	fresh.Pred = []OpID{m.local(c, id)}
	switch m.r.IntN(4) {
	case 0:
		fresh.Action, fresh.Value = Delete, NullValue()
	case 1:
		fresh.Action, fresh.Value = Increment, m.number()
	case 2:
		fresh.Action, fresh.Value = MakeMap, NullValue()
	}
	return []Op{fresh}
}

// number is what a counter may be incremented by.
func (m *mutator) number() Value {
	switch m.r.IntN(4) {
	case 0:
		return UintValue(m.r.Uint64() >> m.r.IntN(64))
	case 1:
		return IntValue(m.r.Int64() >> m.r.IntN(64))
	case 2:
		return IntValue(math.MinInt64)
	}
	return IntValue(m.r.Int64N(9) - 4)
}

func (m *mutator) value() Value {
	switch m.r.IntN(8) {
	case 0:
		return NullValue()
	case 1:
		return UintValue(m.r.Uint64() >> m.r.IntN(64))
	case 2:
		return CounterValue(m.r.Int64() >> m.r.IntN(64))
	case 3:
		return BytesValue([]byte{1, 2})
	case 4:
		return FloatValue(1.5)
	case 5:
		return StringValue("word")
	}
	return IntValue(m.r.Int64() >> m.r.IntN(64))
}

func (m *mutator) id(c *Change) OpID {
	switch m.r.IntN(6) {
	case 0:
		return OpID{}
	case 1:
		return OpID{c.StartOp + uint64(m.r.IntN(len(c.Ops)+2)), 0}
	case 2:
		return OpID{1 + m.r.Uint64N(m.top+3), uint32(m.r.IntN(len(c.Actors)))}
	}
	return m.local(c, m.ids[m.r.IntN(len(m.ids))])
}

// spoil changes one thing of an operation.
func (m *mutator) spoil(c *Change, op *Op) {
	switch m.r.IntN(12) {
	case 0:
		op.Action = Action(m.r.IntN(9))
	case 1:
		op.Obj = m.id(c)
	case 2:
		op.Elem = m.id(c)
	case 3:
		op.Seq = !op.Seq
	case 4:
		op.Key = []string{"", "made", "x\x00", "text"}[m.r.IntN(4)]
	case 5:
		op.Insert = !op.Insert
	case 6:
		op.Expand = !op.Expand
	case 7:
		op.MarkBegin, op.MarkName = !op.MarkBegin, "bold"
	case 8:
		op.Value = Value{ValueType(m.r.IntN(11)), op.Value.Raw}
	case 9:
		op.Value = m.value()
	case 10:
		op.Pred = nil
	case 11:
		op.Pred = append(slices.Clone(op.Pred), m.id(c))
	}
}

// encodeUnchecked writes c in canonical form, whatever it says.
func encodeUnchecked(c *Change) bool {
	if c.normalise() != nil {
		return false
	}
	raw, hash := appendChunk(nil, ChunkChange, new(encoder).body(c))
	c.Raw, c.Hash = raw, hash
	return true
}

// TestWhatIsAcceptedIsSound demands that JavaScript can apply, save and load
// whatever the rules let pass.
func TestWhatIsAcceptedIsSound(t *testing.T) {
	o := startOracle(t)
	r := rand.New(rand.NewPCG(5, 6))
	passed, refused, sound := 0, map[int]int{}, map[string]int{}
	perHistory := 40
	realHistories(t, 23, share(1500), "", func(real realHistory) {
		var changes []*Change
		n := 1 + r.IntN(min(60, len(real.changes)))
		for _, raw := range real.changes[:n] {
			c, err := DecodeChange(raw)
			if err != nil {
				t.Fatal(err)
			}
			changes = append(changes, c)
		}
		m := newMutator(r, changes)
		if m == nil {
			return // has changes that await later ones
		}
		o.base(real.changes[:n])
		for range perHistory {
			c := m.change()
			if !encodeUnchecked(c) {
				continue
			}
			decoded, err := DecodeChange(c.Raw)
			if err == nil {
				err = decoded.Check(testPast{m.h, m.h.clocks[c.Deps[0]].with(m.h, c.Deps[1:])})
			}
			verdict := o.try(c.Raw)
			var rule *RuleError
			switch {
			case err == nil:
				passed++
				if !verdict.Sound {
					t.Errorf("%s, %d changes: accepted, but JavaScript: %+v\n%x\n%v", real.name, n, verdict, c.Raw, jsOps(decoded))
				}
			case errors.As(err, &rule):
				refused[rule.Rule]++
				if verdict.Sound {
					_, reason, _ := strings.Cut(rule.Reason, "operation ")
					sound[fmt.Sprint(rule.Rule, reason[2:])]++
				}
			default:
				t.Errorf("%v: want a RuleError", err)
			}
		}
	})
	t.Logf("%d accepted; refused by rule %v, of which sound in JavaScript %v", passed, refused, sound)
}
