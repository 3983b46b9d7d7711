package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/bench"
	"kaijutsu/internal/door/shelldoor"
)

// benchFlags are what kj bench is told.
type benchFlags struct {
	bench.Options
	rivals    bool
	dir       string // of the rivals
	from      []string
	out, json string
}

func newBench() *cobra.Command {
	opt := benchFlags{Options: bench.Options{Version: version()}}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this server, beside its rivals from npm if asked",
		Long: `Start servers on temporary directories, one at a time, drive each with the same
workloads from raw clients, in alternating rounds, and print a report in Markdown:
latency, processor time, memory, bytes on the wire and on the disk.

Ours is measured beside a relay, which does nothing but hand frames on: what it
takes, the machine's sockets and the load generator take. With --rivals so are
automerge-repo, Hocuspocus and y-websocket, as shipped and as durable as they can
be; their packages are installed when they are missing, which takes minutes once.

With --out the report goes into DIR/performance.md, and plots into DIR/bench.
--json keeps all values in a file; --from reads such files and measures nothing
unless --only or --rivals is given: what is measured then replaces the same
workloads of the files, as those of a later file do those of an earlier one.
Progress goes to standard error. On a busy machine the numbers mean little: the
report says how busy it was. One round of everything takes about 25 minutes with
rivals.`,
		Example: `  kj bench --only observers --servers kj
  kj bench --rivals --quick
  kj bench --rivals --rounds 3 --out docs --json all.json
  kj bench --rivals --only rush --json rush.json
  kj bench --from all.json --from rush.json --out docs`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opt.check(); err != nil {
				return shelldoor.Usage(cmd, err)
			}
			opt.Progress = cmd.ErrOrStderr()
			return opt.run(cmd)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opt.rivals, "rivals", false, "measure the rivals from npm too")
	f.StringVar(&opt.dir, "rivals-dir", filepath.Join("internal", "bench", "rivals"), "`directory` of the rivals and their packages")
	f.StringVar(&opt.Servers, "servers", "", "the `servers` to measure, by name and separated by commas (default all)")
	f.IntVar(&opt.Rounds, "rounds", 1, "how often to repeat everything")
	f.StringVar(&opt.Only, "only", "", "the `workloads` to run, separated by commas: "+strings.Join(bench.Workloads(), ", "))
	f.DurationVar(&opt.For, "for", 0, "how long each recording takes (default 6s, with --quick 2s)")
	f.BoolVar(&opt.Quick, "quick", false, "make everything small, to see that it works")
	f.StringVar(&opt.Dir, "dir", "", "where the temporary data directories go (default the system's temporary directory)")
	f.StringVar(&opt.out, "out", "", "put the report into performance.md of this `directory`, and plots beside it")
	f.StringVar(&opt.json, "json", "", "write all values to this `file`")
	f.StringArrayVar(&opt.from, "from", nil, "begin with the values of this `file`; may be repeated")
	cmd.AddCommand(newBenchRelay())
	cmd.AddCommand(newBenchCluster()...)
	cmd.AddCommand(newBenchHard()...)
	return cmd
}

func (opt *benchFlags) check() error {
	if opt.Rounds < 1 {
		return fmt.Errorf("--rounds %d: want at least 1", opt.Rounds)
	}
	if opt.For != 0 && opt.For < time.Second {
		return fmt.Errorf("--for %v: want at least 1s", opt.For)
	}
	if opt.rivals {
		opt.Rivals = opt.dir
	}
	return nil
}

// run reads, measures and writes what it is asked to.
func (opt *benchFlags) run(cmd *cobra.Command) error {
	report := &bench.Report{}
	for _, path := range opt.from {
		part, err := bench.ReadReport(path)
		if err != nil {
			return err
		}
		report.Merge(part)
	}
	var failed error
	if len(opt.from) == 0 || opt.Only != "" || opt.rivals {
		measured, err := bench.Run(cmd.Context(), opt.Options)
		if measured == nil {
			return err
		}
		failed = err // and what was measured until then is written
		report.Merge(measured)
	}
	return errors.Join(failed, opt.write(cmd.OutOrStdout(), report))
}

func (opt *benchFlags) write(w io.Writer, report *bench.Report) error {
	if opt.json != "" {
		if err := report.WriteFile(opt.json); err != nil {
			return err
		}
	}
	if opt.out != "" {
		return report.UpdatePage(opt.out)
	}
	_, err := report.WriteTo(w)
	return err
}

// newBenchRelay is the relay, which kj bench starts.
func newBenchRelay() *cobra.Command {
	return &cobra.Command{
		Use: "relay", Short: "Hand frames on, and nothing else", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return bench.ServeRelay(cmd.Context(), cmd.OutOrStdout())
		},
	}
}
