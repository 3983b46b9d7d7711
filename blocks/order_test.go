package blocks

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kaijutsu"
)

func TestIntegersCountInTextOrder(t *testing.T) {
	for _, tt := range []struct{ from, to string }{
		{"a0", "a1"}, {"a9", "aA"}, {"az", "b00"}, {"bzz", "c000"}, {"Zz", "a0"}, {"Z0", "Z1"}, {"Yzz", "Z0"}, {"Y00", "Y01"},
	} {
		if got, ok := increment(tt.from); !ok || got != tt.to {
			t.Errorf("increment(%s) = %q, %v, want %q", tt.from, got, ok, tt.to)
		}
		if got, ok := decrement(tt.to); !ok || got != tt.from {
			t.Errorf("decrement(%s) = %q, %v, want %q", tt.to, got, ok, tt.from)
		}
	}
	last := "k" + strings.Repeat("z", maxPlaceChars-1)
	if got, ok := increment(last); ok {
		t.Errorf("increment(%s) = %q, want the end of the range", last, got)
	}
	first := "P" + strings.Repeat("0", maxPlaceChars-1)
	if got, ok := decrement(first); ok {
		t.Errorf("decrement(%s) = %q, want the end of the range", first, got)
	}
	at := "Y00"
	for range 20_000 {
		next, ok := increment(at)
		if !ok || next <= at || integerChars(next) != len(next) {
			t.Fatalf("increment(%s) = %q, %v", at, next, ok)
		}
		at = next
	}
}

// TestKeysOfOthersMayBeLong: a key of a million characters that another program
// made costs no more than reading it.
func TestKeysOfOthersMayBeLong(t *testing.T) {
	low := strings.Repeat("a0", 500_000)
	for _, g := range []gap{{low: low, open: true}, {low: low, high: low + "1"}, {high: low, down: true}} {
		if key, ok := g.key(); !ok || !g.fits(key) {
			t.Errorf("no key between %d and %d characters", len(g.low), len(g.high))
		}
	}
	if levels := parseLevels(low); len(levels) > maxLevels {
		t.Errorf("%d levels", len(levels))
	}
}

// growth is how long keys get.
type growth struct{ longest, total, n int }

func (g *growth) add(key string) {
	g.longest, g.total, g.n = max(g.longest, len(key)), g.total+len(key), g.n+1
}

func (g growth) String() string {
	return fmt.Sprintf("%d keys: mean %.1f, longest %d characters", g.n, float64(g.total)/float64(g.n), g.longest)
}

// TestKeysStayShort publishes how keys grow: go test -v -run KeysStayShort.
func TestKeysStayShort(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	tests := []struct {
		name    string
		n       int
		longest int
		// at returns where among n keys the next one goes, and by whom.
		at func(n int) (int, bool)
	}{
		{"appended by one", 100_000, 12, func(n int) (int, bool) { return n, true }},
		{"appended in turns", 100_000, 12, func(n int) (int, bool) { return n, false }},
		{"put in front by one", 10_000, 12, func(n int) (int, bool) { return 0, true }},
		{"put in front in turns", 10_000, 12, func(n int) (int, bool) { return 0, false }},
		{"after the first by one", 10_000, 24, func(n int) (int, bool) { return min(n, 1), true }},
		{"after the first in turns", 10_000, 24, func(n int) (int, bool) { return min(n, 1), false }},
		{"before the last by one", 10_000, 24, func(n int) (int, bool) { return max(n-1, 0), true }},
		{"before the last in turns", 10_000, 24, func(n int) (int, bool) { return max(n-1, 0), false }},
		{"halving one gap", 1_000, 400, func(n int) (int, bool) { return n / 2, false }},
		{"anywhere by one", 10_000, 200, func(n int) (int, bool) { return rng.Intn(n + 1), true }},
		{"anywhere by many", 10_000, 200, func(n int) (int, bool) { return rng.Intn(n + 1), false }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var keys []string
			var grown growth
			for len(keys) < tt.n {
				at, own := tt.at(len(keys))
				g := gap{open: at == len(keys), afterOwn: own && at > 0, beforeOwn: own && at < len(keys), down: at == 0}
				if at > 0 {
					g.low = keys[at-1]
				}
				if !g.open {
					g.high = keys[at]
				}
				key, ok := g.key()
				if len(keys) == 0 {
					key, ok = firstKey(), true
				}
				if !ok || key <= g.low || !g.open && key >= g.high {
					t.Fatalf("key %d between %q and %q (open %v) = %q, %v", len(keys), g.low, g.high, g.open, key, ok)
				}
				grown.add(key)
				keys = slices.Insert(keys, at, key)
			}
			t.Log(grown)
			if grown.longest > tt.longest {
				t.Errorf("the longest key has %d characters, want at most %d", grown.longest, tt.longest)
			}
		})
	}
}

