package git

import "strings"

// wildmatch matches a text with a pattern as git's wildmatch.c does. With
// paths, * and ? stop at slashes and ** between slashes does not. With fold,
// ASCII letters match in both cases. The time is the product of both lengths
// at worst: the pattern runs as an automaton with a set of places.
func wildmatch(pattern, text string, paths, fold bool) bool {
	prog, ok := compileWild(pattern, paths, fold)
	return ok && prog.match(text)
}

// wildProgram is a compiled pattern.
type wildProgram struct {
	steps []wildStep
	paths bool
	fold  bool
}

type wildStep struct {
	op    wildOp
	lit   byte
	class *[256]bool
	skip  int // of wildSkip
}

type wildOp byte

const (
	wildLit  wildOp = iota
	wildOne         // ?
	wildSet         // [a-z]
	wildStar        // *: anything but slashes, where paths count
	wildAny         // **: anything
	wildSkip        // before **/: go on here, or behind the slash
)

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// compileWild returns the steps of a pattern; false: it matches nothing.
func compileWild(p string, paths, fold bool) (wildProgram, bool) {
	prog := wildProgram{paths: paths, fold: fold}
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '\\':
			if i+1 == len(p) {
				return prog, false
			}
			prog.add(wildStep{op: wildLit, lit: p[i+1]})
			i += 2
		case '?':
			prog.add(wildStep{op: wildOne})
			i++
		case '[':
			class, n := compileSet(p[i:], fold)
			if n == 0 {
				return prog, false
			}
			prog.add(wildStep{op: wildSet, class: class})
			i += n
		case '*':
			i = prog.star(p, i)
		default:
			prog.add(wildStep{op: wildLit, lit: c})
			i++
		}
	}
	return prog, true
}

func (w *wildProgram) add(s wildStep) {
	if w.fold && s.op == wildLit {
		s.lit = lower(s.lit)
	}
	w.steps = append(w.steps, s)
}

// star adds the step for the asterisks at i and returns what follows them.
func (w *wildProgram) star(p string, i int) int {
	end := i
	for end < len(p) && p[end] == '*' {
		end++
	}
	step := wildStep{op: wildStar}
	if !w.paths {
		step.op = wildAny
	}
	rest := p[end:]
	if w.paths && end-i > 1 && (i == 0 || p[i-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
		step.op = wildAny
		if rest != "" && rest[0] == '/' {
			w.add(wildStep{op: wildSkip, skip: len(w.steps) + 3})
		}
	}
	w.add(step)
	return end
}

// match runs the program: at holds the steps that may come next.
func (w *wildProgram) match(text string) bool {
	n := len(w.steps)
	at, next := make([]bool, n+1), make([]bool, n+1)
	w.enter(at, 0)
	for i := range len(text) {
		c := text[i]
		clear(next)
		alive := false
		for s, on := range at[:n] {
			if !on {
				continue
			}
			switch step := &w.steps[s]; step.op {
			case wildSkip:
			case wildStar, wildAny:
				if step.op == wildAny || c != '/' {
					w.enter(next, s)
					alive = true
				}
			default:
				if w.matches(step, c) {
					w.enter(next, s+1)
					alive = true
				}
			}
		}
		if !alive {
			return false
		}
		at, next = next, at
	}
	return at[n]
}

func (w *wildProgram) matches(s *wildStep, c byte) bool {
	switch s.op {
	case wildOne:
		return c != '/' || !w.paths
	case wildSet:
		return s.class[c] && (c != '/' || !w.paths)
	}
	return s.lit == c || w.fold && s.lit == lower(c)
}

// enter marks step s, and what can follow without a byte.
func (w *wildProgram) enter(at []bool, s int) {
	for !at[s] {
		at[s] = true
		if s == len(w.steps) || w.steps[s].op < wildStar {
			return
		}
		if w.steps[s].op == wildSkip {
			w.enter(at, w.steps[s].skip)
		}
		s++
	}
}

// compileSet reads a bracket expression and returns its length, 0 if it is not
// closed.
func compileSet(p string, fold bool) (*[256]bool, int) {
	var set [256]bool
	i := 1
	at := func() byte {
		if i < len(p) {
			return p[i]
		}
		return 0
	}
	negated := at() == '^' || at() == '!'
	if negated {
		i++
	}
	prev := 0 // 0: no range can begin here
	for first := true; first || at() != ']'; first = false {
		c := at()
		if c == 0 {
			return nil, 0
		}
		switch {
		case c == '\\':
			i++
			if c = at(); c == 0 {
				return nil, 0
			}
			set[c] = true
			prev = int(c)
		case c == '-' && prev != 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			if c = at(); c == '\\' {
				i++
				if c = at(); c == 0 {
					return nil, 0
				}
			}
			for x := prev; x <= int(c); x++ {
				set[x] = true
			}
			prev = 0
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			end := strings.IndexByte(p[i+2:], ']')
			if end < 0 {
				return nil, 0
			}
			name := p[i+2 : i+2+end]
			if !strings.HasSuffix(name, ":") {
				set['['] = true
				prev = '['
				break
			}
			is := posixClasses[strings.TrimSuffix(name, ":")]
			if is == nil {
				return nil, 0
			}
			for x := range 256 {
				set[x] = set[x] || is(byte(x)) || fold && strings.HasPrefix(name, "upper") && x >= 'a' && x <= 'z'
			}
			i += 2 + end
			prev = 0
		default:
			set[c] = true
			prev = int(c)
		}
		i++
	}
	if fold {
		for c := byte('A'); c <= 'Z'; c++ {
			both := set[c] || set[lower(c)]
			set[c], set[lower(c)] = both, both
		}
	}
	for c := range set {
		set[c] = set[c] != negated
	}
	return &set, i + 1
}

var posixClasses = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < 32 || c == 127 },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return c > 32 && c < 127 },
	"lower":  func(c byte) bool { return c >= 'a' && c <= 'z' },
	"print":  func(c byte) bool { return c >= 32 && c < 127 },
	"punct":  func(c byte) bool { return c > 32 && c < 127 && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"upper":  isUpper,
	"xdigit": func(c byte) bool { return isDigit(c) || lower(c) >= 'a' && lower(c) <= 'f' },
}

func isAlpha(c byte) bool { return lower(c) >= 'a' && lower(c) <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
