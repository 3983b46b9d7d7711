package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/backup"
)

func newBackupList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "ls DIR | FILE.tar",
		Short:   "List the runs of a backup",
		Long:    "List the runs of a backup, oldest first: each can be restored with kj restore --at RUN.",
		Example: "  kj backup ls /var/backups/kaijutsu\n  kj backup ls before-the-upgrade.tar --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := backup.Open(args[0])
			if err != nil {
				return err
			}
			defer b.Close()
			runs, err := b.Runs()
			if err != nil {
				return err
			}
			if asJSON {
				err = writeIndented(cmd.OutOrStdout(), rowsOf(runs))
			} else {
				err = printRuns(cmd.OutOrStdout(), runs)
			}
			for _, r := range runs {
				err = errors.Join(err, r.Err)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the runs as JSON")
	return cmd
}

// runRow is a run as JSON.
type runRow struct {
	Run int `json:"run"`
	*backup.Manifest
	Error string `json:"error,omitempty"`
}

func rowsOf(runs []backup.Run) []runRow {
	rows := make([]runRow, 0, len(runs))
	for _, r := range runs {
		row := runRow{Run: r.Number, Manifest: r.Manifest}
		if r.Err != nil {
			row.Error = r.Err.Error()
		}
		rows = append(rows, row)
	}
	return rows
}

func printRuns(w io.Writer, runs []backup.Run) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tAT\tDOCUMENTS\tNEW\tCHANGES\tRECORDS\tNEEDS\tKERNEL\tSERVER")
	for _, r := range runs {
		if r.Err != nil {
			fmt.Fprintf(t, "%d\tdamaged\n", r.Number)
			continue
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", r.Number, r.At.Local().Format(time.DateTime), r.Documents, r.Manifest.Taken,
			r.Changes, r.Records, sizeText(r.Bytes()), clean(r.Kernel), short(r.Storage))
	}
	return t.Flush()
}

func newBackupVerify() *cobra.Command {
	var at int
	cmd := &cobra.Command{
		Use:   "verify DIR | FILE.tar",
		Short: "Read every file of a backup and compare it with the manifests",
		Long: `Read every file that the runs of a backup need and compare it with the SHA-256
in their manifests. kj restore --verify says more: it takes every document
apart.`,
		Example: "  kj backup verify /var/backups/kaijutsu\n  kj backup verify /var/backups/kaijutsu --at 12",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := backup.Open(args[0])
			if err != nil {
				return err
			}
			defer b.Close()
			runs, err := b.Runs()
			if err == nil && at > 0 {
				var one backup.Run
				one, err = b.Run(at)
				runs = []backup.Run{one}
			}
			if err != nil {
				return err
			}
			var bad error
			seen := map[string]bool{}
			for _, r := range runs {
				err := r.Err
				if err == nil {
					err = b.Check(r, seen)
				}
				if err == nil {
					_, err = b.Index(r)
				}
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "run %d: %d files are what was written\n", r.Number, len(r.Parts)+2)
				}
				bad = errors.Join(bad, err)
			}
			return bad
		},
	}
	cmd.Flags().IntVar(&at, "at", 0, "only this `run` (default all)")
	return cmd
}
