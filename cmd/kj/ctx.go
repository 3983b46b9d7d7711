package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// contextRow is a context as the server lists it.
type contextRow struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Blocks int    `json:"blocks"`
}

// blockRow is a block as the server shows it.
type blockRow struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Role    string `json:"role"`
	Status  string `json:"status"`
	Parent  string `json:"parent"`
	Content string `json:"content"`
	Author  string `json:"author"`
	Created string `json:"created"`
	Deleted bool   `json:"deleted"`
}

// contextDetail is a context with its blocks in order.
type contextDetail struct {
	contextRow
	Heads     []string   `json:"heads"`
	BlockList []blockRow `json:"block_list"`
}

func newContext(conn *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "ctx",
		Aliases: []string{"context"},
		Short:   "Make, list and read contexts",
		Example: `  kj ctx new "Release notes"
  kj ctx ls
  kj ctx cat Release`,
	}
	cmd.AddCommand(newContextNew(conn), newContextList(conn), newContextCat(conn))
	return cmd
}

func newContextNew(conn *connection) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "new [TITLE...]",
		Short: "Make a context and print its id and its automerge URL",
		Example: `  kj ctx new "Release notes"
  kj ctx new --json Plans`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var made contextRow
			in := map[string]string{"title": strings.Join(args, " ")}
			if err := conn.call(cmd.Context(), "context_create", in, &made); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), made)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n", made.ID, made.URL)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newContextList(conn *connection) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List the contexts, oldest first",
		Example: `  kj ctx ls
  kj ctx ls --json | jq -r '.[].url'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list struct {
				Contexts []contextRow `json:"contexts"`
			}
			if err := conn.call(cmd.Context(), "context_list", struct{}{}, &list); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), list.Contexts)
			}
			if len(list.Contexts) == 0 {
				_, err := fmt.Fprintln(cmd.ErrOrStderr(), `no contexts yet; make one with kj ctx new "A title"`)
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tBLOCKS\tTITLE\tURL")
			for _, c := range list.Contexts {
				fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", c.ID, c.Blocks, oneLine(c.Title, 40), c.URL)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newContextCat(conn *connection) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cat CONTEXT",
		Short: "Print a context's blocks in order",
		Long:  "Print a context's blocks in order.\n\n" + contextHelp,
		Example: `  kj ctx cat Release
  kj ctx cat --json 0199c2f4 | jq '.block_list[].content'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			detail, err := getContext(cmd, conn, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), detail)
			}
			return printContext(cmd.OutOrStdout(), detail)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

const contextHelp = `CONTEXT is an id, the beginning of one, an automerge URL, or a title or the
beginning of one, as long as it means one context.`

func getContext(cmd *cobra.Command, conn *connection, name string) (contextDetail, error) {
	var detail contextDetail
	err := conn.call(cmd.Context(), "context_get", map[string]string{"context": name}, &detail)
	return detail, err
}

func printContext(w io.Writer, c contextDetail) error {
	fmt.Fprintf(w, "# %s\n%s  %s\n", c.Title, c.ID, c.URL)
	for _, b := range c.BlockList {
		if b.Deleted {
			continue
		}
		printHeading(w, b)
		fmt.Fprintln(w, strings.TrimRight(b.Content, "\n"))
	}
	return nil
}

// printHeading prints the line above a block's content.
func printHeading(w io.Writer, b blockRow) {
	when := ""
	if t, err := time.Parse(time.RFC3339, b.Created); err == nil {
		when = "  " + t.Local().Format("2006-01-02 15:04")
	}
	fmt.Fprintf(w, "\n── %s · %s · %s · %s%s\n   %s\n", b.Kind, b.Role, b.Status, b.Author, when, b.ID)
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// oneLine shortens a title for a table.
func oneLine(s string, most int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
