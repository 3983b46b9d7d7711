package shelldoor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kaijutsu/internal/op"
)

// Door is what commands need of the world.
type Door struct {
	// Run runs an operation and returns the bytes of its result; required. An
	// error that is a Failure keeps the server's words and exit status.
	Run func(ctx context.Context, o *op.Op, params json.RawMessage) (json.RawMessage, error)
	// Context returns the context that is meant where a line names none, ""
	// when there is no such context; it may be nil.
	Context func() string
	// Local reports whether the server reads the files of this machine, so that
	// paths on the line can be made such as it finds; it may be nil.
	Local func() bool
}

// families are the first words of commands, as the line has them.
var families = map[string]string{"context": "ctx"}

// about says what a family of commands is for.
var about = map[string]string{
	"ctx":    "Make, list, read, fork and archive contexts",
	"block":  "Write, read and arrange blocks",
	"kernel": "Ask all contexts at once",
	"token":  "Let people and agents in, and say what they may do",
	"role":   "Say who may do what in a context",
	"seat":   "Say where you are, and see who is there",
	"server": "Ask the server about itself",
	"drift":  "Hand findings on from one context to another",
	"cite":   "Point at lines as they were, and read them",

	"mount":    "Mount folders and git worktrees, and list what is mounted",
	"fs":       "Read, write and arrange the files of mounts",
	"git":      "Status, differences, log, branches and commits of git mounts",
	"notes":    "Carry the notes that say who wrote which lines",
	"identity": "Say under which names commits name people and agents",

	"node":     "Ask a node about itself and the others",
	"events":   "Get what has happened, from a version on",
	"presence": "Say what you are doing in a context",
	"elicit":   "Ask people a question and wait for the answer",

	"limit":      "List what callers and editors may use, and change it",
	"quarantine": "List changes that are not worked on, and release them",
	"storage":    "Check what is on the disk, and mend damaged documents",
}

// Commands returns the commands of operations: those of one family below one
// command, each family once.
func Commands(ops []*op.Op, d Door) []*cobra.Command {
	t := &tree{door: d, ops: make(map[string]*op.Op), groups: make(map[string]*cobra.Command)}
	for _, o := range ops {
		t.ops[o.Name] = o
	}
	for _, o := range ops {
		t.add(o)
	}
	for _, word := range t.order {
		t.settleGroup(word)
	}
	all := make([]*cobra.Command, 0, len(t.order))
	for _, word := range t.order {
		all = append(all, t.groups[word])
	}
	return all
}

// tree is the commands while they are made.
type tree struct {
	door   Door
	ops    map[string]*op.Op
	groups map[string]*cobra.Command // by first word
	order  []string
}

// add puts an operation's command at its place, and at others where people look
// for it.
func (t *tree) add(o *op.Op) {
	t.put(o, Path(o))
	for _, words := range otherPlaces[o.Name] {
		t.put(o, words)
	}
}

func (t *tree) put(o *op.Op, words []string) {
	group := t.groups[words[0]]
	if len(words) == 1 {
		cmd := t.command(o, words[0])
		if group != nil {
			cmd.AddCommand(group.Commands()...)
		} else {
			t.order = append(t.order, words[0])
		}
		t.groups[words[0]] = cmd
		return
	}
	if group == nil {
		group = newGroup(words[0])
		t.groups[words[0]] = group
		t.order = append(t.order, words[0])
	}
	group.AddCommand(t.command(o, words[1]))
}

// Path returns the words of an operation's command, as lines have them; at most
// two.
func Path(o *op.Op) []string {
	words := slices.Clone(o.Command)
	if short := families[words[0]]; short != "" {
		words[0] = short
	}
	if len(words) > 2 {
		words = []string{words[0], strings.Join(words[1:], "-")}
	}
	return words
}

func newGroup(word string) *cobra.Command {
	short := about[word]
	if short == "" {
		short = "Operations of the family " + word
	}
	group := &cobra.Command{Use: word, Short: short}
	for long, alias := range families {
		if alias == word {
			group.Aliases = append(group.Aliases, long)
		}
	}
	return group
}

