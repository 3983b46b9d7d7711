package policy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kaijutsu/blocks"
	"kaijutsu/drift"
)

func TestMentionsInText(t *testing.T) {
	many := strings.Repeat("@x", 1)
	for i := range 40 {
		many += fmt.Sprintf(" @x%d", i)
	}
	tests := []struct {
		text string
		want string
	}{
		{"", "[]"},
		{"@planning", "[planning]"},
		{"see @planning.", "[planning]"},
		{"(@a), @b-c! @d.e+f_g...", "[a b-c d.e+f_g]"},
		{"@a @a", "[a]"},
		{"me@a.org", "[]"},
		{"é@a", "[]"},
		{"npm i x/@a", "[]"},
		{"@Planning", "[]"},
		{"@-a @", "[]"},
		{"line\n@a", "[a]"},
		{"@" + strings.Repeat("a", 100), "[" + strings.Repeat("a", 63) + "]"},
	}
	for _, tt := range tests {
		if got := fmt.Sprint(mentions(tt.text)); got != tt.want {
			t.Errorf("mentions(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
	if got := len(mentions(many)); got != maxMentions {
		t.Errorf("%d mentions of very many, want %d", got, maxMentions)
	}
}

func TestMetasOfAnybody(t *testing.T) {
	for _, tt := range []struct {
		meta       string
		labels     string
		checkpoint bool
	}{
		{"", "[]", false},
		{`{"label":"a","labels":["b","c"],"checkpoint":true}`, "[a b c]", true},
		{`{"label":["a"],"labels":{"b":1},"checkpoint":"true"}`, "[]", false},
		{`{"labels":["a",1]}`, "[]", false},
		{`{"label":null,"checkpoint":1}`, "[]", false},
		{`[`, "[]", false},
		{`{"label":"` + strings.Repeat("x", 2<<20) + `"}`, "[]", false},
	} {
		n := noteOf(blocks.Block{Meta: tt.meta})
		labels := fmt.Sprint(n.labels)
		if labels == "[]" || strings.Trim(labels, "[ ]") == "" {
			labels = "[]"
		}
		if labels != tt.labels || n.checkpoint != tt.checkpoint {
			t.Errorf("meta %.60q: labels %s, checkpoint %v, want %s, %v", tt.meta, labels, n.checkpoint, tt.labels, tt.checkpoint)
		}
	}
}

func TestDerivedIDs(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_123)
	id := derive(at, "x", "f")
	if parsed, err := drift.ParseID(id); err != nil || parsed != id || id[14] != '7' || !strings.HasPrefix(id, "018bcfe5-687b-7") {
		t.Errorf("id = %s, %v, want a UUIDv7 of that time", id, err)
	}
	for _, other := range []string{derive(at.Add(time.Millisecond), "x", "f"), derive(at, "y", "f"), derive(at, "x", "g")} {
		if other == id {
			t.Errorf("id %s is that of something else too", id)
		}
	}
	b := blocks.Block{Created: time.Unix(1, 0)}
	if got := originOf(b, note{drift: true, meta: drift.Meta{DriftID: id}}); !got.Equal(at) {
		t.Errorf("origin of what drifted = %v, want %v", got, at)
	}
	if got := originOf(b, note{}); !got.Equal(b.Created) {
		t.Errorf("origin = %v, want %v", got, b.Created)
	}
}
