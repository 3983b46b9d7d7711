package blocks

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// follower keeps a list of blocks by steps alone, and refuses what it cannot
// carry out to the letter.
type follower struct {
	rows    []Block
	title   string
	context kaijutsu.ContextID
}

func (f *follower) index(id ID) int {
	return slices.IndexFunc(f.rows, func(b Block) bool { return b.ID == id })
}

// take carries out one step.
func (f *follower) take(s Step) error {
	switch s.Kind {
	case StepTitle:
		f.title = s.Title
		return nil
	case StepContext:
		f.context = s.Context
		return nil
	case StepInserted:
		if f.index(s.ID) >= 0 || s.Block.ID != s.ID {
			return fmt.Errorf("%s is there already, or is called %s", s.ID, s.Block.ID)
		}
		return f.put(*s.Block, s.After)
	}
	i := f.index(s.ID)
	if i < 0 {
		return fmt.Errorf("%s is not there", s.ID)
	}
	b := &f.rows[i]
	switch s.Kind {
	case StepMoved:
		moved := *b
		moved.Parent, moved.Depth = s.Parent, s.Depth
		f.rows = slices.Delete(f.rows, i, i+1)
		return f.put(moved, s.After)
	case StepDeleted:
		f.rows = slices.Delete(f.rows, i, i+1)
	case StepText:
		return f.splice(b, s)
	case StepStatus:
		b.Status = s.Status
	case StepMeta:
		b.Meta, b.Kind, b.Role, b.Form = s.Meta, s.BlockKind, s.Role, s.Form
	case StepFlags:
		b.Collapsed, b.Excluded, b.Ephemeral = s.Collapsed, s.Excluded, s.Ephemeral
	default:
		return fmt.Errorf("kind %d", s.Kind)
	}
	return nil
}

func (f *follower) put(b Block, after ID) error {
	at := 0
	if after != "" {
		if at = f.index(after) + 1; at == 0 {
			return fmt.Errorf("%s is not there, behind which %s stands", after, b.ID)
		}
	}
	f.rows = slices.Insert(f.rows, at, b)
	return nil
}

func (f *follower) splice(b *Block, s Step) error {
	content, end := []rune(b.Content), -1
	for _, p := range s.Splices {
		if p.Pos <= end || p.Pos+p.Del > len(content) || p.Del == 0 && p.Ins == "" {
			return fmt.Errorf("splices %v of %q", s.Splices, b.Content)
		}
		ins := []rune(p.Ins)
		content = slices.Replace(content, p.Pos, p.Pos+p.Del, ins...)
		end = p.Pos + len(ins)
	}
	if string(content) == b.Content || len(content) != s.Length {
		return fmt.Errorf("splices %v make %q of %q, length %d", s.Splices, string(content), b.Content, s.Length)
	}
	b.Content = string(content)
	return nil
}

// followed is a context whose changes are traced: by a model that is read after
// every change, and by one that never is.
type followed struct {
	t            testing.TB
	read, unread *Model
	f            follower
	changes      int
	all          []Step
	seen         map[StepKind]int
}

func newFollowed(t testing.TB) *followed {
	return &followed{t: t, read: NewModel(), unread: NewModel(), seen: make(map[StepKind]int)}
}

// take traces a change and compares.
func (x *followed) take(c *amfile.Change) []Step {
	x.t.Helper()
	x.changes++
	before := slices.Clone(x.f.rows)
	delta, steps := x.read.Trace(c)
	delta2, steps2 := x.unread.Trace(c)
	if !reflect.DeepEqual(delta, delta2) || !reflect.DeepEqual(steps, steps2) {
		x.t.Fatalf("change %d: reading makes a difference:\n%+v\n%+v\n%+v\n%+v", x.changes, delta, delta2, steps, steps2)
	}
	for i, s := range steps {
		x.seen[s.Kind]++
		if err := x.f.take(s); err != nil {
			x.t.Fatalf("change %d: step %d of %+v: %v\nbefore %+v", x.changes, i, steps, err, before)
		}
	}
	x.all = append(x.all, steps...)
	want := x.read.Blocks()
	for i := range want {
		want[i].Order = ""
		if i < len(x.f.rows) {
			x.f.rows[i].Order = ""
		}
	}
	if !slices.Equal(x.f.rows, want) {
		x.t.Fatalf("change %d: the steps %s\nmake %s\nof   %s\nwant %s", x.changes, show(steps), showRows(x.f.rows), showRows(before), showRows(want))
	}
	if x.f.title != x.read.Title() || x.f.context != x.read.Context() {
		x.t.Fatalf("change %d: title %q of %v, want %q of %v", x.changes, x.f.title, x.f.context, x.read.Title(), x.read.Context())
	}
	return steps
}

