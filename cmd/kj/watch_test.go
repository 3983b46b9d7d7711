package main

import (
	"testing"

	"kaijutsu/flowbus"
)

func TestWhatADriftEventSays(t *testing.T) {
	for want, d := range map[string]*flowbus.Drift{
		"#3 push → 01a1":                {ID: "id", Number: 3, Kind: "push", To: "01a1"},
		`id → 01a1 ("it\nis archived")`: {ID: "id", To: "01a1", Reason: "it\nis archived"},
	} {
		if got := about(d); got != want {
			t.Errorf("about(%+v) = %s, want %s", d, got, want)
		}
	}
}

func TestTheLineThatGoesOnWatching(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"everything", nil, "kj watch --since 1.2.3"},
		{"a context", []string{"Release notes"}, "kj watch --since 1.2.3 'Release notes'"},
		{"an apostrophe", []string{"Amy's"}, `kj watch --since 1.2.3 'Amy'\''s'`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := again("1.2.3", tt.args); got != tt.want {
				t.Errorf("again = %s, want %s", got, tt.want)
			}
		})
	}
}
