package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/torture"
)

func newTorture() *cobra.Command {
	var opt torture.Options
	var asJSON bool
	var rival torture.RivalOptions
	names, about := torture.Faults()
	cmd := &cobra.Command{
		Use:   "torture [FAULT…]",
		Short: "Break real servers on purpose and count what is missing",
		Long: `Start one server, and then three, on temporary directories; let editors, agents
and followers work on them; and do to them whatever happens: kill -9, loss of
power, full and failing disks, SIGSTOP, wrong clocks, cut networks, hostile
peers, tokens revoked in the middle of it. The seed makes the schedule. All that
everybody did and was told is recorded, and a checker decides on the record:
kj torture check decides again. That is mixed, which runs when no fault is named.

The other faults break one thing at a time. Start three servers on temporary directories, joined by nats-server processes,
let editors and callers of operations write on all of them and followers read
the events, break something, and check: every acknowledged edit is on every
node, all have equal heads, no event is doubled or missing by version, and what
the events add up to is what the nodes list. The faults of drifts count drifts
instead: each is in its target exactly once; the fault of git looks for lines in
the files, blocks and commits of one worktree. Nothing is left behind. The exit
code is 1 when something is wrong.

` + listFaults(names, about) + `
It needs a nats-server: run in this repository it builds the one that go.mod
names, else it takes the one on PATH or that of --nats-server. The faults
partition and isolate make network namespaces and need root. The same seed makes
the same choices; the machine's scheduler does not follow it.`,
		Example: `  kj torture --seed 7 --for 60s
  kj torture mixed-1 --only kill,power --for 5m
  kj torture kill-node --rounds 10 --seed 1
  kj torture kill-nats leader
  kj torture --rival ws://127.0.0.1:3030 --rival-start "npx automerge-repo-sync-server"
  kj torture all --json`,
		ValidArgs: append(slices.Clone(names), "all", "mixed"),
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.Rounds < 0 || opt.Calm < 0 || opt.For < 0 {
				return shelldoor.Usage(cmd, errors.New("--rounds, --calm and --for: want no negative numbers"))
			}
			args, err := chosenFaults(args, names, &opt)
			if err != nil {
				return shelldoor.Usage(cmd, err)
			}
			opt.Progress = cmd.ErrOrStderr()
			if rival.URL != "" {
				return runRival(cmd, rival, opt, asJSON)
			}
			return runFaults(cmd.Context(), cmd.OutOrStdout(), args, opt, asJSON)
		},
	}
	f := cmd.Flags()
	f.IntVar(&opt.Rounds, "rounds", 0, "how often the fault strikes (default the fault's own number)")
	f.Uint64Var(&opt.Seed, "seed", 0, "makes the random choices (default one from the clock, which the report names)")
	f.DurationVar(&opt.Calm, "calm", 2*time.Second, "how long the load goes on before the first strike and after the last")
	f.DurationVar(&opt.For, "for", 0, "how long a fault goes on that has no rounds; mixed: on one node, and on three, half of it each (default the fault's own time)")
	f.StringSliceVar(&opt.Only, "only", nil, "of a mixed run: only these `strikes`, with commas between: "+strings.Join(torture.Strikes(), ", "))
	f.StringVar(&opt.History, "history", "", "keep the history of a mixed run in this `file` (default: only that of one that failed)")
	f.BoolVar(&opt.Brief, "brief", false, "a third of the long pauses")
	f.BoolVar(&opt.Keep, "keep", false, "keep the directories and logs of a run that failed")
	f.StringVar(&rival.URL, "rival", "", "work on another server of the sync protocol, to whose `URL` editors connect, such as ws://127.0.0.1:3030")
	f.StringVar(&rival.Start, "rival-start", "", "a `command` that runs that server, so that it can be killed; {data} stands for a directory that stays")
	f.StringVar(&opt.NATS, "nats-server", "", "the nats-server `binary`")
	f.BoolVar(&asJSON, "json", false, "print the reports as JSON, durations in nanoseconds")
	cmd.AddCommand(newTortureCheck(), newTorturePlanted())
	return cmd
}

// runRival tortures somebody else's server.
func runRival(cmd *cobra.Command, rival torture.RivalOptions, opt torture.Options, asJSON bool) error {
	report, err := torture.Rival(cmd.Context(), rival, opt)
	switch {
	case err != nil:
		return err
	case asJSON:
		err = writeIndented(cmd.OutOrStdout(), report)
	default:
		err = report.Print(cmd.OutOrStdout())
	}
	if err == nil && !report.OK() {
		err = fmt.Errorf("the checker found %d things wrong with %s", len(report.Problems), rival.URL)
	}
	return err
}

// chosenFaults returns the faults that are meant by what was named.
func chosenFaults(args, names []string, opt *torture.Options) ([]string, error) {
	for _, arg := range args {
		if arg != "all" && arg != "mixed" && !slices.Contains(names, arg) {
			return nil, fmt.Errorf("fault %q: there is no such fault; there are %s, mixed and all", arg, strings.Join(names, ", "))
		}
	}
	for _, only := range opt.Only {
		if !slices.Contains(torture.Strikes(), only) {
			return nil, fmt.Errorf("--only %q: there is no such strike; there are %s", only, strings.Join(torture.Strikes(), ", "))
		}
	}
	switch {
	case slices.Contains(args, "all"):
		return names, nil
	case len(args) == 0 || len(args) == 1 && args[0] == "mixed":
		opt.For /= 2
		return []string{"mixed-1", "mixed-3"}, nil
	case slices.Contains(args, "mixed"):
		args = slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "mixed" })
		return append(args, "mixed-1", "mixed-3"), nil
	}
	return args, nil
}

func listFaults(names, about []string) string {
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "  %-14s %s\n", name, about[i])
	}
	return b.String()
}

// runFaults runs one fault after the other, also behind one that failed.
func runFaults(ctx context.Context, w io.Writer, names []string, opt torture.Options, asJSON bool) error {
	var failed []string
	for _, name := range names {
		report, err := torture.Run(ctx, name, opt)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%s was interrupted; nothing is left of it", name)
		case err != nil:
			fmt.Fprintf(w, "FAIL  %s: %v\n", name, err)
		case asJSON:
			err = writeIndented(w, report)
		default:
			err = report.Print(w)
		}
		if err != nil || !report.OK() {
			failed = append(failed, name)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d faults failed: %s", len(failed), len(names), strings.Join(failed, ", "))
	}
	return nil
}
