package amfile

import (
	"bytes"
	"testing"
)

// TestAGlimpseSaysWhatTheChangeSays holds a glimpse against the whole change,
// for every change of the corpus.
func TestAGlimpseSaysWhatTheChangeSays(t *testing.T) {
	eachReal(t, func(h realHistory) {
		for _, chunk := range h.changes {
			c, err := DecodeChange(chunk)
			if err != nil {
				t.Fatal(err)
			}
			wantGlimpse(t, c)
		}
	})
	wantGlimpse(t, paste(t, 1000))
}

var glimpse Glimpse // read into again and again

func wantGlimpse(t *testing.T, c *Change) {
	t.Helper()
	g := &glimpse
	if err := g.Read(c.Raw); err != nil {
		t.Fatalf("Read(%s): %v", c.Hash, err)
	}
	if g.Time != c.Time || g.StartOp != c.StartOp || len(g.Actors) != len(c.Actors) || len(g.Ops) != len(c.Ops) {
		t.Fatalf("Read(%s) = %d operations by %d actors at %d, want %d, %d, %d", c.Hash, len(g.Ops), len(g.Actors), g.Time, len(c.Ops), len(c.Actors), c.Time)
	}
	for i, a := range c.Actors {
		if !bytes.Equal(g.Actors[i], []byte(a)) {
			t.Errorf("actor %d of %s = %x, want %s", i, c.Hash, g.Actors[i], a)
		}
	}
	for i, op := range c.Ops {
		want := GlimpseOp{op.Action, op.Obj, op.Key, op.Seq, op.Action == Put && op.Value.Type == True}
		if g.Ops[i] != want {
			t.Errorf("operation %d of %s = %+v, want %+v", i, c.Hash, g.Ops[i], want)
		}
	}
}

func TestAGlimpseAtWhatIsNoChange(t *testing.T) {
	whole := keystroke(t).Raw
	for cut := range whole {
		if err := glimpse.Read(whole[:cut]); err == nil {
			t.Errorf("Read of the first %d of %d bytes is no error", cut, len(whole))
		}
	}
}

func BenchmarkGlimpseKeystroke(b *testing.B) {
	raw := keystroke(b).Raw
	b.ReportAllocs()
	for b.Loop() {
		if err := glimpse.Read(raw); err != nil {
			b.Fatal(err)
		}
	}
}
