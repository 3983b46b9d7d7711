package git

import (
	"strings"
	"unicode/utf8"
)

const (
	maxAttrLine  = 2048 // bytes; git ignores longer lines, too
	maxAttrFile  = 4 << 20
	maxAttrRules = 20000 // of one file; what is over is ignored
)

// attrRule is a line of a .gitattributes file.
type attrRule struct {
	pattern pathPattern
	macro   string // of [attr]name lines: the name; pattern is empty
	states  []attrSetting
}

type attrSetting struct {
	name  string
	state attrState
}

// parseAttributes reads a .gitattributes file as git's attr.c does: lines that
// make no sense are left out. Macros are defined where macros is true.
func parseAttributes(data []byte, macros bool) []attrRule {
	if len(data) > maxAttrFile {
		return nil
	}
	var rules []attrRule
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) >= maxAttrLine {
			continue
		}
		if rule, ok := parseAttrLine(line, macros); ok {
			rules = append(rules, rule)
		}
		if len(rules) >= maxAttrRules {
			break
		}
	}
	return rules
}

const attrBlank = " \t\r\n"

func parseAttrLine(line string, macros bool) (attrRule, bool) {
	var rule attrRule
	line = strings.TrimLeft(line, attrBlank)
	if line == "" || line[0] == '#' {
		return rule, false
	}
	name, rest, ok := "", "", false
	if line[0] == '"' {
		name, rest, ok = unquoteC(line)
	}
	if !ok {
		n := strings.IndexAny(line, attrBlank)
		if n < 0 {
			n = len(line)
		}
		name, rest = line[:n], line[n:]
	}
	if macro, is := strings.CutPrefix(name, "[attr]"); is && len(name) > len("[attr]") {
		if !macros || !validAttrName(macro) {
			return rule, false
		}
		rule.macro = macro
	} else {
		rule.pattern = parsePathPattern(name)
		if rule.pattern.negated {
			return rule, false
		}
	}
	for field := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune(attrBlank, r) }) {
		s, ok := parseAttrState(field)
		if !ok {
			return rule, false
		}
		rule.states = append(rule.states, s)
	}
	return rule, true
}

func parseAttrState(field string) (attrSetting, bool) {
	var s attrSetting
	name, value, valued := strings.Cut(field, "=")
	switch {
	case name != "" && name[0] == '-':
		s = attrSetting{name[1:], attrUnset}
	case name != "" && name[0] == '!':
		s = attrSetting{name[1:], attrUnspecified}
	case valued:
		s = attrSetting{name, attrState(value)}
	default:
		s = attrSetting{name, attrSet}
	}
	return s, validAttrName(s.name)
}

func validAttrName(name string) bool {
	if name == "" || name[0] == '-' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isAlpha(c) && !isDigit(c) && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return true
}

// unquoteC reads a string in C's quotes, as git writes odd paths.
func unquoteC(s string) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			i++
			if i == len(s) {
				return "", "", false
			}
			if n := strings.IndexByte(`abfnrtv"\`, s[i]); n >= 0 {
				b.WriteByte("\a\b\f\n\r\t\v\"\\"[n])
				continue
			}
			if i+2 >= len(s) || s[i] < '0' || s[i] > '3' || s[i+1] < '0' || s[i+1] > '7' || s[i+2] < '0' || s[i+2] > '7' {
				return "", "", false
			}
			b.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// quoteC writes a path as git does where it is not plain: in C's quotes.
func quoteC(s string) string {
	plain := utf8.ValidString(s)
	for i := range len(s) {
		plain = plain && s[i] >= 32 && s[i] != '"' && s[i] != '\\' && s[i] < 127
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		c := s[i]
		if n := strings.IndexByte("\a\b\f\n\r\t\v\"\\", c); n >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abfnrtv"\`[n])
			continue
		}
		if c < 32 || c >= 127 {
			b.WriteByte('\\')
			b.WriteByte('0' + c>>6)
			b.WriteByte('0' + c>>3&7)
			b.WriteByte('0' + c&7)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}
