package shelldoor

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
)

// mounts completes the path of a mount.
func (l *line) mounts(cmd *cobra.Command, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var answer struct {
		Mounts []struct {
			Path   string `json:"path"`
			Source string `json:"source"`
		} `json:"mounts"`
	}
	l.told(cmd, "mount_list", nil, &answer)
	var words []cobra.Completion
	for _, m := range answer.Mounts {
		if strings.HasPrefix(m.Path, word) {
			words = append(words, cobra.CompletionWithDesc(m.Path, oneLine(m.Source, 40)))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// branches completes a branch of the mount that the line begins with.
func (l *line) branches(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	params := map[string]json.RawMessage{}
	if len(args) > 0 && isTreePath(args[0]) {
		if raw, err := text(args[0]); err == nil {
			params["mount"] = raw
		}
	}
	var answer struct {
		Branches []struct {
			Name    string `json:"name"`
			Current bool   `json:"current"`
		} `json:"branches"`
	}
	l.told(cmd, "git_branch", params, &answer)
	var words []cobra.Completion
	for _, b := range answer.Branches {
		if !b.Current && strings.HasPrefix(b.Name, word) {
			words = append(words, b.Name)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// told asks an operation for what completes a word. Without an answer, into
// stays as it is.
func (l *line) told(cmd *cobra.Command, name string, params map[string]json.RawMessage, into any) {
	ctx, cancel := completing(cmd.Context())
	defer cancel()
	if result, err := l.ask(ctx, name, params); err == nil {
		_ = json.Unmarshal(result, into) // nothing completes the word then
	}
}