// TestKeysFitBetweenAnyTwo finds room between keys of any shape in our digits.
func TestKeysFitBetweenAnyTwo(t *testing.T) {
	digits := rapid.StringOfN(rapid.SampledFrom([]rune(orderDigits)), 0, 20, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := digits.Draw(t, "a"), digits.Draw(t, "b")
		g := gap{low: min(a, b), high: max(a, b), open: rapid.Bool().Draw(t, "open"), down: rapid.Bool().Draw(t, "down"),
			afterOwn: rapid.Bool().Draw(t, "afterOwn"), beforeOwn: rapid.Bool().Draw(t, "beforeOwn")}
		key, ok := g.key()
		if ok && !g.fits(key) {
			t.Fatalf("key %q is not in the gap %+v", key, g)
		}
		// There is no key only between equal ones, and where the upper one is
		// the lower one and zeros.
		rest, extends := strings.CutPrefix(g.high, g.low)
		if room := g.open || !extends || strings.Trim(rest, "0") != ""; ok != room {
			t.Fatalf("key %q, %v in the gap %+v, want %v", key, ok, g, room)
		}
	})
}

func TestKeysOfOtherShapes(t *testing.T) {
	for _, g := range []gap{
		{low: "~", open: true},
		{low: "é", high: "ü"},
		{low: "V1234567", open: true},
		{low: "V1234567", high: "V1234568"},
		{low: "", high: "00001"},
		{low: "zzzzzzzzzzzzzzz", open: true},
		{low: "a b", high: "a c"},
	} {
		if key, ok := g.key(); !ok || !g.fits(key) {
			t.Errorf("key in %+v = %q, %v", g, key, ok)
		}
	}
	for _, g := range []gap{{low: "a", high: "a"}, {low: "b", high: "a"}, {low: "", high: ""}, {low: "a", high: "a0"}} {
		if key, ok := g.key(); ok {
			t.Errorf("key in %+v = %q, want no room", g, key)
		}
	}
}

// TestRunsDoNotMix lets three replicas write runs at one place at the same time.
func TestRunsDoNotMix(t *testing.T) {
	const length = 30
	tests := []struct {
		name string
		// at returns where a replica puts its next block: x and y are the
		// neighbours that all know, own is the one it put last.
		at   func(x, y, own ID) Position
		want string // the order of a run
	}{
		{"at the end", func(x, y, own ID) Position { return Last() }, "up"},
		{"at the front", func(x, y, own ID) Position { return First() }, "down"},
		{"after x, one behind the other", func(x, y, own ID) Position {
			if own == "" {
				return After(x)
			}
			return After(own)
		}, "up"},
		{"always right after x", func(x, y, own ID) Position { return After(x) }, "down"},
		{"always right before y", func(x, y, own ID) Position { return Before(y) }, "up"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := newPair(t, "base")
			x := base.insert(BlockSpec{Content: "x"})
			y := base.insert(BlockSpec{Content: "y"})
			var replicas []*pair
			for r := range 3 {
				p := newPair(t, fmt.Sprintf("replica %d", r), base.raws...)
				replicas = append(replicas, p)
				own := ID("")
				for i := range length {
					own = p.insert(BlockSpec{Content: fmt.Sprintf("%c%d", 'A'+r, i), Position: tt.at(x, y, own)})
				}
			}
			common := len(base.raws)
			for _, p := range replicas {
				mine := slices.Clone(p.raws[common:])
				for _, other := range replicas {
					if other != p {
						other.receive(mine...)
					}
				}
			}
			want := replicas[0].contents()
			for _, p := range replicas[1:] {
				if got := p.contents(); got != want {
					t.Fatalf("replicas see\n%s\n%s", got, want)
				}
			}
			checkRuns(t, want, 3, length, tt.want)
		})
	}
}

