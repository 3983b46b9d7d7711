package follow_test

import (
	"reflect"
	"testing"

	"kaijutsu/internal/follow"
)

// TestNewest reads the last events, of one context and of all, before and after
// a restart, and goes on from there.
func TestNewest(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id, other := h.newContext("Plan"), h.newContext("Other")
	block := h.insert(id, "x")
	for range 5 {
		h.appendText(id, block, "y")
	}
	for range 2 {
		for _, tt := range []struct {
			pattern string
			n       int
			want    []string
		}{
			{"ctx." + id.String() + ".>", 2, []string{"block.text", "block.text"}},
			{"ctx." + id.String() + ".block.inserted", 100, []string{"block.inserted"}},
			{">", 2, []string{"block.text", "block.text"}},
			{"ctx.*.context.created", 100, []string{"context.created", "context.created"}},
			{"sys.>", 3, nil},
		} {
			items, next, err := h.hub.Newest(t.Context(), follow.Want{Pattern: tt.pattern, Right: owns}, tt.n)
			if err != nil || !reflect.DeepEqual(names(items), tt.want) {
				t.Errorf("Newest(%s, %d) = %v, %v, want %v", tt.pattern, tt.n, names(items), err, tt.want)
			}
			if tt.pattern != ">" {
				continue
			}
			f := h.follow(tt.pattern, next)
			if got := h.next(f); len(got) != 1 || got[0].Name != follow.Hello {
				t.Errorf("what comes behind the newest begins with %v, want hello alone", names(got))
			}
			h.insert(other, "z")
			if e := h.decode(h.next(f)[0]); e.Context != other {
				t.Errorf("the next event is of %v, want %v", e.Context, other)
			}
			f.Close()
			h.appendText(id, block, "y")
			h.appendText(id, block, "y")
		}
		h.restart()
	}
}
