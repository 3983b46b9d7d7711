package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"kaijutsu/internal/door/shelldoor"
)

const contextHelp = `CONTEXT is an id, the beginning of one, an automerge URL, or a title or the
beginning of one, as long as it means one context. Default: KJ_CONTEXT.`

func newTail(conn *connection) *cobra.Command {
	var asJSON, fresh bool
	cmd := &cobra.Command{
		Use:   "tail [CONTEXT]",
		Short: "Follow the text of a context live",
		Long: `Print a context's blocks and then, until interrupted, what is written in them.
Text that is appended is printed as it comes; a block that changes elsewhere
than at its end is printed again.

` + contextHelp,
		Example: `  kj tail Release
  kj tail --new Release      only what is written from now on
  kj tail --json Release     one JSON object a line: the block as it is now`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeContext(conn),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := contextArg(args)
			if err != nil {
				return shelldoor.Usage(cmd, err)
			}
			path := "/v1/contexts/" + url.PathEscape(name) + "/tail"
			resp, err := conn.do(cmd.Context(), http.MethodGet, path, nil)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			p := &tailPrinter{w: cmd.OutOrStdout(), notes: cmd.ErrOrStderr(), json: asJSON, quiet: fresh, shown: make(map[string]string), from: make(map[string]string)}
			err = readFrames(resp.Body, func(f frame) error { return p.event(f.name, f.data) })
			if cmd.Context().Err() != nil {
				return nil // interrupted: that is how a tail ends
			}
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("the server ended the tail: %w", err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each block that changes as a line of JSON")
	cmd.Flags().BoolVar(&fresh, "new", false, "leave out what is there already")
	return cmd
}

// tailPrinter shows blocks as they change.
type tailPrinter struct {
	w     io.Writer
	notes io.Writer // what is not a block's
	json  bool
	quiet bool              // until the first "live" event
	shown map[string]string // block id → content on the terminal
	from  map[string]string // block id → its origin on the terminal, of drift blocks
	last  string            // the block the cursor is in
}

func (p *tailPrinter) event(name, data string) error {
	switch name {
	case "live":
		p.quiet = false
		_, err := fmt.Fprintln(p.notes, "following; Ctrl-C ends it")
		return err
	case "error":
		return fmt.Errorf("%s", data)
	case "block":
	default:
		return nil
	}
	var b shelldoor.BlockRow
	if err := json.Unmarshal([]byte(data), &b); err != nil {
		return fmt.Errorf("event from the server: %w", err)
	}
	if p.quiet {
		p.shown[b.ID], p.from[b.ID] = b.Content, b.Origin()
		return nil
	}
	if p.json {
		_, err := fmt.Fprintln(p.w, data)
		return err
	}
	p.show(b)
	return nil
}

// show prints what is new of a block: its added text when it grew at the end,
// all of it otherwise.
func (p *tailPrinter) show(b shelldoor.BlockRow) {
	before, seen := p.shown[b.ID]
	p.shown[b.ID] = b.Content
	from := b.Origin()
	turned := seen && p.from[b.ID] != from // it is stale, or fresh again
	p.from[b.ID] = from
	if seen && before == b.Content && !b.Deleted && !turned {
		return
	}
	added, grew := strings.CutPrefix(b.Content, before)
	if p.last != b.ID || !grew || turned {
		if p.last != "" {
			fmt.Fprintln(p.w)
		}
		fmt.Fprintf(p.w, "\n%s\n", shelldoor.Heading(b))
		p.last = b.ID
		if !grew {
			added = b.Content
		}
	}
	if b.Deleted {
		added = "(deleted)"
	}
	fmt.Fprint(p.w, added)
}
