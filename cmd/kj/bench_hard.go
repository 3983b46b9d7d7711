package main

import (
	"strings"

	"github.com/spf13/cobra"

	"kaijutsu/internal/bench"
)

// newBenchHard returns the measurement of what a server that is hard to kill has
// to hold, and the flood that it starts.
func newBenchHard() []*cobra.Command {
	return []*cobra.Command{
		benchCluster("hard", "Measure a server under attack, and what it takes to start, rest and restore", `In one run: the latency of honest editors at rest and while 1,000 connections send
garbage of twelve sorts; how long after a token is revoked each door refuses it, of
the same node and of another; how long a server with 10,000 contexts takes to be
ready, what it takes at rest, and how long it takes to be restored from a backup,
verified. Beside each number stands what is promised.

The flood is a process of its own, kj bench flood, of the lowest priority: one
from elsewhere would take no processor time of this machine. What it did and what
it took is in the report.`, durationFlag, connectionsFlag, contextsFlag, onlyPartFlag, natsFlag),
		newBenchFlood(),
	}
}

func connectionsFlag(cmd *cobra.Command, opt *bench.ClusterOptions) {
	cmd.Flags().IntVar(&opt.Connections, "connections", 1000, "how many connections the flood has")
}

func contextsFlag(cmd *cobra.Command, opt *bench.ClusterOptions) {
	cmd.Flags().IntVar(&opt.Contexts, "contexts", 10_000, "how many contexts the server holds that is started and restored")
}

func onlyPartFlag(cmd *cobra.Command, opt *bench.ClusterOptions) {
	cmd.Flags().StringVar(&opt.Only, "only", "", "the one `part` to measure: "+strings.Join(bench.HardParts(), ", "))
}

// newBenchFlood returns the flood alone, for kj bench hard and for trying it.
func newBenchFlood() *cobra.Command {
	var f bench.Flood
	cmd := &cobra.Command{
		Use:   "flood URL",
		Short: "Flood a server of your own with garbage",
		Long: `Keep many connections to a server busy with garbage: random bytes, headers without
end or byte by byte, silence, calls of garbage, and on WebSockets broken frames,
documents that are none, pings, empty fragments and compressed bombs. It goes on
until standard input ends, or until it is interrupted, and then prints what it did
as JSON.`,
		Example: "  kj bench flood http://127.0.0.1:7433 --connections 100",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.URL = args[0]
			return bench.FloodProcess(cmd.Context(), f, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().IntVar(&f.Connections, "connections", 1000, "how many connections there are at a time")
	cmd.Flags().IntVar(&f.Addresses, "addresses", 0, "from how many addresses of this machine, 127.0.1.1 and on (default: as the system chooses)")
	cmd.Flags().StringVar(&f.Only, "only", "", "the one `sort` of garbage to send: "+strings.Join(bench.FloodSorts(), ", "))
	return cmd
}
