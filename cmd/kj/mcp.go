package main

import (
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"kaijutsu/internal/door/mcpdoor"
	"kaijutsu/internal/door/shelldoor"
)

func newMCP(conn *connection) *cobra.Command {
	var context, level string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Speak MCP on standard input and output, for agents that start their servers",
		Long: `Connect an MCP client on standard input and output to the running server: its
operations are tools, its contexts and blocks are resources. Clients that speak
HTTP need no kj: the server's address with /mcp behind it is theirs.

The client acts as the principal of the token, so give each agent its own:
kj token create NAME.`,
		Example: `  kj mcp
  KJ_TOKEN=kj_… kj mcp --context Release
  claude mcp add kaijutsu -- kj mcp`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			logger, err := newLogger(cmd.ErrOrStderr(), level, "text")
			if err != nil {
				return shelldoor.Usage(cmd, err)
			}
			if context == "" {
				context = os.Getenv("KJ_CONTEXT")
			}
			header := make(http.Header)
			if context != "" {
				header.Set("Kaijutsu-Context", context)
			}
			return mcpdoor.Bridge(cmd.Context(), mcpdoor.Options{
				URL: conn.address() + "/mcp", Token: conn.secret(), Header: header,
				In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Log: logger,
			})
		},
	}
	cmd.Flags().StringVar(&context, "context", "", "the `context` that is meant where a call names none (default $KJ_CONTEXT)")
	cmd.Flags().StringVar(&level, "log-level", "warn", "debug, info, warn or error; logs go to standard error")
	// it fails only for a flag that is not there
	_ = cmd.RegisterFlagCompletionFunc("context", completeContext(conn))
	return cmd
}