func show(steps []Step) (out string) {
	for _, s := range steps {
		out += fmt.Sprintf("\n  %d %s after %s depth %d %v", s.Kind, s.ID, s.After, s.Depth, s.Splices)
	}
	return out
}

func showRows(rows []Block) (out string) {
	for _, b := range rows {
		out += fmt.Sprintf("\n  %d %s below %s %s %s %q %q", b.Depth, b.ID, b.Parent, b.Kind, b.Status, b.Form, b.Content)
	}
	return out
}

// done compares with a model that was never traced.
func (x *followed) done(changes []*amfile.Change) {
	x.t.Helper()
	plain := NewModel()
	for _, c := range changes {
		plain.Apply(c)
	}
	for _, m := range []*Model{x.read, x.unread} {
		if got, want := m.Blocks(), plain.Blocks(); !slices.Equal(got, want) {
			x.t.Fatalf("traced: %s\napplied: %s", showRows(got), showRows(want))
		}
	}
	for _, s := range x.read.objects {
		if s, ok := s.(*sequence); ok && s.counted && s.runes != utf8.RuneCountInString(s.content()) {
			x.t.Fatalf("%d code points are counted in %q", s.runes, s.content())
		}
	}
}

// follow traces changes in an order.
func follow(t testing.TB, changes []*amfile.Change) *followed {
	x := newFollowed(t)
	for _, c := range changes {
		x.take(c)
	}
	x.done(changes)
	return x
}

func TestStepsOfStockClients(t *testing.T) {
	rounds(t, func(t *testing.T, h jsHistory) {
		follow(t, h.changes)
		follow(t, shuffled(rand.New(rand.NewSource(1)), h.changes))
	})
}

func TestStepsOfOurOwnHistories(t *testing.T) {
	ownHistories(t, 40, func(t *testing.T, rng *rand.Rand, changes []*amfile.Change) {
		follow(t, changes)
		follow(t, shuffled(rng, changes))
	})
}

func TestStepsOfRandomTransactions(t *testing.T) {
	seen := make(map[StepKind]int)
	rapid.Check(t, func(rt *rapid.T) {
		s := &scribe{t: t, below: func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "n") }}
		var changes []*amfile.Change
		for _, raw := range s.history(rapid.IntRange(1, 40).Draw(rt, "steps"))[0].raws {
			changes = append(changes, must(amfile.DecodeChange(raw)))
		}
		x := follow(t, changes)
		for k, n := range x.seen {
			seen[k] += n
		}
		seed := rapid.Int64().Draw(rt, "order")
		follow(t, shuffled(rand.New(rand.NewSource(seed)), changes))
	})
	for k := StepInserted; k < StepContext; k++ {
		if seen[k] == 0 {
			t.Errorf("no step of kind %d", k)
		}
	}
}

// TestStepsOfSoup traces operations that are nonsense together.
func TestStepsOfSoup(t *testing.T) {
	for seed := range envInt("KJ_ROUNDS", 40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(seed)))
			h, x := newHandmade(t), newFollowed(t)
			changes := []*amfile.Change{Genesis()}
			x.take(Genesis())
			h.examined = func(c *amfile.Change) {
				changes = append(changes, c)
				x.take(c)
			}
			for range 1500 {
				h.applySoup(rng)
			}
			x.done(changes)
		})
	}
}
