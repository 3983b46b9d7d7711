package doctor

import (
	"strings"
	"testing"
)

func TestMendedWords(t *testing.T) {
	for _, tc := range []struct {
		name         string
		changes, had uint64
		short        bool
		want         string
	}{
		{"all", 5, 5, false, "its rows are in lost/a; it holds 5 of its 5 changes"},
		{"some", 0, 2, true, "it holds 0 of its 2 changes: kj restore BACKUP has the others"},
		{"nobody knows", 3, 0, true, "3 changes could be read, how many it had is not known: kj restore BACKUP"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := mendedWords("lost/a", tc.changes, tc.had, tc.short); !strings.Contains(got, tc.want) {
				t.Errorf("mendedWords() = %q, want %q", got, tc.want)
			}
		})
	}
	if got := withoutHint("change 3: gone; hint: restore a backup of DIR: stored data is damaged"); got != "change 3: gone" {
		t.Errorf("withoutHint() = %q", got)
	}
}