// settleGroup gives a family its examples: the first of each of its first
// commands.
func (t *tree) settleGroup(word string) {
	group := t.groups[word]
	if group.Example != "" || !group.HasSubCommands() {
		return
	}
	var lines []string
	for _, sub := range group.Commands() {
		if o := t.ops[sub.Annotations[opKey]]; o != nil && len(o.Examples) > 0 && len(lines) < 4 {
			lines = append(lines, "  "+Line(o, o.Examples[0]))
		}
	}
	group.Example = strings.Join(lines, "\n")
}

// opKey is the annotation of a command that holds its operation's name.
const opKey = "operation"

// OpName returns the name of the operation that a command runs, "" when it runs
// none.
func OpName(cmd *cobra.Command) string { return cmd.Annotations[opKey] }

// command makes the command of one operation.
func (t *tree) command(o *op.Op, verb string) *cobra.Command {
	l := newLine(t, o)
	cmd := &cobra.Command{
		Use:               l.use(verb),
		Aliases:           aliases[o.Name],
		Short:             o.Summary,
		Annotations:       map[string]string{opKey: o.Name},
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: l.completeArg,
		RunE:              l.run,
		// kj adds its connection flags to every command; the line of use says so
		DisableFlagsInUseLine: true,
	}
	var examples []string
	for _, e := range o.Examples {
		examples = append(examples, "  "+Line(o, e))
	}
	cmd.Example = strings.Join(examples, "\n")
	l.addFlags(cmd)
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), l.help(cmd)) })
	return cmd
}

// use returns the usage line behind the family.
func (l *line) use(verb string) string {
	words := []string{verb}
	if l.contextFirst() {
		words = append(words, "[CONTEXT]")
	}
	for _, v := range l.values {
		switch {
		case v.arg && l.op.Name == importName:
			words = append(words, "FILE")
		case v.arg:
			words = append(words, v.place())
		}
	}
	return strings.Join(words, " ")
}

// addFlags adds a flag for each parameter, and those that every command has.
func (l *line) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	for _, v := range l.values {
		flag := f.VarPF(v, v.flag, shorthands[l.op.Name][v.name], strings.ReplaceAll(v.description, "`", "'"))
		if v.kind == "boolean" {
			flag.NoOptDefVal = "true"
			if string(v.def) == "true" {
				no := f.VarPF(&refusal{v}, "no-"+v.flag, "", "the same as --"+v.flag+"=false")
				no.NoOptDefVal, no.Hidden = "true", true
			}
		}
		if complete := l.completer(v); complete != nil {
			// it fails only for a flag that is not there
			_ = cmd.RegisterFlagCompletionFunc(v.flag, complete)
		}
		if v.isEdits() {
			addEditFlags(cmd, v)
		}
	}
	for alias, name := range l.op.Aliases {
		if v := l.value(name); v != nil && f.Lookup(FlagName(alias)) == nil {
			f.VarPF(v, FlagName(alias), "", "the same as --"+v.flag).Hidden = true
			if complete := l.completer(v); complete != nil {
				_ = cmd.RegisterFlagCompletionFunc(FlagName(alias), complete) // as above
			}
		}
	}
	l.addNewBlock(cmd)
	f.BoolVar(&l.asJSON, "json", false, "print the result as the server gave it")
	f.StringVar(&l.params, "params", "", "all parameters as `json`, @FILE or - (standard input); flags come on top")
	if l.op.Name == listName {
		f.BoolVarP(&l.long, "long", "l", false, "show kind, size, time and block of each")
	}
	if l.op.Name == exportName {
		f.StringVarP(&l.output, "output", "o", "", "`file` to write the content to")
	}
}

// refusal is the flag --no-X of a boolean.
type refusal struct{ v *value }

func (r *refusal) String() string { return "" }
func (r *refusal) Type() string   { return "bool" }
func (r *refusal) Set(s string) error {
	if s != "true" {
		return fmt.Errorf("takes no value")
	}
	return r.v.Set("false")
}
