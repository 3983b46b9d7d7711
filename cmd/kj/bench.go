package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/bench"
	"kaijutsu/internal/door/shelldoor"
)

func newBench() *cobra.Command {
	opt := bench.Options{Version: version()}
	var rivals bool
	var interop, out string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure this server, beside the npm sync server if asked",
		Long: `Start servers on temporary directories, one at a time, drive each with the same
workload from raw peers, in alternating rounds, and print a report in Markdown:
latency, processor time, memory, bytes on the wire and on the disk.

With --rivals it also runs the npm server of this repository's
internal/interop, and installs its packages there when they are missing. With
--out it puts the report into DIR/performance.md. Progress goes to standard
error. On a busy machine the numbers mean little: the report says how busy it
was. One round of everything takes about three minutes with rivals.`,
		Example: "  kj bench --only one-writer\n  kj bench --rivals --rounds 5 --out docs",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.Rounds < 1 {
				return shelldoor.Usage(cmd, fmt.Errorf("--rounds %d: want at least 1", opt.Rounds))
			}
			if opt.Typing < time.Second {
				return shelldoor.Usage(cmd, fmt.Errorf("--for %v: want at least 1s", opt.Typing))
			}
			if rivals {
				opt.Rivals = interop
			}
			opt.Progress = cmd.ErrOrStderr()
			report, err := bench.Run(cmd.Context(), opt)
			if err != nil {
				return err
			}
			if _, err := report.WriteTo(cmd.OutOrStdout()); err != nil || out == "" {
				return err
			}
			return report.UpdatePage(filepath.Join(out, "performance.md"))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&rivals, "rivals", false, "measure the npm sync server too")
	f.StringVar(&interop, "interop", filepath.Join("internal", "interop"), "`directory` of the npm server and its packages")
	f.IntVar(&opt.Rounds, "rounds", 1, "how often to repeat everything")
	f.StringVar(&opt.Only, "only", "", "the one `scenario` to run: one-writer, eight-writers, twenty-documents, open or footprint")
	f.DurationVar(&opt.Typing, "for", 15*time.Second, "how long each typing scenario records")
	f.StringVar(&opt.Dir, "dir", "", "where the temporary data directories go (default the system's temporary directory)")
	f.StringVar(&out, "out", "", "put the report into performance.md of this `directory`")
	cmd.AddCommand(newBenchCluster()...)
	cmd.AddCommand(newBenchHard()...)
	return cmd
}
