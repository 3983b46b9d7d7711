package shelldoor

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// blockWord is what may be a block's id or the beginning of one; anything else
// in its place is the context in front of it.
var blockWord = regexp.MustCompile(`^[0-9a-f-]{6,36}$`)

// fullID is an id in full, of a block or of a context.
var fullID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// takeArgs gives the words of the line to the parameters that have a place on
// it and were not set by a flag.
func (l *line) takeArgs(cmd *cobra.Command, args []string) error {
	if l.op.Name == importName {
		return l.takeFile(cmd, args)
	}
	args, err := l.takeContext(args)
	if err != nil {
		return err
	}
	places := l.placesFor(args)
	for i, v := range places {
		if i >= len(args) {
			return nil
		}
		if v.rest {
			return l.takeRest(v, args[i:])
		}
		if err := v.Set(args[i]); err != nil {
			return fmt.Errorf("%s: %w", v.label(), err)
		}
	}
	if len(args) > len(places) {
		return fmt.Errorf("%q is one word too many: %s", args[len(places)], cmd.UseLine())
	}
	return nil
}

// places returns the places that n words are for.
func (l *line) places(n int) []*value {
	var places []*value
	required := 0
	for _, v := range l.values {
		if v.arg && !v.set {
			places = append(places, v)
			if v.required {
				required++
			}
		}
	}
	if len(places) > 0 && places[0].name == "context" && n < 1+required && l.context() != "" {
		return places[1:] // it is the one that is meant where none is named
	}
	return places
}

// contextFirst reports whether a context may stand in front of the places.
func (l *line) contextFirst() bool {
	c := l.value("context")
	return c != nil && !c.arg && l.op.Family() == "block"
}

// takeContext takes a context in front of the places: where a block is meant,
// a word that cannot be one; where none is, the first word unless a flag or the
// environment names the context.
func (l *line) takeContext(args []string) ([]string, error) {
	c := l.value("context")
	if !l.contextFirst() || c.set || len(args) == 0 || l.params != "" {
		return args, nil
	}
	block := l.value("block_id")
	if block == nil {
		if l.context() != "" {
			return args, nil
		}
		return args[1:], c.Set(args[0])
	}
	two := len(args) > 1
	if block.set || !two || blockWord.MatchString(args[0]) && !l.idOfContext(args) {
		return args, nil
	}
	if !blockWord.MatchString(args[1]) {
		return nil, fmt.Errorf("%q is no block of %q: want the id of one; kj block add makes a new one", shortened(args[1]), args[0])
	}
	return args[1:], c.Set(args[0])
}

// idOfContext reports whether the first of some words, which may be a block's id,
// is a context's: both it and the next are ids in full, or the next may be a
// block's too and the words fill all places behind a context.
func (l *line) idOfContext(args []string) bool {
	places := l.places(len(args))
	return fullID.MatchString(args[0]) && fullID.MatchString(args[1]) ||
		blockWord.MatchString(args[1]) && len(args) == len(places)+1 && !places[len(places)-1].rest
}

func shortened(s string) string {
	s = strings.TrimPrefix(s, TextMark)
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}

// takeRest gives the rest of the line to the last place: each word to an array,
// all words together to a text.
func (l *line) takeRest(v *value, args []string) error {
	if v.kind != "array" {
		if len(args) > 1 {
			args = slices.Clone(args)
			PlainText(args)
			return v.take(strings.Join(args, " "))
		}
		return v.Set(args[0])
	}
	for _, arg := range args {
		if err := v.Set(arg); err != nil {
			return fmt.Errorf("%s: %w", v.label(), err)
		}
	}
	return nil
}

// context returns the context that is meant where the line names none, "" when
// there is none.
func (l *line) context() string {
	if !l.contextDefault() || l.tree.door.Context == nil {
		return ""
	}
	return l.tree.door.Context()
}

// contextDefault reports whether the operation means some context when none is
// named: some mean all of them then, or the kernel.
func (l *line) contextDefault() bool {
	c := l.value("context")
	return c != nil && !c.required && slices.Contains([]string{"context", "block", "undo", "elicit", "presence", "drift", "citation"}, l.op.Family())
}
