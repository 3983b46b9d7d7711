package search

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// The method is that of Russ Cox, "Regular Expression Matching with a Trigram
// Index" (https://swtch.com/~rsc/regexp/regexp4.html): from the leaves of an
// expression up, what its matches are, begin with, end with and must contain.
// Ours works on case-folded characters instead of bytes.

const (
	maxExact = 16 // strings that matches are listed by
	maxEnds  = 20 // strings that matches are said to begin or end with
	maxClass = 64 // characters of a class that is listed
)

// traits say what is known of the matches of an expression, case folded.
type traits struct {
	exact  []string // all there are, when known
	prefix []string // each match begins with one of them; when exact is not known
	suffix []string // each match ends with one of them; when exact is not known
	must   *need    // beside what exact, prefix and suffix say
}

// needOf returns what a text needs for the expression to match inside one of
// its lines. It may need less than it could, never more than it must.
func needOf(re *syntax.Regexp) *need {
	return traitsOf(re.Simplify()).settled().must
}

func exactly(s ...string) traits { return traits{exact: s, must: nothing} }

func unknown() traits {
	return traits{prefix: []string{""}, suffix: []string{""}, must: nothing}
}

func traitsOf(re *syntax.Regexp) traits {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return exactly("")
	case syntax.OpLiteral:
		folded := make([]rune, len(re.Rune))
		for i, r := range re.Rune {
			folded[i] = fold(r)
		}
		return exactly(string(folded)).reduced()
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpCapture:
		return traitsOf(re.Sub[0])
	case syntax.OpConcat:
		out := exactly("")
		for _, sub := range re.Sub {
			out = follow(out, traitsOf(sub)).reduced()
		}
		return out
	case syntax.OpAlternate:
		out := traitsOf(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			out = either(out, traitsOf(sub)).reduced()
		}
		return out
	case syntax.OpQuest:
		return either(traitsOf(re.Sub[0]), exactly("")).reduced()
	case syntax.OpPlus:
		return traitsOf(re.Sub[0]).settled()
	}
	return unknown() // OpStar, OpAnyChar, OpNoMatch and what may come
}

// class lists the characters of a small class.
func class(ranges []rune) traits {
	var set []string
	n := 0
	for i := 0; i+1 < len(ranges); i += 2 {
		if n += int(ranges[i+1]-ranges[i]) + 1; n > maxClass {
			return unknown()
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			set = append(set, string(fold(r)))
		}
	}
	if set = unite(set, nil); len(set) == 0 || len(set) > maxExact {
		return unknown()
	}
	return exactly(set...)
}

// heads and tails are what matches begin and end with.
func (t traits) heads() []string {
	if t.exact != nil {
		return t.exact
	}
	return t.prefix
}

func (t traits) tails() []string {
	if t.exact != nil {
		return t.exact
	}
	return t.suffix
}

// follow returns the traits of x followed by y.
func follow(x, y traits) traits {
	if x.exact != nil && y.exact != nil && len(x.exact)*len(y.exact) <= maxExact*maxExact {
		return traits{exact: cross(x.exact, y.exact), must: x.must.and(y.must)}
	}
	out := traits{prefix: x.heads(), suffix: y.tails()}
	if x.exact != nil {
		out.prefix = cross(x.exact, y.heads())
	}
	if y.exact != nil {
		out.suffix = cross(x.tails(), y.exact)
	}
	seam := needOneOf(cross(x.tails(), y.heads()))
	out.must = x.settled().must.and(y.settled().must).and(seam)
	return out
}

// either returns the traits of x or y.
func either(x, y traits) traits {
	if x.exact != nil && y.exact != nil {
		return traits{exact: unite(x.exact, y.exact), must: x.must.or(y.must)}
	}
	return traits{
		prefix: unite(x.heads(), y.heads()),
		suffix: unite(x.tails(), y.tails()),
		must:   x.settled().must.or(y.settled().must),
	}
}

// settled returns t with what exact, prefix and suffix say put into must.
func (t traits) settled() traits {
	if t.exact != nil {
		t.must = t.must.and(needOneOf(t.exact))
		t.prefix, t.suffix, t.exact = t.exact, t.exact, nil
	} else {
		t.must = t.must.and(needOneOf(t.prefix)).and(needOneOf(t.suffix))
	}
	t.prefix = shorten(t.prefix, func(r []rune, n int) []rune { return r[:n] })
	t.suffix = shorten(t.suffix, func(r []rune, n int) []rune { return r[len(r)-n:] })
	return t
}

// reduced settles t when it lists too much.
func (t traits) reduced() traits {
	if t.exact == nil || len(t.exact) > maxExact || slices.ContainsFunc(t.exact, func(s string) bool { return utf8.RuneCountInString(s) > 3 }) {
		return t.settled()
	}
	return t
}

// shorten cuts the strings to two characters, or so few that they are few.
func shorten(set []string, cut func([]rune, int) []rune) []string {
	for n := 2; ; n-- {
		for i, s := range set {
			if i == 0 {
				set = slices.Clone(set)
			}
			if r := []rune(s); len(r) > n {
				set[i] = string(cut(r, n))
			}
		}
		if set = unite(set, nil); len(set) <= maxEnds || n == 0 {
			return set
		}
	}
}

// cross returns every string of x followed by every string of y.
func cross(x, y []string) []string {
	out := make([]string, 0, len(x)*len(y))
	for _, a := range x {
		for _, b := range y {
			out = append(out, a+b)
		}
	}
	return unite(out, nil)
}

// unite returns the strings of x and y, sorted and once.
func unite(x, y []string) []string {
	out := slices.Concat(x, y)
	slices.Sort(out)
	return slices.Compact(out)
}
