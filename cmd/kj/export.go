package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newExport(conn *connection) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export CONTEXT",
		Short: "Write a context or document, with its history, as an .automerge file",
		Long: `Write a context, or any document by its automerge URL, with its whole history
as an .automerge file, which Automerge opens: A.load(bytes).

` + contextHelp,
		Example: `  kj export Release -o release.automerge
  kj export automerge:2n9vVAw3ZzHqSj… > doc.automerge`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			resp, err := conn.do(cmd.Context(), http.MethodGet, "/v1/contexts/"+url.PathEscape(args[0])+"/export", nil)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if out == "" {
				if f, ok := cmd.OutOrStdout().(*os.File); ok && isTerminal(f) {
					return usage(cmd, fmt.Errorf("the file is binary; name one with -o, or redirect the output"))
				}
				_, err := io.Copy(cmd.OutOrStdout(), resp.Body)
				return err
			}
			n, err := writeWhole(out, resp.Body)
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

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// writeWhole writes a file beside the target and renames it, so that a broken
// connection leaves no half of one.
func writeWhole(path string, r io.Reader) (n int64, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".kj-export-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(tmp.Name())
	if n, err = io.Copy(tmp, r); err != nil {
		tmp.Close()
		return n, fmt.Errorf("write %s: %w", path, err)
	}
	if err := tmp.Chmod(0o644); err != nil {
		tmp.Close()
		return n, err
	}
	if err := tmp.Close(); err != nil {
		return n, fmt.Errorf("write %s: %w", path, err)
	}
	return n, os.Rename(tmp.Name(), path)
}
