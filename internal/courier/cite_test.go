package courier

import (
	"strings"
	"testing"

	"kaijutsu"
)

func TestBeginnings(t *testing.T) {
	full := strings.Repeat("0123456789abcdef", 4)
	h, err := kaijutsu.ParseChangeHash(full)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		good bool
		fits bool
	}{
		{"01234567", true, true}, {"012345678", true, true}, {"0123456789AB", true, true}, {full[:63], true, true},
		{"012345679", true, false}, {"11234567", true, false},
		{"0123456", false, false}, {"", false, false}, {"0123456g", false, false}, {full + "0", false, false}, {full + "01", false, false},
	} {
		b, err := parseBeginning(tt.text)
		if (err == nil) != tt.good {
			t.Errorf("parseBeginning(%q) = %v, want good %v", tt.text, err, tt.good)
		}
		if err == nil && b.fits(&h) != tt.fits {
			t.Errorf("%q fits = %v, want %v", tt.text, !tt.fits, tt.fits)
		}
	}
}

func TestFindHandles(t *testing.T) {
	const id = "0190aaaa-0000-7000-8000-000000000001"
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0}, {"/", 0}, {"a/b-c", 0}, {id, 0}, {id + "/", 0}, {"/" + id, 0},
		{id + "/" + id, 1}, {"see " + id + "/" + id + "#1-2, or a/b", 1}, {"a/b " + id + "/" + id, 1}, {"[[plan/" + id + "]]", 1},
	} {
		if got := len(findHandles(tt.text)); got != tt.want {
			t.Errorf("findHandles(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}
