package shelldoor

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// isPath reports whether a parameter is a path of the kernel's file tree.
func (l *line) isPath(v *value) bool {
	switch l.op.Family() {
	case "fs":
		return slices.Contains([]string{"path", "from", "to"}, v.name)
	case "git", "notes":
		return slices.Contains([]string{"mount", "path", "paths"}, v.name)
	case "mount":
		return v.name == "path"
	}
	return false
}

// entryRow is a file of the kernel's tree, as far as people are shown.
type entryRow struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	Kind       string `json:"kind"`
	Size       int64  `json:"size"`
	Executable bool   `json:"executable"`
	Modified   string `json:"modified"`
	Target     string `json:"target"`
	Binary     bool   `json:"binary"`
	Mount      string `json:"mount"`
	Context    string `json:"context"`
	Block      string `json:"block_id"`
	Hash       string `json:"hash"`
}

// paths completes a path of the kernel's file tree: one that begins with a
// slash, or one below the mount that the line names.
func (l *line) paths(cmd *cobra.Command, args []string, v *value, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	dir, name := path.Split(word)
	ask := dir
	switch {
	case strings.HasPrefix(word, "/"):
	case v.name == "paths" && len(args) > 0 && isTreePath(args[0]):
		ask = path.Join(args[0], dir)
	case word == "":
		ask, dir = "/", "/"
	default:
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	raw, err := text(path.Clean(ask))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := completing(cmd.Context())
	defer cancel()
	result, err := l.ask(ctx, "fs_list", map[string]json.RawMessage{"path": raw})
	var answer struct {
		Entries []entryRow `json:"entries"`
	}
	if err != nil || json.Unmarshal(result, &answer) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []cobra.Completion
	directive := cobra.ShellCompDirectiveNoFileComp
	for _, e := range answer.Entries {
		if !strings.HasPrefix(e.Name, name) || name == "" && strings.HasPrefix(e.Name, ".") {
			continue
		}
		if e.Kind == "dir" {
			directive |= cobra.ShellCompDirectiveNoSpace
			words = append(words, dir+e.Name+"/")
			continue
		}
		words = append(words, dir+e.Name)
	}
	return words, directive
}
