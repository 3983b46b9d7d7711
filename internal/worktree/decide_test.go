package worktree

import "testing"

// Every combination of what the three sides can be, of a flush that was cut off
// and of what holds things up, against the rules written another way.
func TestDecideExhaustive(t *testing.T) {
	sides := []side{{}, {true, hashText("1")}, {true, hashText("2")}, {true, hashText("3")}}
	pendings := []*hash{nil}
	for _, s := range sides[1:] {
		pendings = append(pendings, &s.Hash)
	}
	n := 0
	for _, s := range sides {
		for _, b := range sides {
			for _, d := range sides {
				for _, p := range pendings {
					for bits := range 64 {
						f := facts{s, b, d, p, bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0, bits&16 != 0, bits&32 != 0}
						got, at := decide(f)
						checkDecision(t, f, got, at)
						n++
					}
				}
			}
		}
	}
	if n != 4*4*4*4*64 {
		t.Fatalf("%d cases", n)
	}
}

// checkDecision holds a decision to what must never and what must always be.
func checkDecision(t *testing.T, f facts, got verdict, s side) {
	t.Helper()
	bad := func(why string) {
		t.Helper()
		t.Fatalf("decide(%+v) = %v, %v: %s", f, got, s, why)
	}
	if f.Held && got != wait {
		bad("nothing is done while it is held")
	}
	if f.Held {
		return
	}
	if s != f.S && !s.equal(f.D) {
		bad("what was agreed is neither what it was nor what the disk holds")
	}
	if s != f.S && got != agree && (f.Pending == nil || *f.Pending != f.D.Hash) {
		bad("what was agreed changed without a flush that got through")
	}
	if f.Foreign {
		switch {
		case got == flush || got == take || got == merge || got == agree || got == bury || got == orphan:
			bad("a file that can be no block was taken for one")
		case got == shut && !f.B.equal(s) && !f.Fresh:
			bad("edits were put away")
		}
		return
	}
	switch got {
	case flush:
		if !f.D.equal(s) {
			bad("the disk would be written over")
		}
		if !f.B.Exists || f.B.equal(s) || f.ReadOnly || f.Fresh {
			bad("there is nothing to flush")
		}
	case take, bury:
		if !f.Fresh && !f.B.equal(s) && (f.B.Exists || f.ReadOnly) {
			bad("edits of the block would be lost")
		}
		if f.D.Exists != (got == take) || f.B.equal(f.D) || !f.Settled {
			bad("there is nothing to take")
		}
	case merge:
		if f.B.equal(f.D) || f.B.equal(s) || f.D.equal(s) || !f.B.Exists || !f.D.Exists || f.Fresh || !f.Settled {
			bad("there is nothing to merge")
		}
	case orphan:
		if f.D.Exists || !f.B.Exists || f.B.equal(s) || f.Fresh || !f.Settled {
			bad("it is not gone, or was not edited")
		}
	case agree:
		if !f.B.equal(f.D) {
			bad("they do not")
		}
	case leave:
		if f.B.Exists || !s.Exists || f.Fresh || !f.ReadOnly {
			bad("nobody deleted the block")
		}
	case remove:
		if f.B.Exists || !s.Exists || !f.D.equal(s) || f.Fresh || f.ReadOnly {
			bad("nobody deleted the block, or the disk has something else")
		}
	case wait:
		switch {
		case f.B.equal(f.D) && (f.Settled || f.D.equal(s)) && !f.Fresh:
			bad("they agree")
		case f.Settled && !(f.ReadOnly && f.D.equal(s)):
			bad("everything is settled")
		}
	default:
		bad("that is for files that can be no blocks")
	}
}

// The cases as people tell them.
func TestDecide(t *testing.T) {
	one, two, three := side{true, hashText("1")}, side{true, hashText("2")}, side{true, hashText("3")}
	none := side{}
	tests := []struct {
		name string
		f    facts
		want verdict
		at   side
	}{
		{"nothing changed", facts{S: one, B: one, D: one}, agree, one},
		{"the block was edited", facts{S: one, B: two, D: one}, flush, one},
		{"the disk was edited", facts{S: one, B: one, D: two, Settled: true}, take, one},
		{"the disk is being edited", facts{S: one, B: one, D: two}, wait, one},
		{"both alike", facts{S: one, B: two, D: two, Settled: true}, agree, two},
		{"both otherwise", facts{S: one, B: two, D: three, Settled: true}, merge, one},
		{"killed behind the exchange, then edited", facts{S: one, B: three, D: two, Pending: &two.Hash, Settled: true}, flush, two},
		{"killed before the exchange", facts{S: one, B: two, D: one, Pending: &two.Hash}, flush, one},
		{"killed behind the exchange, then the disk was edited", facts{S: one, B: two, D: three, Pending: &two.Hash, Settled: true}, merge, one},
		{"the file was deleted", facts{S: one, B: one, D: none, Settled: true}, bury, one},
		{"the file was deleted under an edit", facts{S: one, B: two, D: none, Settled: true}, orphan, one},
		{"the file came back", facts{S: none, B: none, D: one, Settled: true}, take, none},
		{"the tombstone was lifted", facts{S: none, B: one, D: none}, flush, none},
		{"the block was deleted", facts{S: one, B: none, D: one}, remove, one},
		{"the block was deleted, the file edited", facts{S: one, B: none, D: two, Settled: true}, take, one},
		{"the block was deleted, read only", facts{S: one, B: none, D: two, Settled: true, ReadOnly: true}, leave, one},
		{"a fork", facts{S: one, B: two, D: one, Fresh: true, Settled: true}, take, one},
		{"a fork without the file", facts{S: one, B: one, D: none, Fresh: true, Settled: true}, bury, one},
		{"a link", facts{S: one, B: one, D: two, Foreign: true, Settled: true}, shut, one},
		{"a link under an edit", facts{S: one, B: two, D: two, Foreign: true, Settled: true}, stand, one},
		{"read only", facts{S: one, B: two, D: one, ReadOnly: true}, wait, one},
		{"paused", facts{S: one, B: two, D: one, Held: true}, wait, one},
	}
	for _, tt := range tests {
		if got, at := decide(tt.f); got != tt.want || at != tt.at {
			t.Errorf("%s: got %v, %v, want %v, %v", tt.name, got, at, tt.want, tt.at)
		}
	}
}
