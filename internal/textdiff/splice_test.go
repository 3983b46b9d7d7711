package textdiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// apply is the plain meaning of a list of splices.
func apply(t interface{ Fatalf(string, ...any) }, text string, splices []Splice) string {
	for _, s := range splices {
		// Not []rune: a conversion would change what is not valid UTF-8.
		parts := splitRunes(text)
		if s.Pos < 0 || s.Del < 0 || s.Pos+s.Del > len(parts) {
			t.Fatalf("splice %+v is outside of a text of %d code points", s, len(parts))
		}
		text = strings.Join(parts[:s.Pos], "") + s.Ins + strings.Join(parts[s.Pos+s.Del:], "")
	}
	return text
}

func TestSplices(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       []Splice
	}{
		{"equal", "same", "same", nil},
		{"from nothing", "", "new", []Splice{{0, 0, "new"}}},
		{"to nothing", "old", "", []Splice{{0, 3, ""}}},
		{"a letter in a word", "the cat sat", "the cut sat", []Splice{{5, 1, "u"}}},
		{"a word", "the cat sat", "the horse sat", []Splice{{4, 3, "horse"}}},
		{"two words", "one two three four", "ONE two three FOUR", []Splice{{0, 3, "ONE"}, {14, 4, "FOUR"}}},
		{"code points, not bytes", "héllo 😀 wörld", "héllo 😀 world", []Splice{{9, 1, "o"}}},
		{"lines far apart", "a\nb\nc\nd\n", "a\nB\nc\nd\ne\n", []Splice{{2, 1, "B"}, {8, 0, "e\n"}}},
		{"a line feed at the end", "x", "x\n", []Splice{{1, 0, "\n"}}},
		{"not UTF-8", "a\xffb", "a\xffc", []Splice{{0, 3, "a\xffc"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Splices(tt.a, tt.b)
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("Splices(%q, %q) = %+v, want %+v", tt.a, tt.b, got, tt.want)
			}
			if got := apply(t, tt.a, got); got != tt.b {
				t.Errorf("applied: %q, want %q", got, tt.b)
			}
		})
	}
}

// TestSplicesLeaveOtherTextAlone changes some words of a long text and wants
// splices that touch nothing else.
func TestSplicesLeaveOtherTextAlone(t *testing.T) {
	for _, sep := range []string{" ", "\n"} {
		rng := rand.New(rand.NewPCG(1, 2))
		words := make([]string, 20000)
		for i := range words {
			words[i] = fmt.Sprintf("w%d", rng.IntN(500))
		}
		a := strings.Join(words, sep)
		changed := 0
		for i := 50; i < len(words); i += 97 {
			words[i] = "CHANGED"
			changed++
		}
		b := strings.Join(words, sep)
		splices := Splices(a, b)
		deleted := 0
		for _, s := range splices {
			deleted += s.Del
		}
		if len(splices) != changed || deleted > 4*changed {
			t.Errorf("separator %q: %d splices that delete %d code points, want %d and at most %d", sep, len(splices), deleted, changed, 4*changed)
		}
		if apply(t, a, splices[:1]) == a {
			t.Errorf("separator %q: the first splice changes nothing", sep)
		}
	}
}

// texts draws pairs of which the second is often an edit of the first.
func texts() *rapid.Generator[[2]string] {
	piece := rapid.OneOf(
		rapid.StringN(0, 12, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("ab \n")), 0, 30, -1),
		rapid.SampledFrom([]string{"e\u0301", "\u0301", "👩\u200d👩\u200d👧", "\u202e", "\r\n", "\x00", "\ufeff", "\ufffd", "\xff", "\xe2\x82", "word", "a\nb\n"}),
	)
	return rapid.Custom(func(t *rapid.T) [2]string {
		parts := rapid.SliceOfN(piece, 0, 40).Draw(t, "parts")
		var a, b strings.Builder
		for _, p := range parts {
			switch rapid.IntRange(0, 5).Draw(t, "kept") {
			case 0:
				a.WriteString(p)
			case 1:
				b.WriteString(p)
			case 2:
				a.WriteString(p)
				b.WriteString(piece.Draw(t, "instead"))
			default:
				a.WriteString(p)
				b.WriteString(p)
			}
		}
		return [2]string{a.String(), b.String()}
	})
}

func TestSplicesOfAnyTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ab := texts().Draw(t, "texts")
		splices := Splices(ab[0], ab[1])
		if got := apply(t, ab[0], splices); got != ab[1] {
			t.Fatalf("Splices(%q, %q) = %+v, applied: %q", ab[0], ab[1], splices, got)
		}
		end := 0
		for _, s := range splices {
			if s.Del == 0 && s.Ins == "" || s.Pos < end {
				t.Fatalf("splice %+v of %+v is empty or out of order", s, splices)
			}
			end = s.Pos + utf8.RuneCountInString(s.Ins)
		}
	})
}

// hardPairs are large pairs that a quadratic comparison would choke on.
func hardPairs() map[string][2]string {
	rng := rand.New(rand.NewPCG(3, 4))
	noise := func(n int, alphabet string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return string(b)
	}
	const mb = 1 << 19
	return map[string][2]string{
		"one letter":           {strings.Repeat("a", 3*mb), strings.Repeat("a", 2*mb) + "b" + strings.Repeat("a", mb)},
		"two letters":          {noise(2*mb, "ab"), noise(2*mb, "ab")},
		"short equal lines":    {noise(2*mb, "ab\n"), noise(2*mb, "ab\n")},
		"short words":          {noise(2*mb, "ab "), noise(2*mb, "ab ")},
		"punctuation":          {noise(mb, ".,"), noise(mb, ".,")},
		"line feeds":           {strings.Repeat("\n", 2*mb), strings.Repeat("\n", mb) + "x" + strings.Repeat("\n", mb)},
		"nothing in common":    {strings.Repeat("x y\n", mb/2), strings.Repeat("z.w\r", mb/2)},
		"lines in reverse":     reversed(mb / 16),
		"periods of 3 and 4":   {strings.Repeat("a\nb\nc\n", mb/4), strings.Repeat("a\nb\nc\nd\n", mb/5)},
		"indented":             {indented(mb/16, ""), indented(mb/16, "\t")},
		"words in other order": {noise(mb, "abcdefghijklmnopqrst "), noise(mb, "abcdefghijklmnopqrst ")},
	}
}

func reversed(n int) [2]string {
	a, b := make([]string, n), make([]string, n)
	for i := range n {
		a[i] = fmt.Sprintf("line %d\n", i)
		b[n-1-i] = a[i]
	}
	return [2]string{strings.Join(a, ""), strings.Join(b, "")}
}

func indented(n int, by string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sstep(%d, %q)\n", by, i%100, "x")
	}
	return b.String()
}

func TestSplicesOfHardTextsEndInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	for name, ab := range hardPairs() {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			splices := Splices(ab[0], ab[1])
			took := time.Since(began)
			t.Logf("%d and %d bytes: %v, %d splices", len(ab[0]), len(ab[1]), took, len(splices))
			if took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if got := applyFast(ab[0], splices); got != ab[1] {
				t.Errorf("applied splices do not give the text")
			}
		})
	}
}

// applyFast is apply for valid texts and splices from front to back.
func applyFast(text string, splices []Splice) string {
	runes := []rune(text)
	var out []rune
	at := 0
	for _, s := range splices {
		keep := s.Pos - len(out)
		out = append(append(out, runes[at:at+keep]...), []rune(s.Ins)...)
		at += keep + s.Del
	}
	return string(append(out, runes[at:]...))
}

func BenchmarkSplices(b *testing.B) {
	words := strings.Fields(strings.Repeat("the quick brown fox jumps over a lazy dog ", 500))
	old := strings.Join(words, " ")
	words[2000] = "cat"
	changed := strings.Join(words, " ")
	b.SetBytes(int64(len(old)))
	for b.Loop() {
		Splices(old, changed)
	}
}
