package shelldoor

import (
	"fmt"

	"github.com/spf13/cobra"
)

// The operations behind kj block append CONTEXT TEXT.
const (
	appendName = "block_append"
	createName = "block_create"
)

// ofNewBlocks are the parameters of block_create that kj block append takes too,
// for the block that it makes.
var ofNewBlocks = []string{"kind", "role", "form", "parent_id"}

// addNewBlock lets an append make the block that it adds to: it gets the flags
// of block_create that say what the block is.
func (l *line) addNewBlock(cmd *cobra.Command) {
	create := l.tree.ops[createName]
	if l.op.Name != appendName || create == nil {
		return
	}
	l.create = newLine(l.tree, create)
	f := cmd.Flags()
	for _, name := range ofNewBlocks {
		v := l.create.value(name)
		if v == nil || f.Lookup(v.flag) != nil {
			continue
		}
		f.VarPF(v, v.flag, "", "of a new block: "+v.description).Hidden = true
		for alias, of := range create.Aliases {
			if of == name && f.Lookup(FlagName(alias)) == nil {
				f.VarPF(v, FlagName(alias), "", "the same as --"+v.flag).Hidden = true
			}
		}
	}
}

// newBlock returns the line of block_create that an append means whose words
// are a context and a text, with no block between them; nil when there is a
// block to append to. The id of a context is taken for that of a block, unless
// a flag says what the new block is.
func (l *line) newBlock(args []string) (*line, error) {
	if l.create == nil {
		return nil, nil
	}
	flag := l.flagOfNewBlock()
	named := l.value("context").set || l.value("block_id").set || l.value("text").set || l.params != ""
	if !named && len(args) > 1 && !blockWord.MatchString(args[1]) && (!blockWord.MatchString(args[0]) || flag != "") {
		l.create.asJSON = l.asJSON
		return l.create, l.create.value("context").Set(args[0])
	}
	if flag != "" {
		return nil, fmt.Errorf("--%s is for a new block, and this line appends to one", flag)
	}
	return nil, nil
}

// flagOfNewBlock returns a flag of the line that says what a new block is.
func (l *line) flagOfNewBlock() string {
	for _, name := range ofNewBlocks {
		if v := l.create.value(name); v != nil && v.set {
			return v.flag
		}
	}
	return ""
}
