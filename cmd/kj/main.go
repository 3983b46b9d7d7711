// Command kj runs a Kaijutsu server and talks to a running one.
//
// It parses flags, handles signals and prints; what it does is in
// internal/server (kj serve), internal/demo (kj demo) and, for every other
// command, behind the running server's HTTP operations. It stores nothing.
// Exit codes: 0 done, 1 the command failed, 2 the command line was wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:]))
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string) int {
	root := newRoot()
	root.SetArgs(protectText(args))
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "kj: %v\nhint: kj %s--help shows how\n", err, usage.path)
		return 2
	default:
		fmt.Fprintf(os.Stderr, "kj: %v\n", err)
		return 1
	}
}

// textMark begins an argument that protectText has marked; no argument of a
// process can hold a NUL.
const textMark = "\x00"

// protectText marks arguments such as "- one more thing", which begin with a
// dash and cannot be flags, so that they are taken as text.
func protectText(args []string) []string {
	marked := make([]string, len(args))
	for i, arg := range args {
		marked[i] = arg
		if len(arg) > 1 && arg[0] == '-' && !strings.ContainsRune("-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", rune(arg[1])) {
			marked[i] = textMark + arg
		}
	}
	return marked
}

// plainText takes the marks of protectText away.
func plainText(args []string) {
	for i := range args {
		args[i] = strings.TrimPrefix(args[i], textMark)
	}
}

// usageError is a command line that cannot be meant.
type usageError struct {
	err  error
	path string // the command's words behind "kj", each followed by a space
}

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "kj",
		Short: "People and agents write in the same documents at the same time",
		Long: `kj runs a Kaijutsu server and talks to a running one.

A context is a document of blocks. Stock automerge-repo clients, the web page
and this command edit it at the same time, offline too; what the server has
acknowledged is on its disk.`,
		Example: `  kj serve                          start a server and print where everything is
  kj demo                           watch two editors, an agent and a crash
  kj ctx new "Release notes"        make a context
  kj block append Release "- faster sync"
  kj tail Release                   follow its text live`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.SetVersionTemplate("kj {{.Version}}\n")
	conn := &connection{}
	root.PersistentFlags().StringVar(&conn.server, "server", "", "address of the running server (default: $KJ_SERVER, else the one in --data, else http://127.0.0.1:7433)")
	root.PersistentFlags().StringVar(&conn.token, "token", "", "token for the server (default: $KJ_TOKEN, else owner.token in --data)")
	root.PersistentFlags().StringVar(&conn.data, "data", defaultData(), "data directory of the server on this machine ($KJ_DATA)")
	root.AddCommand(
		newServe(conn), newDemo(), newVersion(), newStatus(conn),
		newContext(conn), newBlock(conn), newTail(conn), newExport(conn), newBench(),
	)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err) })
	wrapArgs(root)
	return root
}

// usage marks an error as one of the command line.
func usage(cmd *cobra.Command, err error) error {
	path := ""
	for c := cmd; c.HasParent(); c = c.Parent() {
		path = c.Name() + " " + path
	}
	return usageError{err, path}
}

// wrapArgs makes every command take marked text as it is, and its complaint
// about arguments a usage error.
func wrapArgs(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		plainText(args)
		if check == nil {
			return nil
		}
		if err := check(cmd, args); err != nil {
			return usage(cmd, err)
		}
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if cmd.RunE == nil && cmd.Run == nil {
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(cmd, fmt.Errorf("there is no command %q%s", args[0], didYouMean(cmd, args[0])))
			}
			return cmd.Help()
		}
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
}

func didYouMean(cmd *cobra.Command, word string) string {
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}
