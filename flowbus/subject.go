package flowbus

import (
	"fmt"
	"strings"

	"kaijutsu"
)

// prefix begins every subject.
const prefix = "kj."

// maxKernel bounds the name of a kernel, in bytes.
const maxKernel = 64

// CheckKernel refuses what cannot be the name of a kernel: 1 to 64 letters,
// digits, - and _ of ASCII. It is one token of every subject.
func CheckKernel(name string) error {
	if name == "" || len(name) > maxKernel || strings.ContainsFunc(name, func(r rune) bool { return !isWord(r) }) {
		return fmt.Errorf("kernel %.64q: %w: want 1 to %d letters, digits, - and _", name, kaijutsu.ErrInvalid, maxKernel)
	}
	return nil
}

// isWord reports whether r may be in a token.
func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}

// Subject returns where the event is heard: kj.<kernel>.ctx.<context>.<kind>,
// or kj.<kernel>.sys.<kind> when it is of no context.
func (e *Event) Subject() string {
	var id kaijutsu.ContextID
	if e.Context == id {
		return prefix + e.Kernel + ".sys." + string(e.Kind)
	}
	return prefix + e.Kernel + ".ctx." + e.Context.String() + "." + string(e.Kind)
}
