package blocks

import (
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// The messages of changes that say what they are.
const (
	// UndoMessage begins the message of a change that takes others back; their
	// hashes follow, separated by spaces.
	UndoMessage   = "op:undo"
	appendMessage = "op:block_append"
	opMessage     = "op:"
)

// unitSeconds is how far apart, at most, the changes of one unit are.
const unitSeconds = 3

// maxLookedAt is how many changes are looked at for a unit.
const maxLookedAt = 100_000

// Undone returns the changes that a change takes back, by its message; none if
// it is no undo.
func Undone(message string) []kaijutsu.ChangeHash {
	rest, ok := strings.CutPrefix(message, UndoMessage+" ")
	if !ok {
		return nil
	}
	var out []kaijutsu.ChangeHash
	for _, word := range strings.Fields(rest) {
		if h, err := kaijutsu.ParseChangeHash(word); err == nil {
			out = append(out, h)
		}
	}
	return out
}

// LastUnit returns the changes of a unit of work of some actors: the last one,
// or the one that comes skip units before it. The last one may be an undo,
// which taking back does again. Behind it, what was undone does not count, and
// what was undone and done again counts once. The changes are in the order of
// the log.
//
// A unit is a change, but for two cases. Changes by one actor, one after the
// other, that only edit one and the same text and are no more than three
// seconds apart are typing, and one unit, unless their messages say that they
// are operations. So are appends to one block, whose message says that they
// are. Of a longer run, 900 changes are one unit. The change that makes a
// document a context of its own is none.
//
// The error wraps kaijutsu.ErrNotFound when there is no such unit among the
// last 100,000 changes.
func LastUnit(log Log, actors func(kaijutsu.ActorID) bool, skip int) ([]kaijutsu.ChangeHash, error) {
	u := units{log: log, actors: actors, undone: make(undoing), used: make(map[int]bool)}
	for i := log.Len() - 1; i >= max(0, log.Len()-maxLookedAt); i-- {
		c, err := log.Change(i)
		if err != nil {
			return nil, fmt.Errorf("read change %d: %w", i, err)
		}
		unit, err := u.at(i, c)
		if err != nil {
			return nil, err
		}
		if unit == nil {
			continue
		}
		if skip == 0 {
			return unit, nil
		}
		skip--
	}
	return nil, fmt.Errorf("no such unit of work: %w", kaijutsu.ErrNotFound)
}

// units goes through a log from its end.
type units struct {
	log    Log
	actors func(kaijutsu.ActorID) bool
	undone undoing
	used   map[int]bool // parts of units that were found
	any    bool         // one was found
}

// undone says what became of a change that was taken back: how often that was
// turned round, and by which change last.
type undone struct {
	times int
	last  *amfile.Change
	spent bool // a unit that was found stands for it
}

// at returns the unit that ends with change i, nil if none that counts does.
func (u *units) at(i int, c *amfile.Change) ([]kaijutsu.ChangeHash, error) {
	if Undone(c.Message) != nil {
		return u.undo(c), nil
	}
	if u.used[i] || !u.actors(c.Author()) || len(c.Ops) == 0 || isAnchor(c) {
		return nil, nil
	}
	unit, err := u.gather(i, c)
	if err != nil {
		return nil, err
	}
	switch now := u.undone[c.Hash]; {
	case now.times%2 == 1 || now.spent:
		return nil, nil
	case now.times > 0:
		unit = []kaijutsu.ChangeHash{now.last.Hash}
	}
	u.any = true
	return unit, nil
}

// undo notes what an undo took back. It is a unit when it is the last one and
// still stands.
func (u *units) undo(c *amfile.Change) []kaijutsu.ChangeHash {
	if u.any || u.undone[c.Hash].times%2 == 1 || !u.actors(c.Author()) {
		u.undone.note(c)
		return nil
	}
	u.any = true
	u.undone[c.Hash] = undone{times: u.undone[c.Hash].times, last: u.undone[c.Hash].last, spent: true}
	u.undone.note(c)
	return []kaijutsu.ChangeHash{c.Hash}
}

// undoing says what became of changes, as far as it was read, from the end of
// a log.
type undoing map[kaijutsu.ChangeHash]undone

// note takes in the next change towards the front.
func (u undoing) note(c *amfile.Change) {
	now := u[c.Hash]
	if now.times++; now.last == nil {
		now.last = c
	}
	for _, h := range Undone(c.Message) {
		if _, ok := u[h]; !ok {
			u[h] = now
		}
	}
}

// isAnchor reports whether a change gives a document its id.
func isAnchor(c *amfile.Change) bool {
	return slices.ContainsFunc(c.Ops, func(op amfile.Op) bool { return op.Obj.Counter == 0 && op.Key == keyContext })
}

// maxUnit bounds the changes of a unit: the message of an undo names them all.
const maxUnit = 900

// maxApart bounds how many changes of others are looked past for the next one
// of a unit.
const maxApart = 1024

// gather returns the unit that ends with change i.
func (u *units) gather(i int, last *amfile.Change) ([]kaijutsu.ChangeHash, error) {
	unit := []kaijutsu.ChangeHash{last.Hash}
	obj, ok := edited(last)
	if !ok || strings.HasPrefix(last.Message, opMessage) && last.Message != appendMessage {
		return unit, nil
	}
	for end := i - maxApart; i > max(0, end) && len(unit) < maxUnit; {
		i--
		c, err := u.log.Change(i)
		if err != nil {
			return nil, fmt.Errorf("read change %d: %w", i, err)
		}
		if c.Author() != last.Author() {
			continue
		}
		at, ok := edited(c)
		apart := last.Time - c.Time
		if !ok || at != obj || c.Message != last.Message || apart > unitSeconds || apart < -unitSeconds {
			break
		}
		u.used[i] = true
		unit, last, end = append(unit, c.Hash), c, i-maxApart
	}
	slices.Reverse(unit)
	return unit, nil
}

// edited returns the text or list that all operations of a change are in; it
// may have made it.
func edited(c *amfile.Change) (amfile.GlobalID, bool) {
	if len(c.Ops) == 0 {
		return amfile.GlobalID{}, false
	}
	ops, obj := c.Ops, c.Global(c.Ops[0].Obj)
	if first := &ops[0]; !first.Seq && (first.Action == amfile.MakeText || first.Action == amfile.MakeList) {
		ops, obj = ops[1:], c.ID(0)
	}
	for i := range ops {
		if !ops[i].Seq || c.Global(ops[i].Obj) != obj {
			return amfile.GlobalID{}, false
		}
	}
	return obj, len(ops) > 0
}
