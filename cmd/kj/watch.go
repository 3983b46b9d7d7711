package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/flowbus"
)

func newWatch(conn *connection) *cobra.Command {
	var since string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "watch [CONTEXT | PATTERN]",
		Short: "Follow what happens in a context, or everywhere",
		Long: `Print an event a line, until interrupted: what is written, who comes and goes.

PATTERN is of subjects: ctx.<context id>.<type>, or sys.<type> for what is of no
context. * stands for one token, and > for all at the end.

` + contextHelp + ` Without that, everything.

When the stream ends, the way to go on is printed: nothing that is in a document
is lost in between.`,
		Example: `  kj watch Release
  kj watch 'ctx.*.block.>'           the blocks of all contexts
  kj watch 'ctx.*.seat.*'            who comes and goes
  kj watch --since 12 Release        from version 12 on
  kj watch --json Release            one JSON object a line`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeContext(conn),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := watchQuery(args)
			if since != "" {
				query.Set("since", since)
			}
			resp, err := conn.do(cmd.Context(), http.MethodGet, "/v1/events?"+query.Encode(), nil)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if name := query.Get("context"); name != "" {
				defer conn.sit(cmd.Context(), name)()
			}
			p := &watchPrinter{w: cmd.OutOrStdout(), notes: cmd.ErrOrStderr(), json: asJSON}
			err = readFrames(resp.Body, p.frame)
			if cmd.Context().Err() != nil {
				return nil // interrupted: that is how watching ends
			}
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("the server ended the stream: %w\nhint: %s goes on", err, again(p.last, args))
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "go on behind this event `id`, or, of one context, this version")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each event as a line of JSON")
	return cmd
}

// again is the line that goes on behind an event.
func again(last string, args []string) string {
	line := "kj watch --since " + last
	for _, a := range args {
		line += " '" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return line
}

// watchQuery says what to follow: a pattern is known by how it begins.
func watchQuery(args []string) url.Values {
	what := os.Getenv("KJ_CONTEXT")
	if len(args) > 0 {
		what = args[0]
	}
	first, _, dotted := strings.Cut(what, ".")
	switch {
	case what == "":
		return url.Values{"pattern": {">"}}
	case what == ">" || dotted && (first == "ctx" || first == "sys" || first == "kj" || first == "*"):
		return url.Values{"pattern": {what}}
	}
	return url.Values{"context": {what}}
}

// frame is one server-sent event.
type frame struct{ id, name, data string }

// readFrames reads server-sent events (HTML standard, "server-sent events").
func readFrames(r io.Reader, f func(frame) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 64<<10), 64<<20)
	var now frame
	var data []string
	for sc.Scan() {
		line := sc.Text()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "":
			if line == "" && data != nil {
				now.data = strings.Join(data, "\n")
				if err := f(now); err != nil {
					return err
				}
			}
			if line == "" {
				now, data = frame{}, nil
			}
		case "id":
			now.id = value
		case "event":
			now.name = value
		case "data":
			data = append(data, value)
		}
	}
	return sc.Err()
}

// watchPrinter shows events.
type watchPrinter struct {
	w     io.Writer
	notes io.Writer // what is no event
	json  bool
	last  string // where to go on
}

func (p *watchPrinter) frame(f frame) error {
	if f.id != "" {
		p.last = f.id
	}
	switch f.name {
	case "hello":
		_, err := fmt.Fprintln(p.notes, "watching; Ctrl-C ends it")
		return err
	case "reset":
		var r struct{ Reason string }
		if err := json.Unmarshal([]byte(f.data), &r); err != nil {
			return fmt.Errorf("event from the server: %w", err)
		}
		_, err := fmt.Fprintln(p.notes, "it begins anew:", r.Reason)
		return err
	case "snapshot":
		return nil
	case "end":
		var end struct{ Reason string }
		if err := json.Unmarshal([]byte(f.data), &end); err != nil {
			return fmt.Errorf("event from the server: %w", err)
		}
		return fmt.Errorf("%s", end.Reason)
	}
	if p.json {
		_, err := fmt.Fprintln(p.w, f.data)
		return err
	}
	e, err := flowbus.Decode([]byte(f.data))
	if err != nil {
		return fmt.Errorf("event from the server: %w", err)
	}
	_, err = fmt.Fprintln(p.w, eventLine(e))
	return err
}

// eventLine is an event as people read it: when, where, what, who.
func eventLine(e flowbus.Event) string {
	where := "-"
	if context := e.Context.String(); e.Context != [16]byte{} {
		where = context[:8]
	}
	if n := len(e.Block); n > 6 {
		where += " …" + e.Block[n-6:]
	}
	who := e.Principal.Name
	if who == "" {
		who = e.Via.Name
	}
	line := fmt.Sprintf("%s  %-16s  %-18s  %s", e.Time.Local().Format(time.TimeOnly), where, e.Kind, who)
	return strings.TrimRight(line+"  "+about(e.Data), " ")
}

// about is what an event says, in short.
func about(data flowbus.Payload) string {
	switch d := data.(type) {
	case *flowbus.Inserted:
		return d.Row.Kind + " " + quoted(d.Row.Content)
	case *flowbus.Text:
		var parts []string
		for _, s := range d.Splices {
			part := fmt.Sprint("at ", s.Pos)
			if s.Del > 0 {
				part += fmt.Sprint(" -", s.Del)
			}
			if s.Ins != "" {
				part += " +" + quoted(s.Ins)
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ", ")
	case *flowbus.Status:
		return d.Status
	case *flowbus.Titled:
		return quoted(d.Title)
	case *flowbus.Seat:
		return strings.TrimSpace(d.Nick + " " + d.Status)
	case *flowbus.Elicitation:
		return quoted(d.Message)
	case *flowbus.Answer:
		return d.Action + " (" + d.Reason + ")"
	case *flowbus.Log:
		return d.Level + " " + quoted(d.Message)
	case *flowbus.Progress:
		return fmt.Sprint(d.Progress, " of ", d.Total, " ", d.Message)
	case *flowbus.Node:
		return d.ID
	case *flowbus.Drift:
		return aboutDrift(d)
	}
	return ""
}

// aboutDrift says which drift it is, how it came, where it goes and why.
func aboutDrift(d *flowbus.Drift) string {
	words := []string{d.ID}
	if d.Number > 0 {
		words[0] = fmt.Sprint("#", d.Number)
	}
	if d.Kind != "" {
		words = append(words, d.Kind)
	}
	if d.To != "" {
		words = append(words, "→ "+d.To)
	}
	if d.Reason != "" {
		words = append(words, "("+quoted(d.Reason)+")")
	}
	return strings.Join(words, " ")
}

// quoted is the beginning of a text on one line.
func quoted(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
