package blocks

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAllPlaces holds the search for lines against looking everywhere.
func TestAllPlaces(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString([]string{"a\n", "a\n", "b\n", "\n", "a\r\n"}[rng.Intn(5)])
		}
		return b.String() + []string{"", "a", "b"}[rng.Intn(3)]
	}
	found := 0
	for range 3000 {
		c := &comparison{then: text(1 + rng.Intn(8)), now: text(rng.Intn(40))}
		then := cutLines(c.then)
		lo := rng.Intn(len(then))
		p := newPlaces(c, then, lo, lo+1+rng.Intn(min(4, len(then)-lo)))
		from := rng.Intn(len(p.now) + 1)
		home := lineRange{from, from + rng.Intn(len(p.now)-from+1)}
		var want []int
		for at := home.lo; at+p.hi-p.lo <= home.hi; at++ {
			if p.equal(c.now, p.now[at:at+p.hi-p.lo]) {
				want = append(want, at)
			}
		}
		if got := p.all(c.now, p.now, home); !slices.Equal(got, want) {
			t.Fatalf("lines %d to %d of %q stand at %v of lines %v of %q, want %v", p.lo, p.hi, c.then, got, home, c.now, want)
		}
		found += len(want)
	}
	if found < 1000 {
		t.Errorf("%d places were found, want more for a test", found)
	}
}

// TestFateOfVeryManyLines: time grows with the text, not with its square.
func TestFateOfVeryManyLines(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	const n = 100_000
	some := func() string { // lines of which there are many
		var b strings.Builder
		for range n {
			b.WriteString([]string{"a\n", "b\n", "c\n", "d\n"}[rng.Intn(4)])
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, then, now string
		stale           bool
	}{
		{"a line more", strings.Repeat("a\n", n), strings.Repeat("a\n", n) + "b\n", false},
		{"a line less", strings.Repeat("a\n", n), strings.Repeat("a\n", n/4), true},
		{"periods", strings.Repeat("a\nb\n", n/2), strings.Repeat("b\na\n", n/2), true},
		{"another text", some(), some(), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPair(t, "amy.")
			id := p.insert(BlockSpec{Form: FormBody, Content: tt.then})
			heads := p.graph.Heads()
			_, err := p.say("", func(tx *Tx) error { // as a client does that knows nothing else
				d, err := tx.existing(id)
				if err == nil {
					tx.setString(d, fieldBody, tt.now)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			f, err := p.fate(id, heads, 1, n/2)
			took := time.Since(began)
			if err != nil || f.Stale != tt.stale || took > 5*time.Second {
				t.Errorf("lines 1 to %d are stale %v, at %d to %d, %v, after %v; want stale %v", n/2, f.Stale, f.NowFirst, f.NowLast, err, took, tt.stale)
			}
			t.Log(took)
		})
	}
}

// TestFateOfVeryManyPieces: the same of a text that is full of holes.
func TestFateOfVeryManyPieces(t *testing.T) {
	const n = 20_000
	p := newPair(t, "amy.")
	id := p.insert(BlockSpec{Content: strings.Repeat("ab\n", n/2)})
	if _, err := p.say("", func(tx *Tx) error { return tx.AppendText(id, strings.Repeat("ab\n", n/2)) }); err != nil {
		t.Fatal(err)
	}
	heads := p.graph.Heads()
	_, err := p.say("", func(tx *Tx) error {
		for i := range n / 10 { // every tenth line loses a character, and gets another
			if err := tx.SpliceText(id, 30*i, 1, "a"); err != nil {
				return err
			}
		}
		return tx.AppendText(id, "c")
	})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	f, err := p.fate(id, heads, 1, n/2)
	if took := time.Since(began); err != nil || f.Stale || f.NowLast != n/2 || took > 5*time.Second {
		t.Errorf("lines 1 to %d are stale %v, at %d to %d, %v, after %v", n/2, f.Stale, f.NowFirst, f.NowLast, err, took)
	} else {
		t.Log(took)
	}
}

// TestFateGoesByMostCharacters: a line that became two which say the same is the
// one that kept most of it.
func TestFateGoesByMostCharacters(t *testing.T) {
	for kept, want := range map[int]int{1: 2, 3: 1} {
		p := newPair(t, "amy.")
		id := p.insert(BlockSpec{Content: "aaaa\nb\n"})
		heads := p.graph.Heads()
		in := "aaaa"[kept:] + "\n" + "aaaa"[:kept]
		if _, err := p.say("", func(tx *Tx) error { return tx.SpliceText(id, kept, 0, in) }); err != nil {
			t.Fatal(err)
		}
		f, err := p.fate(id, heads, 1, 1)
		if err != nil || f.Stale || f.NowFirst != want {
			t.Errorf("%d characters stayed in front: the line is %+v, %v; want line %d of %q", kept, f, err, want, p.block(id).Content)
		}
	}
}
