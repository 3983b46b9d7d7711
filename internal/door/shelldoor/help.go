package shelldoor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// help is what kj help says of an operation.
func (l *line) help(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n  %s\n", l.op.Summary, cmd.UseLine())
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(&b, "  (or %s)\n", strings.Join(cmd.Aliases, ", "))
	}
	if l.op.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", wrap(strings.ReplaceAll(l.op.Description, "`", ""), 78))
	}
	if note := l.note(); note != "" {
		fmt.Fprintf(&b, "\n%s\n", wrap(note, 78))
	}
	b.WriteString("\nParameters:\n")
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, v := range l.values {
		l.helpParam(w, v)
	}
	if l.hasEdits() {
		fmt.Fprintln(w, "  --insert line:text\tAn edit: insert in front of a line, from 0. The text may be @FILE.")
		fmt.Fprintln(w, "  --replace start:end:text\tAn edit: put the text in the place of these lines.")
		fmt.Fprintln(w, "  --delete start:end\tAn edit: delete these lines.")
		fmt.Fprintln(w, "  --expect text\tWhat the lines of the --replace or --delete before hold now.")
	}
	fmt.Fprintln(w, "  --params json\tAll parameters at once: JSON, @FILE or - (standard input). Flags come on top.")
	fmt.Fprintln(w, "  --json\tPrint the result as the server gave it.")
	if l.op.Name == listName {
		fmt.Fprintln(w, "  -l, --long\tShow kind, size, time and block of each.")
	}
	if l.op.Name == exportName {
		fmt.Fprintln(w, "  -o, --output file\tThe file to write; its name tells the format. Default: standard output.")
	}
	w.Flush() // into a strings.Builder: it cannot fail
	if len(l.op.Examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, e := range l.op.Examples {
			if e.Text != "" {
				fmt.Fprintf(&b, "  # %s\n", e.Text)
			}
			fmt.Fprintf(&b, "  %s\n", Line(l.op, e))
		}
	}
	fmt.Fprintf(&b, "\nOver HTTP: POST /v1/ops/%s. Over MCP: the tool %s.\nFlags of every command, such as --server and --token: kj --help.\n", l.op.Name, l.op.Name)
	return b.String()
}

func (l *line) hasEdits() bool {
	for _, v := range l.values {
		if v.isEdits() {
			return true
		}
	}
	return false
}

// helpParam writes a parameter's row.
func (l *line) helpParam(w *tabwriter.Writer, v *value) {
	name := "--" + v.flag + " " + v.typeName()
	if v.kind == "boolean" {
		name = "--" + v.flag
	}
	if v.arg && l.op.Name != importName {
		name = v.label() + ", " + name
	}
	text := strings.ReplaceAll(v.description, "`", "")
	if v.def != nil {
		text += " Default: " + plainDefault(v.def) + "."
	}
	if v.kind == "array" {
		text += " May be repeated."
	}
	if len(v.enum) > 0 && v.enumLen() > 40 {
		text += " One of " + strings.Join(v.enum, ", ") + "."
	}
	if v.required {
		text += " Required."
	}
	if len(name) > 32 {
		fmt.Fprintf(w, "  %s\t\n", name)
		name = ""
	}
	for i, part := range strings.Split(wrap(strings.TrimSpace(text), 64), "\n") {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(w, "  %s\t%s\n", name, part)
	}
}

func plainDefault(raw json.RawMessage) string {
	var s string
	if err := json.Unmarshal(raw, &s); err == nil {
		return s
	}
	return string(raw)
}

// note says what this command does beyond the operation.
func (l *line) note() string {
	var notes []string
	switch {
	case l.contextFirst() && l.value("block_id") == nil:
		notes = append(notes, "The first word is the context, unless --context or KJ_CONTEXT names it.")
	case l.contextFirst():
		notes = append(notes, "A first word that cannot be the id of a block is the context that the block is in. KJ_CONTEXT names one for all commands.")
	case l.value("context") != nil && l.contextDefault():
		notes = append(notes, "Without a context, the one that KJ_CONTEXT names is meant.")
	}
	if l.create != nil {
		notes = append(notes, "With a context and no block, it makes a new block, as kj block add does, and takes its --kind, --role, --form and --parent.")
	}
	for _, v := range l.values {
		if v.long() && v.kind == "string" && v.arg {
			notes = append(notes, fmt.Sprintf("%s - is standard input, @FILE a file, @@ a text that begins with @.", v.label()))
			if l.couldStream(v) {
				notes = append(notes, "Standard input goes out as it comes, so that others see it live.")
			}
		}
	}
	if l.op.Name == importName {
		notes = append(notes, "The end of FILE's name tells the format: .md, .json or .automerge. FILE - is standard input, with --format.")
	}
	if humane[l.op.Name] != nil {
		for name, raw := range humane[l.op.Name] {
			notes = append(notes, fmt.Sprintf("For people, without --json, --%s is %s where it is not given.", FlagName(name), plainDefault(raw)))
		}
	}
	return strings.Join(notes, " ")
}

// wrap breaks the lines of a text at spaces; paragraphs stay apart.
func wrap(s string, width int) string {
	var out []string
	for _, paragraph := range strings.Split(s, "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			switch {
			case line == "":
				line = word
			case len([]rune(line))+1+len([]rune(word)) > width:
				out = append(out, line)
				line = word
			default:
				line += " " + word
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// Find returns the command of an operation by its name: "block_append".
func Find(root *cobra.Command, name string) *cobra.Command {
	for _, cmd := range root.Commands() {
		if OpName(cmd) == name {
			return cmd
		}
		if found := Find(cmd, name); found != nil {
			return found
		}
	}
	return nil
}

// Names returns the names of the operations that have commands below root.
func Names(root *cobra.Command) []string {
	var names []string
	for _, cmd := range root.Commands() {
		if name := OpName(cmd); name != "" {
			names = append(names, name)
		}
		names = append(names, Names(cmd)...)
	}
	slices.Sort(names)
	return slices.Compact(names) // some have two places
}

// Hide takes the commands of operations out of lists that are not there for the
// caller. It does not stop anybody from calling them: the server does.
func Hide(root *cobra.Command, there []string) {
	known := make(map[string]bool)
	for _, name := range there {
		known[name] = true
	}
	for _, cmd := range root.Commands() {
		if name := OpName(cmd); name != "" && !known[name] {
			cmd.Hidden = true
		}
		Hide(cmd, there)
		if cmd.HasSubCommands() && OpName(cmd) == "" && !slices.ContainsFunc(cmd.Commands(), func(c *cobra.Command) bool { return !c.Hidden }) {
			cmd.Hidden = true // a family of which nothing is left
		}
	}
}
