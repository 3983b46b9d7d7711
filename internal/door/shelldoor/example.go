package shelldoor

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"kaijutsu/internal/op"
)

// Words returns the command line, without the leading "kj", that calls an
// operation with parameters: what has a place goes there, the rest into flags.
func Words(o *op.Op, params json.RawMessage) []string {
	words := Path(o)
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(params, &fields); err != nil {
		return append(words, "--params", string(params))
	}
	var flags []string
	known := paramsOf(o)
	noMount := false
	inPlace := o.Name != importName && (o.Name != createName || fields["context"] != nil)
	for _, p := range known {
		raw, ok := fields[p.name]
		delete(fields, p.name)
		switch {
		case !ok && p.optionalMount():
			noMount = true
		case !ok && p.arg:
			inPlace = false // what follows would slip into its place
		case !ok:
		default:
			if edits, ok := p.editWords(raw); ok {
				flags = append(flags, edits...)
				inPlace = false
				continue
			}
			values, ok := p.words(raw)
			if !ok {
				return append(Path(o), "--params", string(params))
			}
			if p.arg && inPlace && len(values) > 0 && !slices.ContainsFunc(values, looksLikeFlag) && !misread(p, words, values[0]) && !misplaced(p, noMount && len(words) == len(Path(o)), values[0]) {
				words = append(words, values...)
				continue
			}
			inPlace = inPlace && !p.arg
			for _, v := range values {
				flags = append(flags, "--"+p.flag+"="+v)
			}
		}
	}
	if len(fields) > 0 { // a parameter that there is not, or under another name
		return append(Path(o), "--params", string(params))
	}
	return append(words, flags...)
}

// misread reports whether a word would not be taken for what it is: in the
// place of a block what cannot be one is a context, and so is the first of two
// ids in full.
func misread(p *param, before []string, word string) bool {
	if p.name == "block_id" {
		return !blockWord.MatchString(word)
	}
	last := before[len(before)-1]
	return len(before) == 3 && before[0] == "block" && fullID.MatchString(last) && fullID.MatchString(word)
}

// misplaced reports whether a word would be taken for a mount that is none, or
// the other way round.
func misplaced(p *param, noMount bool, word string) bool {
	return p.optionalMount() && !isTreePath(word) || noMount && isTreePath(word)
}

func looksLikeFlag(s string) bool {
	return len(ProtectText([]string{s})[0]) == len(s) && strings.HasPrefix(s, "-") && len(s) > 1
}

// words returns what stands on the line for a value; false when no line can
// say it.
func (p *param) words(raw json.RawMessage) ([]string, bool) {
	if p.kind != "array" {
		w, ok := p.itemWord(p.kind, raw)
		return []string{w}, ok
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || len(items) == 0 {
		return nil, false
	}
	var words []string
	for _, item := range items {
		w, ok := p.itemWord(p.items, item)
		if !ok {
			return nil, false
		}
		words = append(words, w)
	}
	return words, true
}

func (p *param) itemWord(kind string, raw json.RawMessage) (string, bool) {
	if kind != "string" {
		got := strings.TrimSpace(string(raw))
		_, err := (&value{param: p}).encode(got)
		return got, err == nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || strings.Contains(s, "\x00") {
		return "", false
	}
	if p.long() {
		switch {
		case s == "-":
			return "", false
		case strings.HasPrefix(s, "@"):
			s = "@" + s
		}
	}
	return s, true
}

var safeWord = regexp.MustCompile(`^[A-Za-z0-9_./:,=@%+-]+$`)

// escapes are those of $'…' in bash, zsh and ksh.
var escapes = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\x1b", `\e`)

// Quote returns a word as a shell reads it.
func Quote(word string) string {
	if safeWord.MatchString(word) {
		return word
	}
	if flag, rest, ok := strings.Cut(word, "="); ok && strings.HasPrefix(flag, "--") && safeWord.MatchString(flag) {
		return flag + "=" + Quote(rest)
	}
	if strings.ContainsFunc(word, unicode.IsControl) {
		return "$'" + escapes.Replace(word) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Line returns an example's command line, "kj" included.
func Line(o *op.Op, e op.Example) string {
	if e.Shell != "" {
		return "kj " + e.Shell
	}
	var quoted []string
	for _, w := range Words(o, json.RawMessage(e.In)) {
		quoted = append(quoted, Quote(w))
	}
	return "kj " + strings.Join(quoted, " ")
}
