package blocks

import (
	"errors"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"kaijutsu"
)

// glyphs are what texts of tests are made of: one to four bytes, combining
// marks, a flag, a family joined of four, surrogate pairs.
var glyphs = []string{"a", "\n", "é", "e\u0301", "漢", "\uFFFC", "😀", "👍🏼", "🇨🇭", "👨‍👩‍👧‍👦", "𝄞", "\u200d"}

func drawText(max int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := ""
		for _, g := range rapid.SliceOfN(rapid.SampledFrom(glyphs), 0, max).Draw(t, "glyphs") {
			s += g
		}
		return s
	})
}

func TestPositionsConvertThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawText(20).Draw(t, "text")
		runes := []rune(s)
		atByte, atUnit := map[int]int{}, map[int]int{} // positions that are between characters
		for n := range len(runes) + 1 {
			head := string(runes[:n])
			bytes, units := len(head), len(utf16.Encode(runes[:n]))
			atByte[bytes], atUnit[units] = n, n
			if got, err := RunesToBytes(s, n); got != bytes || err != nil {
				t.Fatalf("RunesToBytes(%q, %d) = %d, %v, want %d", s, n, got, err, bytes)
			}
			if got, err := RunesToUTF16(s, n); got != units || err != nil {
				t.Fatalf("RunesToUTF16(%q, %d) = %d, %v, want %d", s, n, got, err, units)
			}
		}
		check := func(name string, f func(string, int) (int, error), end int, known map[int]int) {
			for pos := -2; pos <= end+2; pos++ {
				want, ok := known[pos]
				got, err := f(s, pos)
				if ok && (got != want || err != nil) || !ok && !errors.Is(err, kaijutsu.ErrInvalid) {
					t.Fatalf("%s(%q, %d) = %d, %v, want %d, in range %v", name, s, pos, got, err, want, ok)
				}
			}
		}
		check("BytesToRunes", BytesToRunes, len(s), atByte)
		check("UTF16ToRunes", UTF16ToRunes, len(utf16.Encode(runes)), atUnit)
		for _, pos := range []int{-1, len(runes) + 1, 1 << 30} {
			_, err1 := RunesToBytes(s, pos)
			_, err2 := RunesToUTF16(s, pos)
			if !errors.Is(err1, kaijutsu.ErrInvalid) || !errors.Is(err2, kaijutsu.ErrInvalid) {
				t.Fatalf("position %d of %q: %v, %v", pos, s, err1, err2)
			}
		}
	})
}

func TestPositionsOfWhatIsNotUTF8(t *testing.T) {
	s := "a\xff😀\xed\xa0\xbdb"
	for n := range utf8.RuneCountInString(s) + 1 {
		bytes, err := RunesToBytes(s, n)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := BytesToRunes(s, bytes); got != n || err != nil {
			t.Errorf("BytesToRunes(%q, %d) = %d, %v, want %d", s, bytes, got, err, n)
		}
	}
}
