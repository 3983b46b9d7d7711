package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func newStatus(conn *connection) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show what the running server holds",
		Example: "  kj status\n  kj status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var status map[string]any
			if err := conn.call(cmd.Context(), "server_status", struct{}{}, &status); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), status)
			}
			keys := make([]string, 0, len(status))
			for k := range status {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			for _, k := range keys {
				fmt.Fprintf(w, "%s\t%v\n", strings.ReplaceAll(k, "_", " "), status[k])
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
