package shelldoor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kaijutsu/internal/op"
)

// param is a parameter of an operation, as the command line needs it.
type param struct {
	name        string   // as the operation has it: "max_matches"
	flag        string   // as the line has it: "max-matches"
	kind        string   // string, integer, number, boolean, array or object
	items       string   // kind of an array's items
	fields      []string // of an object, or of an array's objects
	enum        []string
	description string
	def         json.RawMessage // nil: none
	required    bool
	arg         bool // has a place on the line
	rest        bool // takes the rest of the line
}

// reserved are flags that every command has; a parameter of such a name goes
// by another one. A parameter named context is the flag --context.
var reserved = map[string]string{
	"json": "json-value", "params": "params-value", "help": "help-value", "output": "output-value",
	"server": "server-value", "token": "token-value", "data": "data-value",
}

// paramsOf returns an operation's parameters: those with a place on the line
// in its order, then the required ones, then the others by name.
func paramsOf(o *op.Op) []*param {
	var all []*param
	for _, name := range slices.Sorted(maps.Keys(o.In.Properties)) {
		s := o.In.Properties[name]
		p := &param{name: name, flag: FlagName(name), kind: s.Type, description: s.Description, def: s.Default}
		p.required = slices.Contains(o.In.Required, name)
		for _, v := range s.Enum {
			p.enum = append(p.enum, fmt.Sprint(v))
		}
		if s.Items != nil {
			p.items = s.Items.Type
			p.fields = slices.Sorted(maps.Keys(s.Items.Properties))
			for _, v := range s.Items.Enum {
				p.enum = append(p.enum, fmt.Sprint(v))
			}
		}
		if p.kind == "object" {
			p.fields = slices.Sorted(maps.Keys(s.Properties))
		}
		place := slices.IndexFunc(o.Args, func(a string) bool { return strings.TrimSuffix(a, "…") == name })
		p.arg = place >= 0
		p.rest = p.arg && place == len(o.Args)-1 && (p.kind == "array" || strings.HasSuffix(o.Args[place], "…"))
		all = append(all, p)
	}
	rank := func(p *param) int {
		for i, a := range o.Args {
			if strings.TrimSuffix(a, "…") == p.name {
				return i
			}
		}
		if p.required {
			return len(o.Args)
		}
		return len(o.Args) + 1
	}
	slices.SortStableFunc(all, func(a, b *param) int { return rank(a) - rank(b) })
	return all
}

// isRange reports whether the parameter is a pair of a start and an end, which
// a line may write START:END.
func (p *param) isRange() bool {
	return p.kind == "object" && slices.Equal(p.fields, []string{"end", "start"})
}

// FlagName returns the flag of a parameter: "max_matches" is --max-matches.
func FlagName(name string) string {
	flag := strings.ReplaceAll(name, "_", "-")
	if other := reserved[flag]; other != "" {
		return other
	}
	return flag
}

// long reports whether the parameter is a text that may come from standard
// input or from a file.
func (p *param) long() bool {
	if p.kind == "object" || p.kind == "array" && p.items == "object" {
		return true
	}
	return p.kind == "string" && slices.Contains(longTexts, p.name)
}

// longTexts are the parameters that hold what people write. In them "-" is
// standard input, "@FILE" a file and "@@" an "@".
var longTexts = []string{"content", "content_base64", "text", "insert", "patch", "expected_text", "token", "pairs"}

// typeName is what help calls the values of the parameter.
func (p *param) typeName() string {
	switch {
	case p.isRange():
		return "start:end"
	case p.kind == "array" && p.items == "object", p.kind == "object":
		return "json"
	case p.kind == "array":
		return p.items
	case p.kind == "integer":
		return "n"
	case len(p.enum) > 0 && p.enumLen() <= 40:
		return strings.Join(p.enum, "|")
	}
	return p.kind
}

func (p *param) enumLen() int { return len(strings.Join(p.enum, "|")) }

// label is what the parameter's place is called: BLOCK for block_id.
func (p *param) label() string { return strings.ToUpper(strings.TrimSuffix(p.name, "_id")) }

// place is the parameter as usage lines show it.
func (p *param) place() string {
	s := p.label()
	if p.rest {
		s += "..."
	}
	if !p.required {
		s = "[" + s + "]"
	}
	return s
}
