package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/catalog"
	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/op"
)

// listTime is how long help waits for the server to say which operations are
// there.
const listTime = 500 * time.Millisecond

// operations returns the commands of all operations. They are run by the
// server; here they are only known.
func operations(conn *connection) []*cobra.Command {
	set := catalog.New(catalog.Parts{})
	return shelldoor.Commands(set.All(), shelldoor.Door{
		Run: func(ctx context.Context, o *op.Op, params json.RawMessage) (json.RawMessage, error) {
			return conn.run(ctx, o.Name, params)
		},
		Context: func() string { return os.Getenv("KJ_CONTEXT") },
		Local:   conn.onThisMachine,
	})
}

// newHelp is kj help: of a command, or of an operation by its name.
func newHelp(root *cobra.Command, conn *connection) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | OPERATION]",
		Short: "Help about a command or an operation",
		Long: `Help about a command, or about an operation by its name.

A server that runs says which operations it has for you; the others are left
out of lists.`,
		Example: "  kj help block append\n  kj help block_append",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			words := shelldoor.Names(root)
			at, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, sub := range at.Commands() {
				if sub.IsAvailableCommand() {
					words = append(words, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			there, all := conn.there(cmd.Context()), shelldoor.Names(root)
			hide(root, there)
			if len(args) == 1 {
				if found := shelldoor.Find(root, args[0]); found != nil {
					return helpOf(cmd, found)
				}
			}
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				asked := strings.Join(args, " ")
				if near := op.Nearest(asked, all); near != "" {
					return shelldoor.Usage(cmd, fmt.Errorf("there is no command or operation %q; did you mean %q?", asked, near))
				}
				return shelldoor.Usage(cmd, fmt.Errorf("there is no command or operation %q", asked))
			}
			return helpOf(cmd, found)
		},
	}
}

// helpBelow is the word help behind a family: of the family, or of one of its
// commands.
func helpBelow(family *cobra.Command, words []string, conn *connection) error {
	hide(family.Root(), conn.there(family.Context()))
	found, rest, err := family.Find(words)
	if err != nil || len(rest) > 0 {
		return shelldoor.Usage(family, fmt.Errorf("there is no command %q%s", strings.Join(words, " "), didYouMean(family, strings.Join(words, " "))))
	}
	return helpOf(family, found)
}

// helpOf shows the help of a command, unless it is one that the server does not
// have for the caller.
func helpOf(cmd, found *cobra.Command) error {
	if name := shelldoor.OpName(found); name != "" && found.Hidden {
		return fmt.Errorf("operation %q: this server does not have it for you", name)
	}
	found.InitDefaultHelpFlag()
	return found.Help()
}

// hide leaves out of lists what the server does not have; with no answer
// everything stays.
func hide(root *cobra.Command, there []string) {
	if there != nil {
		shelldoor.Hide(root, there)
	}
}

// there asks the running server which operations are there; nil when none
// answers in time.
func (c *connection) there(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	var list struct {
		Operations []struct {
			Name string `json:"name"`
		} `json:"operations"`
	}
	if err := c.get(ctx, "/v1/ops", &list); err != nil || len(list.Operations) == 0 {
		return nil
	}
	names := make([]string, len(list.Operations))
	for i, o := range list.Operations {
		names[i] = o.Name
	}
	return names
}

// completeContext completes the one argument of a command that is a context.
func completeContext(conn *connection) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return shelldoor.CompleteContexts(cmd.Context(), func(ctx context.Context) (json.RawMessage, error) {
			return conn.run(ctx, "context_list", json.RawMessage("{}"))
		}, word)
	}
}

// contextArg returns the context that a command is about: its argument, or the
// one that KJ_CONTEXT names.
func contextArg(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	if name := os.Getenv("KJ_CONTEXT"); name != "" {
		return name, nil
	}
	return "", errors.New("CONTEXT is missing, and KJ_CONTEXT names none")
}
