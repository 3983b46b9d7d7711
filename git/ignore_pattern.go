package git

import "strings"

// pathPattern is a pattern of a .gitignore or .gitattributes file, taken apart
// as parse_path_pattern of git's dir.c does.
type pathPattern struct {
	text     string // without "!" in front and "/" at the end
	negated  bool
	dirOnly  bool
	nameOnly bool // no slash: it is held against the last name of a path
	literal  int  // length of the part in front that has no wildcards
	suffix   bool // "*" and a literal
	prog     *wildProgram
}

func parsePathPattern(s string) pathPattern {
	p := pathPattern{nameOnly: true}
	if rest, ok := strings.CutPrefix(s, "!"); ok {
		p.negated, s = true, rest
	}
	if n := len(s); n > 0 && s[n-1] == '/' {
		p.dirOnly, s = true, s[:n-1]
	}
	p.nameOnly = strings.IndexByte(s, '/') < 0
	p.text = s
	p.literal = literalLen(s)
	p.suffix = s != "" && s[0] == '*' && literalLen(s[1:]) == len(s)-1
	return p.compile()
}

// compile prepares what match does not answer by comparing bytes.
func (p pathPattern) compile() pathPattern {
	text := p.text
	if p.nameOnly {
		if p.literal == len(text) || p.suffix {
			return p
		}
	} else {
		if text[0] == '/' {
			text = text[1:]
			p.literal = max(p.literal-1, 0)
		}
		p.text = text
		if p.literal == len(text) {
			return p
		}
		// The literal part is compared first, and the rest is a pattern of its
		// own: "a**/b" is "a" and "**/b", as it is for git.
		text = text[p.literal:]
	}
	if prog, ok := compileWild(text, !p.nameOnly, false); ok {
		p.prog = &prog
	}
	return p
}

// literalLen is the length of the part without wildcards.
func literalLen(s string) int {
	if n := strings.IndexAny(s, `*?[\`); n >= 0 {
		return n
	}
	return len(s)
}

// match holds the pattern against a path relative to the directory of its
// file. For a dirOnly pattern the caller knows that it is one.
func (p *pathPattern) match(rel string) bool {
	if p.nameOnly {
		name := rel[strings.LastIndexByte(rel, '/')+1:]
		switch {
		case p.literal == len(p.text):
			return name == p.text
		case p.suffix:
			return strings.HasSuffix(name, p.text[1:])
		}
		return p.prog != nil && p.prog.match(name)
	}
	if len(rel) < p.literal || rel[:p.literal] != p.text[:p.literal] {
		return false
	}
	if p.literal == len(p.text) {
		return len(rel) == p.literal
	}
	return p.prog != nil && p.prog.match(rel[p.literal:])
}
