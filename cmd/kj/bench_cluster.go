package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/bench"
	"kaijutsu/internal/door/shelldoor"
)

// newBenchCluster returns the measurements of FlowBus, of drifts and of git, each a
// command.
func newBenchCluster() []*cobra.Command {
	return []*cobra.Command{
		benchCluster("nodes", "Measure edits on their way from node to node", `Start three servers over one nats-server, let 21 people type at them, 1,000 edits
a second in all, and measure when an edit is there for a peer of the same node
and for one of another, in the same run.`, durationFlag, roundsFlag, natsFlag),
		benchCluster("catchup", "Measure how fast a node catches up", `Start three servers over one nats-server, stop one, write 100,000 changes at the
others, start it again and measure when it holds everything.`, changesFlag, roundsFlag, natsFlag),
		benchCluster("followers", "Measure events on their way to many followers", `Start a server, let 2,000 follow one context over server-sent events, write 50
times a second, and measure when what was written has reached each of them. The
load generator reads with epoll, on Linux only.`, durationFlag, followersFlag),
		benchCluster("start", "Measure what the embedded bus costs at the start", `Start a server with its embedded bus, and the same binary without, ten times
each in turn, and compare time and memory. --beside names another kj binary to
start in the same turns, such as one of an older version.`, roundsFlag, besideFlag),
		benchCluster("drift", "Measure drifts beside JetStream, and citations beside git", `Push drifts from one context to another, 50 a second, and flush 10,000 that are
staged; in the same run have a nats-server do with messages what comes closest:
streams on its disk, message ids, a pull consumer whose acknowledgements are
confirmed; once with a sync for each message, as every edit here, and once as it
comes. Then read citations of a context of 100,000 changes at old heads, and the
same text at old commits with git, if there is a git.`, durationFlag, changesFlag, roundsFlag, natsFlag),
		benchCluster("git", "Measure mounts and commits beside git", `Make a git repository of 10,000 files, mount it, and commit ten changed files at
a time from their blocks; in the same run have git add a worktree of the same
repository and commit the same ten files. Then save files on the disk 50 times a
second and measure when followers of their blocks are told, and write to blocks
50 times a second and measure when the disk has it.`, durationFlag, roundsFlag),
	}
}

type benchFlag func(*cobra.Command, *bench.ClusterOptions)

func durationFlag(cmd *cobra.Command, opt *bench.ClusterOptions) {
	cmd.Flags().DurationVar(&opt.For, "for", 15*time.Second, "how long to record")
}

func roundsFlag(cmd *cobra.Command, opt *bench.ClusterOptions) {
	cmd.Flags().IntVar(&opt.Rounds, "rounds", 1, "how often to repeat everything")
}

func natsFlag(cmd *cobra.Command, opt *bench.ClusterOptions) {
	cmd.Flags().StringVar(&opt.NATS, "nats-server", "", "the nats-server `binary` (default one built in this repository, else the one on PATH)")
}

func changesFlag(cmd *cobra.Command, opt *bench.ClusterOptions) {
	cmd.Flags().IntVar(&opt.Changes, "changes", 100_000, "how many changes the node misses, or the cited context has")
}

func followersFlag(cmd *cobra.Command, opt *bench.ClusterOptions) {
	cmd.Flags().IntVar(&opt.Followers, "followers", 2000, "how many follow")
}

func besideFlag(cmd *cobra.Command, opt *bench.ClusterOptions) {
	cmd.Flags().StringVar(&opt.Beside, "beside", "", "another kj `binary` to start in the same turns")
}

// benchCluster is one measurement. Its table goes to standard output as
// Markdown, its progress to standard error.
func benchCluster(name, short, long string, flags ...benchFlag) *cobra.Command {
	opt := bench.ClusterOptions{Rounds: 1, For: 15 * time.Second, Changes: 100_000, Followers: 2000, Connections: 1000, Contexts: 10_000}
	cmd := &cobra.Command{
		Use: name, Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.Rounds < 1 || opt.For < time.Second || opt.Changes < 1 || opt.Followers < 1 || opt.Connections < 1 || opt.Contexts < 1 {
				return shelldoor.Usage(cmd, fmt.Errorf("bench %s: want numbers of at least 1, and at least 1s", name))
			}
			opt.Progress = cmd.ErrOrStderr()
			table, err := bench.Measure(cmd.Context(), name, opt)
			if err != nil {
				return err
			}
			_, err = table.WriteTo(cmd.OutOrStdout())
			return err
		},
	}
	for _, f := range flags {
		f(cmd, &opt)
	}
	cmd.Flags().StringVar(&opt.Dir, "dir", "", "where the temporary data directories go (default the system's temporary directory)")
	return cmd
}
