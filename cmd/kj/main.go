// Command kj runs a Kaijutsu server and talks to a running one.
//
// It parses flags, handles signals and prints; what it does is in
// internal/server (kj serve), internal/demo (kj demo) and, for every other
// command, behind the running server's HTTP operations. It stores nothing.
// Exit codes: 0 done, 2 the command line was wrong, 1 the command failed; when
// an operation failed, that of the error's kind: 64 invalid, 65 too large,
// 66 not found, 69 unavailable, 70 internal, 73 conflict, 77 denied.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"kaijutsu/internal/door/shelldoor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:]))
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string) int {
	root := newRoot()
	root.SetArgs(shelldoor.ProtectText(args))
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	message, exit := shelldoor.Report(err)
	fmt.Fprint(os.Stderr, message)
	return exit
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "kj",
		Short: "People and agents write in the same documents at the same time",
		Long: `kj runs a Kaijutsu server and talks to a running one.

A context is a document of blocks. Stock automerge-repo clients, the web page
and this command edit it at the same time, offline too; what the server has
acknowledged is on its disk.

KJ_SERVER, KJ_TOKEN and KJ_CONTEXT say where, as whom and in which context
commands work when their flags do not. Exit status: 0 done, 2 a wrong line, 64
invalid, 65 too large, 66 not found, 69 unavailable, 70 internal, 73 conflict,
77 denied, 1 anything else.`,
		Example: `  kj serve                          start a server and print where everything is
  kj demo                           watch two editors, an agent and a crash
  kj ctx new "Release notes"        make a context
  kj block add Release "- faster sync"
  kj tail Release                   follow its text live
  kj help block_edit                all about an operation`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.SetVersionTemplate("kj {{.Version}}\n")
	conn := &connection{}
	root.PersistentFlags().StringVar(&conn.server, "server", "", "address of the running server (default: $KJ_SERVER, else the one in --data, else http://127.0.0.1:7433)")
	root.PersistentFlags().StringVar(&conn.token, "token", "", "token for the server (default: $KJ_TOKEN, else owner.token in --data)")
	root.PersistentFlags().StringVar(&conn.data, "data", defaultData(), "data directory of the server on this machine ($KJ_DATA)")
	root.PersistentFlags().StringVar(&conn.ca, "ca", "", "PEM `file` with authorities that the server's certificate may be of, besides the system's ($KJ_CA)")
	root.AddGroup(&cobra.Group{ID: groupOps, Title: "Operations, run by the server:"}, &cobra.Group{ID: groupOwn, Title: "Other commands:"})
	for _, cmd := range operations(conn) {
		cmd.GroupID = groupOps
		root.AddCommand(cmd)
	}
	for _, cmd := range []*cobra.Command{
		newServe(conn), newStatus(conn), newHealthcheck(conn), newDemo(), newVersion(), newTail(conn), newWatch(conn), newExport(conn), newBackup(conn), newRestore(conn), newDoctor(conn), newMCP(conn), newBench(), newTorture(), newExamine(),
	} {
		cmd.GroupID = groupOwn
		root.AddCommand(cmd)
	}
	root.SetHelpCommandGroupID(groupOwn)
	root.SetCompletionCommandGroupID(groupOwn)
	help := newHelp(root, conn)
	help.GroupID = groupOwn
	root.SetHelpCommand(help)
	root.SetFlagErrorFunc(shelldoor.FlagError)
	wrapArgs(root, conn)
	return root
}

// The groups of commands in help.
const (
	groupOps = "operations"
	groupOwn = "own"
)

// wrapArgs makes every command take marked text as it is, and its complaint
// about arguments a usage error.
func wrapArgs(cmd *cobra.Command, conn *connection) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		shelldoor.PlainText(args)
		if check == nil {
			return nil
		}
		if err := check(cmd, args); err != nil {
			return shelldoor.Usage(cmd, err)
		}
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if cmd.RunE == nil && cmd.Run == nil {
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "help" {
				return helpBelow(cmd, args[1:], conn)
			}
			if len(args) > 0 {
				return shelldoor.Usage(cmd, fmt.Errorf("there is no command %q%s", args[0], didYouMean(cmd, args[0])))
			}
			hide(cmd.Root(), conn.there(cmd.Context()))
			return cmd.Help()
		}
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub, conn)
	}
}

func didYouMean(cmd *cobra.Command, word string) string {
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}