// checkRuns wants each run in one piece and in order.
func checkRuns(t *testing.T, contents string, runs, length int, way string) {
	t.Helper()
	seen := make(map[byte]int)
	var last byte
	pieces := 0
	for _, word := range strings.Fields(contents) {
		if word == "x" || word == "y" {
			last = 0
			continue
		}
		if word[0] != last {
			pieces++
			last = word[0]
		}
		n := seen[word[0]]
		if way == "down" {
			n = length - 1 - n
		}
		if word[1:] != fmt.Sprint(n) {
			t.Errorf("%s stands where %c%d belongs", word, word[0], n)
		}
		seen[word[0]]++
	}
	if pieces != runs {
		t.Errorf("%d runs in %d pieces: %s", runs, pieces, contents)
	}
}

func TestEqualKeysMakeRoom(t *testing.T) {
	p := newPair(t, "actor")
	var ids []ID
	for i := range 6 {
		ids = append(ids, p.insert(BlockSpec{Content: fmt.Sprint(i)}))
	}
	doc := p.library()
	slices.Sort(ids)
	for i, id := range ids {
		b := doc.Path("pages", id.Page(), string(id)).Map()
		if err := b.Set("order", "same"); err != nil {
			t.Fatal(err)
		}
		if err := b.Set("text", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		if err := b.Set("body", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	p.receive(commitLibrary(t, doc))
	if got, want := p.contents(), "0 1 2 3 4 5"; got != want {
		t.Fatalf("contents = %q, want %q", got, want)
	}
	var delta Delta
	c, err := p.model.Commit(p.options(), func(tx *Tx) error {
		for i, pos := range []Position{After(ids[2]), Before(ids[3]), After(ids[2]), First(), Last()} {
			if err := tx.InsertBlock(BlockSpec{ID: NewID(p.now), Content: string(rune('a' + i)), Position: pos}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delta = p.model.Apply(c)
	if got, want := p.contents(), "d 0 1 2 c a b 3 4 5 e"; got != want {
		t.Errorf("contents = %q, want %q", got, want)
	}
	moved := 0
	for _, b := range delta.Blocks {
		if b.How == TouchMoved {
			moved++
		}
	}
	if moved == 0 {
		t.Errorf("the delta %v names no block that moved", delta.Blocks)
	}
}

func TestTooManyEqualKeysAreRefused(t *testing.T) {
	p := newPair(t, "actor")
	doc := p.library()
	var ids []ID
	for range maxDisplaced + 10 {
		id := NewID(p.now)
		ids = append(ids, id)
		if err := doc.Path("pages", id.Page(), string(id), "kind").Set("text"); err != nil {
			t.Fatal(err)
		}
	}
	p.receive(commitLibrary(t, doc))
	slices.Sort(ids)
	_, err := p.commit(func(tx *Tx) error {
		return tx.InsertBlock(BlockSpec{ID: NewID(p.now), Position: After(ids[0])})
	})
	if !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("InsertBlock = %v, want an error that wraps ErrConflict", err)
	}
	p.insert(BlockSpec{Content: "near the end", Position: Before(ids[len(ids)-3])})
	if got := p.model.Blocks(); got[len(got)-4].Content != "near the end" {
		t.Errorf("the block does not stand third from the end")
	}
}
