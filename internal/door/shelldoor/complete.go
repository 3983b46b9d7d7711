package shelldoor

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// completeTime is how long a shell is kept waiting for the server.
const completeTime = 2 * time.Second

// completion returns words that may stand in a place, with a tab in front of
// what they mean.
type completion = func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective)

// anyBlock stands for the word that is being completed.
const anyBlock = "00000000-0000-0000-0000-000000000000"

// completeArg completes a word that is no flag.
func (l *line) completeArg(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if l.op.Name == importName {
		return []cobra.Completion{"md", "json", "automerge"}, cobra.ShellCompDirectiveFilterFileExt
	}
	args = slices.Clone(args)
	PlainText(args)
	if c := l.value("context"); l.contextFirst() && l.value("block_id") == nil && len(args) == 0 && !c.set && l.context() == "" {
		return l.contexts(cmd, word)
	}
	if places := l.places(2); len(args) == 1 && fullID.MatchString(args[0]) && len(places) > 1 && len(places[1].enum) > 0 {
		return places[1].enum, cobra.ShellCompDirectiveNoFileComp // the id is more likely that of a block than that of a context
	}
	rest, err := l.takeContext(append(args, anyBlock)) // as if the word were a block already
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	rest = rest[:max(0, len(rest)-1)]
	places := l.placesFor(append(slices.Clone(rest), word))
	if len(places) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	v := places[min(len(rest), len(places)-1)]
	if len(rest) >= len(places) && !v.rest {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if f := l.completer(v); f != nil {
		return f(cmd, args, word)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completer returns what completes a parameter, nil when nothing does.
func (l *line) completer(v *value) completion {
	switch {
	case len(v.enum) > 0:
		return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return v.enum, cobra.ShellCompDirectiveNoFileComp
		}
	case v.kind == "boolean":
		return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return []cobra.Completion{"true", "false"}, cobra.ShellCompDirectiveNoFileComp
		}
	case l.isPath(v):
		return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return l.paths(cmd, args, v, word)
		}
	case l.op.Family() == "mount" && v.name == "mount":
		return func(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return l.mounts(cmd, word)
		}
	case l.op.Name == "git_branch" && v.name == "name":
		return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return l.branches(cmd, args, word)
		}
	case l.op.Name == mountName && v.name == "source":
		return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	case v.name == "item":
		return func(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return l.drifts(cmd, word)
		}
	case v.name == "context" || v.name == "contexts" || l.op.Family() == "drift" && slices.Contains([]string{"to", "from", "fork"}, v.name):
		return func(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return l.contexts(cmd, word)
		}
	case slices.Contains([]string{"block_id", "parent_id", "after", "before", "blocks"}, v.name):
		return func(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return l.blocks(cmd, word)
		}
	case v.long():
		return nil // a file, perhaps
	}
	return cobra.NoFileCompletions
}

// contexts completes a context: by label or title, by id or short id once one is
// begun.
func (l *line) contexts(cmd *cobra.Command, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return CompleteContexts(cmd.Context(), func(ctx context.Context) (json.RawMessage, error) {
		return l.ask(ctx, "context_list", nil)
	}, word)
}

// CompleteContexts completes the name of a context from a context_list.
func CompleteContexts(ctx context.Context, list func(context.Context) (json.RawMessage, error), word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := completing(ctx)
	defer cancel()
	result, err := list(ctx)
	var answer struct {
		Contexts []ContextRow `json:"contexts"`
	}
	if err != nil || json.Unmarshal(result, &answer) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []cobra.Completion
	for _, c := range answer.Contexts {
		switch {
		case word != "" && strings.HasPrefix(c.ID, word):
			words = append(words, cobra.CompletionWithDesc(c.ID, oneLine(c.Title, 40)))
		case word != "" && strings.HasPrefix(c.Short, word):
			words = append(words, cobra.CompletionWithDesc(c.Short, oneLine(c.Title, 40)))
		case c.Label != "" && strings.HasPrefix(c.Label, word):
			words = append(words, cobra.CompletionWithDesc(c.Label, oneLine(c.Title, 40)))
		case c.Title != "" && strings.HasPrefix(strings.ToLower(c.Title), strings.ToLower(word)):
			words = append(words, cobra.CompletionWithDesc(c.Title, plural(c.Blocks, "block", "blocks")))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// blocks completes the id of a block in the context that the line or the
// environment names.
func (l *line) blocks(cmd *cobra.Command, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	params := map[string]json.RawMessage{}
	c := l.value("context")
	switch {
	case c != nil && c.set:
		params["context"] = c.raw[0]
	case l.context() != "":
		raw, err := text(l.context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		params["context"] = raw
	default:
		return l.contexts(cmd, word) // a context may stand in front of a block
	}
	ctx, cancel := completing(cmd.Context())
	defer cancel()
	result, err := l.ask(ctx, "block_list", params)
	var answer struct {
		Blocks []struct {
			ID      string `json:"id"`
			Kind    string `json:"kind"`
			Summary string `json:"summary"`
		} `json:"blocks"`
	}
	if err != nil || json.Unmarshal(result, &answer) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []cobra.Completion
	for _, b := range answer.Blocks {
		if strings.HasPrefix(b.ID, word) {
			words = append(words, cobra.CompletionWithDesc(b.ID, b.Kind+": "+oneLine(b.Summary, 40)))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func completing(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx == nil {
		ctx = context.Background()
	}
	return context.WithTimeout(ctx, completeTime)
}

// ask runs an operation for a completion.
func (l *line) ask(ctx context.Context, name string, params map[string]json.RawMessage) (json.RawMessage, error) {
	o := l.tree.ops[name]
	if o == nil {
		return nil, &Failure{}
	}
	if params == nil {
		params = map[string]json.RawMessage{}
	}
	b, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return l.tree.door.Run(ctx, o, b)
}
