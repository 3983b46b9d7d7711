package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/demo"
	"kaijutsu/internal/door/shelldoor"
)

// writeIndented prints a report as JSON that people can read too.
func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func newDemo() *cobra.Command {
	var opt demo.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Two editors, an agent and a crash: what was acknowledged is there",
		Long: `Start a server on a temporary directory, let two editors and an agent write in
one context, kill the server with SIGKILL half way, start it again with nobody
connected, count what its disk holds, and let everybody go on. Nothing is left
behind. The exit code is 1 when an acknowledged change is missing.`,
		Example: "  kj demo\n  kj demo --for 20s\n  kj demo --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.Writing < time.Second {
				return shelldoor.Usage(cmd, fmt.Errorf("--for %v: want at least 1s", opt.Writing))
			}
			if !asJSON {
				opt.Out = cmd.OutOrStdout()
			}
			report, err := demo.Run(cmd.Context(), opt)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeIndented(cmd.OutOrStdout(), report)
			} else {
				err = report.Print(cmd.OutOrStdout())
			}
			if err == nil && !report.OK() {
				err = errors.New("the demo found a loss")
			}
			return err
		},
	}
	cmd.Flags().DurationVar(&opt.Writing, "for", 6*time.Second, "how long they write")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON, durations in nanoseconds")
	return cmd
}
