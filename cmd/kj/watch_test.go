package main

import "testing"

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
