package flowbus

import (
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
)

// maxPattern bounds a pattern, in bytes.
const maxPattern = 500

// Pattern says which subjects are followed. It is made by ParsePattern.
type Pattern struct {
	tokens []string // without the kj.<kernel>. at the beginning
	text   string
}

// ParsePattern reads a pattern for the subjects of a kernel. Tokens are
// separated by dots; "*" stands for any one token, and ">", at the end only,
// for one or more. One that does not begin with "kj." is relative to the
// kernel: "ctx.*.block.>" is "kj.<kernel>.ctx.*.block.>". One of another kernel
// is refused, as nothing would ever come of it. The error wraps
// kaijutsu.ErrInvalid and says which token is wrong.
func ParsePattern(kernel, s string) (Pattern, error) {
	bad := func(format string, args ...any) (Pattern, error) {
		return Pattern{}, fmt.Errorf("pattern %.100q: %w: %s", s, kaijutsu.ErrInvalid, fmt.Sprintf(format, args...))
	}
	switch {
	case s == "":
		return bad(`it is empty; ">" follows everything`)
	case len(s) > maxPattern:
		return bad("%d bytes are too many; at most %d", len(s), maxPattern)
	}
	tokens := strings.Split(s, ".")
	for i, t := range tokens {
		switch {
		case t == "":
			return bad("token %d is empty; tokens are separated by one dot", i+1)
		case t == ">" && i+1 < len(tokens):
			return bad(`">" is token %d of %d; it stands at the end only, and "*" for one token`, i+1, len(tokens))
		case t == "*" || t == ">":
		case strings.ContainsAny(t, "*>"):
			return bad(`token %d is %.64q; "*" and ">" stand for whole tokens`, i+1, t)
		case strings.ContainsFunc(t, func(r rune) bool { return !isWord(r) }):
			return bad("token %d is %.64q; want letters, digits, - and _", i+1, t)
		}
	}
	if tokens[0] == "kj" {
		switch {
		case len(tokens) < 3 && tokens[len(tokens)-1] == ">":
			tokens = []string{">"} // kj.>
		case len(tokens) < 3:
			return bad("it ends before any subject does; want kj.%s.>", kernel)
		case tokens[1] != kernel && tokens[1] != "*":
			return bad("the kernel here is %q", kernel)
		default:
			tokens = tokens[2:]
		}
	}
	switch tokens[0] {
	case "ctx", "sys", "*", ">":
	default:
		return bad("it begins with %.64q; subjects begin with ctx.<context>. or sys., such as ctx.*.block.>", tokens[0])
	}
	p := Pattern{tokens: tokens, text: prefix + kernel + "." + strings.Join(tokens, ".")}
	if !slices.ContainsFunc(traits, func(t trait) bool { return p.May(t.kind) }) {
		return bad("no event has such a subject; they are ctx.<context>.<kind> and sys.<kind>, and a kind is like block.text")
	}
	return p, nil
}

// ContextPattern follows everything of one context.
func ContextPattern(kernel string, id kaijutsu.ContextID) Pattern {
	tokens := []string{"ctx", id.String(), ">"}
	return Pattern{tokens: tokens, text: prefix + kernel + "." + strings.Join(tokens, ".")}
}

// String returns the whole pattern, with the kernel.
func (p Pattern) String() string { return p.text }

// Context returns the one context that the pattern is of; false when it is of
// none or of many.
func (p Pattern) Context() (kaijutsu.ContextID, bool) {
	if len(p.tokens) < 3 || p.tokens[0] != "ctx" {
		return kaijutsu.ContextID{}, false
	}
	id, err := kaijutsu.ParseContextID(p.tokens[1])
	return id, err == nil
}

// Match reports whether the pattern matches a whole subject. It does not
// allocate.
func (p Pattern) Match(subject string) bool {
	rest, ok := strings.CutPrefix(subject, prefix)
	if !ok {
		return false
	}
	kernel, rest, ok := strings.Cut(rest, ".")
	if !ok || !strings.HasPrefix(p.text[len(prefix):], kernel+".") {
		return false
	}
	return matchTokens(p.tokens, rest)
}

// May reports whether the pattern matches events of a kind in some context, or
// in none.
func (p Pattern) May(k Kind) bool {
	domain, name, _ := strings.Cut(string(k), ".")
	return p.may([]string{"ctx", "", domain, name}) || !traitOf[k].context && p.may([]string{"sys", domain, name})
}

// may is Match, with a token "" that is matched by all.
func (p Pattern) may(subject []string) bool {
	for i, t := range p.tokens {
		switch {
		case i >= len(subject):
			return false
		case t == ">":
			return true
		case t != "*" && subject[i] != "" && t != subject[i]:
			return false
		}
	}
	return len(p.tokens) == len(subject)
}

func matchTokens(tokens []string, subject string) bool {
	for i, t := range tokens {
		if t == ">" {
			return subject != ""
		}
		token, rest, more := strings.Cut(subject, ".")
		if token == "" || t != "*" && t != token {
			return false
		}
		if last := i == len(tokens)-1; last || !more {
			return last && !more
		}
		subject = rest
	}
	return false
}
