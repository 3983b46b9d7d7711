package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// flushBytes is how much of standard input goes into one change at most.
const flushBytes = 4 << 10

func newBlock(conn *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "block",
		Short: "Write blocks",
		Example: `  kj block append Release "- faster sync"
  make 2>&1 | kj block append Release - --kind shell_output --role tool`,
	}
	cmd.AddCommand(newBlockAppend(conn))
	return cmd
}

func newBlockAppend(conn *connection) *cobra.Command {
	var kind, role, form, parent string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "append CONTEXT [BLOCK] TEXT",
		Short: "Append text to a block, or a new block to a context",
		Long: `Append TEXT to a block; without BLOCK, make a new block at the context's end.
It returns when the text is on the server's disk, and prints the block's id.

` + contextHelp + `
TEXT "-" reads standard input and appends it as it comes, a change for each
piece, so that others see it live.`,
		Example: `  kj block append Release "- faster sync"
  kj block append Release 0199c2f5-7d0e-7b55-9a4e-3f1f0f6a2c11 " and smaller"
  make 2>&1 | kj block append Release - --kind shell_output --role tool --form chunks`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			a := appending{conn: conn, context: args[0], text: args[len(args)-1]}
			if len(args) == 3 {
				a.block = args[1]
			}
			if a.block != "" && (cmd.Flags().Changed("kind") || cmd.Flags().Changed("role") || cmd.Flags().Changed("form") || cmd.Flags().Changed("parent")) {
				return usage(cmd, errors.New("--kind, --role, --form and --parent are for a new block; this one exists"))
			}
			a.kind, a.role, a.form, a.parent = kind, role, form, parent
			if err := a.run(cmd.Context(), cmd.InOrStdin()); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]string{"id": a.block})
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), a.block)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&kind, "kind", "text", "kind of a new block: text, tool_result, shell_output …")
	f.StringVar(&role, "role", "user", "role of a new block: user, model, system or tool")
	f.StringVar(&form, "form", "", "form of a new block: text (anyone may edit; a user's default), chunks (append only), body (fixed)")
	f.StringVar(&parent, "parent", "", "id of a new block's parent")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// appending is one run of kj block append.
type appending struct {
	conn                     *connection
	context, block, text     string
	kind, role, form, parent string
	made                     bool // the block is this run's
}

func (a *appending) run(ctx context.Context, in io.Reader) error {
	if a.text != "-" {
		if err := a.add(ctx, a.text); err != nil {
			return err
		}
		return a.finish(ctx)
	}
	if a.form == "body" {
		return errors.New("form body is written once; give the text as an argument, or use --form chunks")
	}
	r := bufio.NewReaderSize(in, flushBytes)
	rest := "" // the beginning of a character whose end has not come yet
	for {
		if _, err := r.Peek(1); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		piece := make([]byte, r.Buffered())
		n, err := r.Read(piece)
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		var whole string
		whole, rest = splitAtCharacter(rest + string(piece[:n]))
		if whole == "" {
			continue
		}
		if err := a.add(ctx, whole); err != nil {
			return err
		}
	}
	if rest != "" || a.block == "" {
		if err := a.add(ctx, rest); err != nil {
			return err
		}
	}
	return a.finish(ctx)
}

// finish marks a block that this run made in chunks as done.
func (a *appending) finish(ctx context.Context) error {
	if !a.made || a.form != "chunks" {
		return nil
	}
	var out struct{}
	return a.conn.call(ctx, "block_status", map[string]string{"context": a.context, "block": a.block, "status": "done"}, &out)
}

// splitAtCharacter cuts s before an unfinished UTF-8 sequence at its end.
func splitAtCharacter(s string) (whole, rest string) {
	for i := 1; i < 4 && i <= len(s); i++ {
		c := s[len(s)-i]
		if c&0xc0 == 0x80 {
			continue
		}
		need := 1
		switch {
		case c >= 0xf0:
			need = 4
		case c >= 0xe0:
			need = 3
		case c >= 0xc0:
			need = 2
		}
		if need > i {
			return s[:len(s)-i], s[len(s)-i:]
		}
		break
	}
	return s, ""
}

// add appends one piece; the first one makes the block if there is none.
func (a *appending) add(ctx context.Context, text string) error {
	var out struct {
		ID string `json:"id"`
	}
	if a.block != "" {
		return a.conn.call(ctx, "block_append", map[string]string{"context": a.context, "block": a.block, "text": text}, &out)
	}
	in := map[string]string{"context": a.context, "kind": a.kind, "role": a.role, "form": a.form, "parent": a.parent, "content": text}
	if err := a.conn.call(ctx, "block_create", in, &out); err != nil {
		return err
	}
	a.block, a.made = out.ID, true
	return nil
}
