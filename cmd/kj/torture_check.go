package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/torture"
)

func newTortureCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check HISTORY…",
		Short: "Decide again on what a mixed run has recorded",
		Long: `Read the history of a mixed run and decide whether anything was lost, doubled,
booked on somebody else, or let through. Nothing is started, and nothing but the
file is looked at. The exit code is 1 when something is wrong.

` + listChecks(),
		Example: "  kj torture --seed 7 --history run.jsonl\n  kj torture check run.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			failed := 0
			for _, path := range args {
				v, err := torture.Check(path)
				if err != nil {
					return err
				}
				if asJSON {
					if err := writeIndented(cmd.OutOrStdout(), v); err != nil {
						return err
					}
				} else {
					printVerdict(cmd.OutOrStdout(), path, v)
				}
				if !v.OK() {
					failed++
				}
			}
			if failed > 0 {
				return fmt.Errorf("%d of %d histories show something that is wrong", failed, len(args))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was found as JSON")
	return cmd
}

func listChecks() string {
	names, about := torture.Checks()
	return listFaults(names, about)
}

func printVerdict(w io.Writer, path string, v *torture.Verdict) {
	word := "PASS"
	if !v.OK() {
		word = "FAIL"
	}
	fmt.Fprintf(w, "%s  %s\n", word, path)
	for _, n := range v.Notes {
		fmt.Fprintf(w, "  · %s\n", n)
	}
	for _, f := range v.Findings {
		fmt.Fprintf(w, "  ✗ %s\n", f)
	}
}

func newTorturePlanted() *cobra.Command {
	opt := torture.PlantedOptions{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "planted [PLANT…]",
		Short: "Put bugs into the server on purpose, and show that each is found",
		Long: `Build kj with the build tag planted, in which each of these bugs can be put on,
and run mixed with one after the other until a check finds it; and once without
any, which must find nothing. It needs the sources: run it in the repository. The
exit code is 1 when a bug is not found.

` + listPlants(),
		Example: "  kj torture planted\n  kj torture planted saved-light-early --for 60s",
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Names, opt.Progress = args, cmd.ErrOrStderr()
			found, err := torture.Planted(cmd.Context(), opt)
			if errors.Is(err, torture.ErrNoPlant) {
				return shelldoor.Usage(cmd, err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = writeIndented(cmd.OutOrStdout(), found)
			} else {
				err = found.Print(cmd.OutOrStdout())
			}
			if err == nil && !found.OK() {
				err = errors.New("a bug was not found, or one where there is none")
			}
			return err
		},
	}
	f := cmd.Flags()
	f.DurationVar(&opt.For, "for", 20*time.Second, "how long a run goes on at most")
	f.IntVar(&opt.Tries, "tries", 3, "how many runs a bug may take, with one seed after the other")
	f.Uint64Var(&opt.Seed, "seed", 1, "the first seed")
	f.StringVar(&opt.Exe, "exe", os.Getenv("KJ_PLANTED_EXE"), "a kj that was built with the tag (default: build one)")
	f.StringVar(&opt.NATS, "nats-server", "", "the nats-server `binary`")
	f.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func listPlants() string {
	names, about := torture.Plants()
	return listFaults(names, about)
}
