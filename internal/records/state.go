package records

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Limits of a record.
const (
	maxNameBytes  = 512
	maxValueBytes = 64 << 10 // unless Config.MaxValue says otherwise
)

// Record is a record by its name. A nil Value deletes it, if there is one.
type Record struct {
	Name  string // 1 to 512 bytes of UTF-8
	Value []byte // at most Config.MaxValue bytes of UTF-8
}

// put is a value that stands at a key: no operation has superseded it.
type put struct {
	id    amfile.GlobalID
	value string
	good  bool // it is a string, and no longer than a record may be
}

// state is what the changes make of the keys. The zero value is that of no
// changes. It is not safe for concurrent use.
type state struct {
	keys    map[string][]put // never empty ones; by operation id, the winner last
	changes int              // applied
	refused int              // operations that no node of ours makes

	maxValue int // bytes of a value; 0: maxValueBytes
}

// value returns what counts at a key.
func (s *state) value(key string) (string, bool) {
	puts := s.keys[key]
	if len(puts) == 0 {
		return "", false
	}
	last := puts[len(puts)-1]
	return last.value, last.good
}

// apply makes one change, and returns the keys at which another value counts
// than before, in the order of its operations.
func (s *state) apply(c *amfile.Change) []string {
	s.changes++
	var touched []string
	before := make(map[string]string, len(c.Ops))
	for i := range c.Ops {
		op := &c.Ops[i]
		if op.Obj.Counter != 0 || op.Seq || op.Action == amfile.Increment || checkName(op.Key) != nil {
			s.refused++
			continue
		}
		if _, seen := before[op.Key]; !seen {
			touched = append(touched, op.Key)
			before[op.Key] = s.shown(op.Key)
		}
		s.operate(c, i)
	}
	return slices.DeleteFunc(touched, func(key string) bool { return s.shown(key) == before[key] })
}

// shown is value in one string that tells all of them apart.
func (s *state) shown(key string) string {
	value, ok := s.value(key)
	if !ok {
		return ""
	}
	return "=" + value
}

// operate carries out operation i of a change, a put or delete at a key.
func (s *state) operate(c *amfile.Change, i int) {
	op := &c.Ops[i]
	puts := slices.DeleteFunc(slices.Clone(s.keys[op.Key]), func(p put) bool {
		return slices.ContainsFunc(op.Pred, func(id amfile.OpID) bool { return c.Global(id) == p.id })
	})
	if op.Action != amfile.Delete {
		p := put{id: c.ID(i)}
		p.value, p.good = op.Value.Str()
		p.good = p.good && op.Action == amfile.Put && checkValue([]byte(p.value), s.most()) == nil
		if !p.good {
			p.value = ""
			s.refused++
		}
		at, _ := slices.BinarySearchFunc(puts, p, func(a, b put) int { return a.id.Compare(b.id) })
		puts = slices.Insert(puts, at, p)
	}
	if len(puts) == 0 {
		delete(s.keys, op.Key)
		return
	}
	if s.keys == nil {
		s.keys = make(map[string][]put)
	}
	s.keys[strings.Clone(op.Key)] = puts
}

// most returns the most bytes of a value.
func (s *state) most() int {
	if s.maxValue == 0 {
		return maxValueBytes
	}
	return s.maxValue
}

// operation returns the operation that puts a record, or deletes it, and the
// actors that it refers to, numbered from first on; false when there is nothing
// to do.
func (s *state) operation(r Record, first int) (op amfile.Op, actors []kaijutsu.ActorID, ok bool) {
	puts := s.keys[r.Name]
	value, there := s.value(r.Name)
	switch {
	case r.Value == nil && len(puts) == 0:
		return op, nil, false
	case r.Value != nil && there && len(puts) == 1 && value == string(r.Value):
		return op, nil, false
	}
	op = amfile.Op{Action: amfile.Delete, Key: r.Name}
	if r.Value != nil {
		op.Action, op.Value = amfile.Put, amfile.StringValue(string(r.Value))
	}
	for i, p := range puts {
		op.Pred = append(op.Pred, amfile.OpID{Counter: p.id.Counter, Actor: uint32(first + i)})
		actors = append(actors, p.id.Actor)
	}
	return op, actors, true
}

func checkName(name string) error {
	if name == "" || len(name) > maxNameBytes || !utf8.ValidString(name) {
		return fmt.Errorf("record name of %d bytes: %w: want 1 to %d, UTF-8", len(name), kaijutsu.ErrInvalid, maxNameBytes)
	}
	return nil
}

func checkValue(value []byte, most int) error {
	switch {
	case len(value) > most:
		return fmt.Errorf("record of %d bytes: %w: want at most %d", len(value), kaijutsu.ErrTooLarge, most)
	case !utf8.Valid(value):
		return fmt.Errorf("record: %w: it is not UTF-8", kaijutsu.ErrInvalid)
	}
	return nil
}
