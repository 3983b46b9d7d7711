package blocks

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

func TestLastUnit(t *testing.T) {
	// A history is a list of steps "actor what second": typing into a text
	// (t1, t2), an append operation to a text (a1), an edit operation, or an
	// undo of steps by number.
	tests := []struct {
		name    string
		history []string
		skip    int
		want    string // the steps of the unit; "" for none
	}{
		{"nothing", nil, 0, ""},
		{"only others'", []string{"ben edit 1"}, 0, ""},
		{"an operation", []string{"amy edit 1", "ben edit 2"}, 0, "0"},
		{"one before", []string{"amy edit 1", "amy edit 1", "ben edit 2"}, 1, "0"},
		{"none before", []string{"amy edit 1"}, 1, ""},
		{"typing", []string{"amy edit 1", "amy t1 1", "amy t1 3", "ben t1 4", "amy t1 6"}, 0, "1 2 4"},
		{"in front of typing", []string{"amy edit 1", "amy t1 1", "amy t1 3", "ben t1 4", "amy t1 6"}, 1, "0"},
		{"a pause", []string{"amy t1 1", "amy t1 5", "amy t1 6"}, 0, "1 2"},
		{"behind a pause", []string{"amy t1 1", "amy t1 5", "amy t1 6"}, 1, "0"},
		{"another text", []string{"amy t1 1", "amy t2 1", "amy t1 1"}, 0, "2"},
		{"an operation in between", []string{"amy t1 1", "amy edit 1", "amy t1 1"}, 0, "2"},
		{"two actors of one principal", []string{"amy t1 1", "amy2 t1 1", "amy t1 1"}, 0, "0 2"},
		{"the other actor", []string{"amy t1 1", "amy2 t1 1", "amy t1 1"}, 1, "1"},
		{"appends", []string{"amy a1 1", "amy a1 2", "amy a2 2", "amy a2 3"}, 0, "2 3"},
		{"appends and typing", []string{"amy a1 1", "amy t1 1"}, 0, "1"},
		{"an undo", []string{"amy edit 1", "amy undo:0 2"}, 0, "1"},
		{"behind an undo", []string{"amy edit 1", "amy edit 2", "amy undo:1 3"}, 1, "0"},
		{"behind two undos", []string{"amy edit 1", "amy edit 2", "amy edit 3", "amy undo:2 4", "amy undo:1 5"}, 1, "0"},
		{"what others undid", []string{"amy edit 1", "amy edit 2", "ben undo:1 3"}, 0, "0"},
		{"a redo", []string{"amy edit 1", "amy edit 2", "amy undo:1 3", "amy undo:2 4"}, 0, "3"},
		{"behind a redo", []string{"amy edit 1", "amy edit 2", "amy undo:1 3", "amy undo:2 4"}, 1, "0"},
		{"done again, earlier", []string{"amy edit 1", "amy undo:0 2", "amy undo:1 3", "amy edit 4"}, 1, "2"},
		{"an undo of a run", []string{"amy edit 1", "amy t1 1", "amy t1 2", "amy undo:1,2 3"}, 1, "0"},
		{"an undo that others took back", []string{"amy edit 1", "amy undo:0 2", "ben undo:1 3"}, 0, "2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			log := newMemoryLog(Genesis())
			step := make(map[kaijutsu.ChangeHash]int)
			var steps []*amfile.Change
			seq := make(map[kaijutsu.ActorID]uint64)
			for i, line := range tt.history {
				c := unitChange(t, line, uint64(i), steps)
				seq[c.Author()]++
				if c.Seq = seq[c.Author()]; amfile.EncodeChange(c) != nil {
					t.Fatalf("step %q", line)
				}
				step[c.Hash] = i
				steps = append(steps, c)
				log.add(c)
			}
			unit, err := LastUnit(log, func(a kaijutsu.ActorID) bool { return strings.HasPrefix(string(a), "amy") }, tt.skip)
			var got []string
			for _, h := range unit {
				got = append(got, fmt.Sprint(step[h]))
			}
			if s := strings.Join(got, " "); s != tt.want || (err != nil) != (tt.want == "") || err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
				t.Errorf("LastUnit = %q, %v, want %q", s, err, tt.want)
			}
		})
	}
}

func unitChange(t *testing.T, line string, n uint64, before []*amfile.Change) *amfile.Change {
	t.Helper()
	var actor, what string
	c := &amfile.Change{StartOp: 100 + 10*n}
	if _, err := fmt.Sscan(line, &actor, &what, &c.Time); err != nil {
		t.Fatal(err)
	}
	c.Actors = []kaijutsu.ActorID{kaijutsu.ActorID(actor), "someone"}
	c.Ops = []amfile.Op{{Action: amfile.Put, Key: "x", Value: amfile.NullValue()}}
	switch {
	case strings.HasPrefix(what, "undo:"):
		c.Message = UndoMessage
		for _, k := range strings.Split(what[len("undo:"):], ",") {
			c.Message += " " + before[k[0]-'0'].Hash.String()
		}
	case what[0] == 'e':
		c.Message = "op:block_edit"
	case what[0] == 'a':
		c.Message = appendMessage
		fallthrough
	default:
		c.Ops = []amfile.Op{{Action: amfile.Put, Obj: amfile.OpID{Counter: uint64(what[1]), Actor: 1}, Seq: true, Insert: true, Value: amfile.StringValue("x")}}
	}
	return c
}
