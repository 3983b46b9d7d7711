package search

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// String shows what n needs: "A B" both, "(A)|(B)" one of them.
func (n *need) String() string {
	var parts []string
	for _, k := range n.keys {
		parts = append(parts, string([]rune{rune(k >> 42), rune(k >> 21 & 0x1fffff), rune(k & 0x1fffff)}))
	}
	for _, p := range n.parts {
		parts = append(parts, "("+p.String()+")")
	}
	if n.any {
		return strings.Join(parts, "|")
	}
	return strings.Join(parts, " ")
}

func TestNeeds(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{"hello", "ELL HEL LLO"},
		{"(?i)hello", "ELL HEL LLO"},
		{"日本語", "日本語"},
		{"ab", ""},
		{".*", ""},
		{"abc|defg", "(ABC)|(DEF EFG)"},
		{"ab[cd]ef", "(ABC BCE CEF)|(ABD BDE DEF)"},
		{"abc.*def", "ABC DEF"},
		{"(abc)+", "ABC"},
		{"(abc)*def", "DEF"},
		{"x?abc", "(ABC)|(ABC XAB)"},
		{`\bfunc +Get\(`, " GE ET( FUN GET NC  UNC"},
		{"a{3}", "AAA"},
		{"^abc$", "ABC"},
		{`[a-z]{3}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			_, n, err := compile(tt.pattern)
			if err != nil {
				t.Fatal(err)
			}
			if got := n.String(); got != tt.want {
				t.Errorf("need %q, want %q", got, tt.want)
			}
		})
	}
}

// has reports whether a text has what n needs.
func (n *need) has(keys []trigram) bool {
	if n.any {
		return slices.ContainsFunc(n.parts, func(p *need) bool { return p.has(keys) })
	}
	for _, k := range n.keys {
		if _, ok := slices.BinarySearch(keys, k); !ok {
			return false
		}
	}
	for _, p := range n.parts {
		if !p.has(keys) {
			return false
		}
	}
	return true
}

// expressions draws patterns over a small alphabet, so that they match often.
func expressions() *rapid.Generator[string] {
	atom := rapid.OneOf(
		rapid.Map(rapid.StringOfN(rapid.RuneFrom([]rune("abcAkKsſſKß日 ")), 1, 5, -1), regexp.QuoteMeta),
		rapid.SampledFrom([]string{".", `\w`, `\b`, `\B`, "^", "$", "[a-c]", "[^a]", "(?i:k)", "(?i:s)", `\pL`, "[[:upper:]]", "(?s:.)", `\x{212a}`, "", "(?m:^)", `\d`, `\z`, `\A`, "[a-zA-Z日]", "(?i:ßk)", `(?U:a+)`, `\s`}),
	)
	var expression func(depth int) *rapid.Generator[string]
	expression = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return atom
		}
		sub := rapid.Deferred(func() *rapid.Generator[string] { return expression(depth - 1) })
		return rapid.Custom(func(t *rapid.T) string {
			x := sub.Draw(t, "x")
			switch rapid.IntRange(0, 9).Draw(t, "form") {
			case 0:
				return "(" + x + "|" + sub.Draw(t, "y") + ")"
			case 1:
				return "(?:" + x + ")" + rapid.SampledFrom([]string{"*", "+", "?", "{2}", "{0,2}", "{1,}", "*?"}).Draw(t, "times")
			case 2:
				return "(?i:" + x + ")"
			case 3, 4, 5:
				return x + sub.Draw(t, "y")
			case 6:
				return x + sub.Draw(t, "y") + sub.Draw(t, "z")
			}
			return x
		})
	}
	return expression(4)
}

func lines() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom([]rune("abcABCkKKsSſßẞ日 \r")), 0, 14, -1),
		rapid.StringN(0, 8, -1),
	)
}

// TestNeedsAreSound holds that a text in which an expression matches a line
// has what the expression needs.
func TestNeedsAreSound(t *testing.T) {
	matched, needy := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		pattern := expressions().Draw(t, "pattern")
		re, err := regexp.Compile(pattern)
		if err != nil || len(pattern) > maxPattern {
			t.Skip("not an expression")
		}
		parsed, _ := syntax.Parse(pattern, syntax.Perl)
		n := needOf(parsed)
		for range 20 {
			text := strings.Join(rapid.SliceOfN(lines(), 1, 3).Draw(t, "lines"), "\n")
			if rapid.Bool().Draw(t, "made to match") {
				text += rapid.StringMatching(pattern).Draw(t, "match") + lines().Draw(t, "rest")
			}
			found := slices.ContainsFunc(strings.Split(text, "\n"), func(l string) bool { return re.MatchString(strings.TrimSuffix(l, "\r")) })
			if !found {
				continue
			}
			matched++
			if !n.isNothing() {
				needy++
			}
			if !n.has(trigramsOf(text)) {
				t.Fatalf("%q matches in %q, but needs %s", pattern, text, n)
			}
		}
	})
	t.Logf("%d matches, %d of them of expressions that need something", matched, needy)
	if needy == 0 {
		t.Error("no expression that needs something has matched")
	}
}

func TestFoldFollowsSimpleFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for q := unicode.SimpleFold(r); q != r; q = unicode.SimpleFold(q) {
			if fold(q) != fold(r) {
				t.Fatalf("fold(%q) = %q, fold(%q) = %q", q, fold(q), r, fold(r))
			}
		}
	}
}

func TestPostings(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var p postings
	var want []uint32
	n := uint32(0)
	for range 5000 {
		n += 1 + uint32(rng.IntN(1<<rng.IntN(18)))
		p.add(n)
		want = append(want, n)
	}
	if got := p.all(); !slices.Equal(got, want) {
		t.Errorf("all = %v…, want %v…", got[:5], want[:5])
	}
	var some, both []uint32
	for i, n := range want {
		switch {
		case i%3 == 0:
			some, both = append(some, n), append(both, n)
		case i%3 == 1 && n-1 != want[i-1]:
			some = append(some, n-1)
		}
	}
	if got := p.within(some); !slices.Equal(got, both) {
		t.Errorf("within = %d numbers, want %d", len(got), len(both))
	}
}

func TestPatternErrors(t *testing.T) {
	tests := []struct{ pattern, says string }{
		{"", "pattern is empty"},
		{"a(b", "missing closing ) at character 4"},
		{"日本(b|c", "at character 7"},
		{"ab)c)", "unexpected ) at character 3"},
		{"a[b", "missing closing ] at character 2"},
		{"ab**", "invalid nested repetition operator at character 3"},
		{"*a", "missing argument to repetition operator at character 1"},
		{`a\`, "trailing backslash at end of expression at character 3"},
		{`ab\qc`, "invalid escape sequence at character 3"},
		{"(?<n>a)(?=b)", "at character 8"},
		{"a{1001}", "invalid repeat count at character 2"},
		{"\xff", "invalid UTF-8"},
		{strings.Repeat("a", maxPattern+1), "pattern of 1001 bytes"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.20q", tt.pattern), func(t *testing.T) {
			_, _, err := compile(tt.pattern)
			if !strings.Contains(fmt.Sprint(err), tt.says) {
				t.Errorf("error %v, want one that says %q", err, tt.says)
			}
		})
	}
}
