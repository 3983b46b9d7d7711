package bench

import (
	"slices"
	"testing"
)

func TestYjsUpdatesAreReadAsTheyWereMade(t *testing.T) {
	text := yjsID{7, 0}
	tests := []struct {
		name string
		make func(u *yjsUpdate)
		want []yjsRange
	}{
		{"nothing", func(*yjsUpdate) {}, nil},
		{"the first text", func(u *yjsUpdate) { u.text(nil) }, []yjsRange{{9, yjsSpan{100, 101}}}},
		{"a text behind another", func(u *yjsUpdate) { u.text(&text) }, []yjsRange{{9, yjsSpan{100, 101}}}},
		{"into an empty text", func(u *yjsUpdate) { u.insert(text, nil, nil, "abc") }, []yjsRange{{9, yjsSpan{100, 103}}}},
		{"at the beginning", func(u *yjsUpdate) { u.insert(text, nil, &yjsID{7, 1}, "größe") }, []yjsRange{{9, yjsSpan{100, 105}}}},
		{"at the end", func(u *yjsUpdate) { u.insert(text, &yjsID{7, 1}, nil, "漢字") }, []yjsRange{{9, yjsSpan{100, 102}}}},
		{"outside of the basic plane", func(u *yjsUpdate) { u.insert(text, nil, nil, "a𝄞") }, []yjsRange{{9, yjsSpan{100, 103}}}},
		{"many", func(u *yjsUpdate) {
			for range 300 {
				last := u.next()
				u.insert(text, &yjsID{9, last.clock - 1}, &yjsID{7, 1}, "x")
			}
		}, []yjsRange{{9, yjsSpan{100, 400}}}},
		{"a deletion alone", func(u *yjsUpdate) { u.remove(5) }, nil},
		{"with deletions", func(u *yjsUpdate) {
			u.insert(text, nil, nil, "abc")
			u.remove(100)
			u.remove(101)
			u.remove(3)
		}, []yjsRange{{9, yjsSpan{100, 103}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := yjsUpdate{client: 9, clock: 100}
			tt.make(&u)
			got, err := readYjsUpdate(u.encode())
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("read = %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestYjsUpdatesOfServers(t *testing.T) {
	tests := []struct {
		name   string
		update []byte
		want   []yjsRange
	}{
		{"collected, then deleted", []byte{1, 2, 9, 0, 0, 5, 0x81, 9, 4, 3, 0}, []yjsRange{{9, yjsSpan{0, 8}}}},
		{"a gap", []byte{1, 3, 9, 0, 0, 5, 10, 10, 0, 2, 0}, []yjsRange{{9, yjsSpan{0, 5}}, {9, yjsSpan{15, 17}}}},
		{"two clients", []byte{2, 1, 9, 4, 0, 5, 1, 8, 0, 0, 1, 0}, []yjsRange{{9, yjsSpan{4, 9}}, {8, yjsSpan{0, 1}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readYjsUpdate(tt.update)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("read = %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestDamagedYjsUpdatesAreRefused(t *testing.T) {
	u := yjsUpdate{client: 9, clock: 100}
	u.text(nil)
	u.insert(yjsID{9, 100}, nil, nil, "größe")
	u.insert(yjsID{9, 100}, &yjsID{9, 101}, &yjsID{9, 102}, "x")
	whole := u.encode()
	for n := range len(whole) - 1 { // the last byte says that nothing is deleted
		if got, err := readYjsUpdate(whole[:n]); err == nil {
			t.Errorf("read of %d of %d bytes = %v, want an error", n, len(whole), got)
		}
	}
	for name, update := range map[string][]byte{
		"more items than bytes":   {1, 0xff, 0xff, 0xff, 0xff, 0x0f, 9, 0},
		"more clients than bytes": {0xff, 0xff, 0xff, 0xff, 0x0f},
		"a long string":           {1, 1, 9, 0, 0x84, 9, 0, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"a map":                   {1, 1, 9, 0, 0x87, 9, 0, 1},
		"unknown content":         {1, 1, 9, 0, 0x9e, 9, 0, 1},
	} {
		if got, err := readYjsUpdate(update); err == nil {
			t.Errorf("%s: read = %v, want an error", name, got)
		}
	}
}
