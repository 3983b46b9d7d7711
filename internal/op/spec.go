package op

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"kaijutsu"
)

// Scope says what an operation acts on, and so whose permission it takes.
type Scope uint8

// The scopes.
const (
	// OnContext operations act on one context, or on those that the caller may
	// see: the right is asked for where the context is found.
	OnContext Scope = iota
	// OnKernel operations act on the whole kernel: the caller needs the right
	// there.
	OnKernel
)

// Effect says what an operation does to what is stored.
type Effect uint8

// The effects.
const (
	Reads    Effect = iota // changes nothing
	Writes                 // adds or changes; can be taken back
	Destroys               // cannot be taken back
)

// Spec says what an operation is called, what it is for and who may use it.
type Spec struct {
	// Name is lower_snake_case, the family first: "block_append".
	Name string
	// Title is for buttons and lists: "Append to a block".
	Title string
	// Summary is one sentence, without a full stop at its end.
	Summary string
	// Description says the rest: units, defaults, what fails and how. Markdown.
	Description string

	Scope  Scope
	Right  kaijutsu.Right // what the caller needs, there
	Effect Effect
	// Repeatable says that doing it twice does no more than doing it once.
	Repeatable bool

	// Command is how the shell calls it: {"block", "append"}. Default: the
	// name, cut at its first underscore.
	Command []string
	// Args are parameters that the shell takes by position, in order. The last
	// one takes the rest of the line when it is an array or ends in "…".
	Args []string

	// Examples are real calls, shown by every door and run by the tests.
	Examples []Example
}

// Example is a call that works on a kernel prepared as its test says.
type Example struct {
	// Text says what it shows.
	Text string
	// In is the JSON of the parameters.
	In string
	// Shell is the same as a command line, without the leading "kj". Default:
	// made from In.
	Shell string
}

// Op is an operation. It is made by Define.
type Op struct {
	Spec
	// In and Out are the schemas of parameters and result, of type object.
	// They are not to be modified.
	In, Out *jsonschema.Schema
	// Aliases are other names under which parameters are taken, with their own.
	Aliases map[string]string

	numeric map[string]bool // strings that whole numbers are taken for

	// in and out get the schemas ready to validate, when first asked: most
	// parameters need no more than explain, and commands need neither.
	in, out func() (*jsonschema.Resolved, error)
	// unexplained says that In has keywords that explain does not know.
	unexplained bool
	run         func(*Set, request) (json.RawMessage, error)
}

// Family returns the first word of the name: "block".
func (o *Op) Family() string {
	family, _, _ := cutName(o.Name)
	return family
}
