package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	examiner "kaijutsu/internal/examine"
)

// newExamine is the process that a server starts to do with a document what it
// would do itself, where nothing can come of it.
func newExamine() *cobra.Command {
	var seconds int
	var memory int64
	cmd := &cobra.Command{
		Use:    "examine",
		Short:  "Read a document from the standard input and do with it what a server does",
		Long:   "A server starts this to see whether a document or a change harms it. It is of no use by hand: kj doctor is.",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			limits := examiner.Limits{CPU: time.Duration(seconds) * time.Second, Memory: memory}
			os.Exit(examiner.Child(limits, os.Stdin, os.Stdout))
			return nil
		},
	}
	cmd.Flags().IntVar(&seconds, "cpu", 60, "processor time, in seconds")
	cmd.Flags().Int64Var(&memory, "memory", 1<<30, "memory, in bytes")
	return cmd
}
