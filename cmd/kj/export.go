package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"kaijutsu/internal/door/shelldoor"
)

func newExport(conn *connection) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export [CONTEXT]",
		Short: "Write a context or document, with its history, as an .automerge file",
		Long: `Write a context, or any document by its automerge URL, with its whole history
as an .automerge file, which Automerge opens: A.load(bytes). kj ctx export
writes contexts as Markdown and JSON too.

` + contextHelp,
		Example: `  kj export Release -o release.automerge
  kj export automerge:2n9vVAw3ZzHqSj… > doc.automerge`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeContext(conn),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := contextArg(args)
			if err != nil {
				return shelldoor.Usage(cmd, err)
			}
			resp, err := conn.do(cmd.Context(), http.MethodGet, "/v1/contexts/"+url.PathEscape(name)+"/export", nil)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if out == "" {
				if shelldoor.IsTerminal(cmd.OutOrStdout()) {
					return shelldoor.Usage(cmd, fmt.Errorf("the file is binary; name one with -o, or redirect the output"))
				}
				_, err := io.Copy(cmd.OutOrStdout(), resp.Body)
				return err
			}
			n, err := shelldoor.WriteWhole(out, resp.Body)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s (%d bytes)\n", out, n)
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`file` to write; default standard output")
	return cmd
}
