package main

import (
	"strings"

	"github.com/spf13/cobra"

	"kaijutsu/internal/limit"
)

// limitFlags are the limits that a command line sets.
type limitFlags struct{ values []string }

// add defines the flag, and has the shell complete it.
func (f *limitFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.values, "limit", nil, "set a limit: `name=value`, the value a number such as 200, 10k or 64MiB, or none; may be repeated; kj limit ls names them")
	_ = cmd.RegisterFlagCompletionFunc("limit", func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		var all []string
		for _, r := range limit.Rules() {
			if name := string(r.Name) + "="; strings.HasPrefix(name, begun) {
				all = append(all, name+"\t"+r.What+" for one "+string(r.Scope))
			}
		}
		return all, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	})
}

// config returns the limits; the last of a name counts.
func (f *limitFlags) config() (map[limit.Name]int64, error) {
	values := make(map[limit.Name]int64, len(f.values))
	for _, text := range f.values {
		name, value, err := limit.Parse(text)
		if err != nil {
			return nil, err
		}
		values[name] = value
	}
	return values, nil
}
