package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"kaijutsu/internal/catalog"
)

func newStatus(conn *connection) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how the server and the other nodes fare, and what is wrong",
		Long: `Show the node that answers, its NATS, the other nodes of the kernel, how far
behind it is with what they send, what it has not sent yet, and, last and in
plain words, what is wrong and how to mend it.

Exit status 1 when something is wrong, so that scripts can ask.`,
		Example: `  kj status
  kj status --json
  kj status || echo look at it`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			result, err := conn.run(cmd.Context(), "node_status", json.RawMessage("{}"))
			if err != nil {
				return err
			}
			var s catalog.NodeStatus
			if err := json.Unmarshal(result, &s); err != nil {
				return fmt.Errorf("result of node_status: %w", err)
			}
			if asJSON {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.TrimSpace(string(result)))
			} else {
				err = printStatus(cmd.OutOrStdout(), s, time.Now())
			}
			if err == nil && len(s.Problems) > 0 {
				err = errUnwell
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result of node_status as JSON")
	return cmd
}

var errUnwell = errors.New("something is wrong: what is above says it")

// printStatus shows a node's status to people.
func printStatus(w io.Writer, s catalog.NodeStatus, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("node", "%s", nodeTitle(s.Node))
	line("kernel", "%s", s.Kernel)
	line("nats", "%s", natsWords(s.NATS, now))
	line("documents", "%d", s.Documents)
	line("records", "%d", s.Records)
	line("seats", "%d", s.Seats)
	line("drift", "%s", driftWords(s.Drift))
	if !s.NATS.Embedded {
		line("outbox", "%s", outboxWords(s.Outbox))
		line("streams", "%s", streamWords(s.Streams))
		line("traffic", "%d sent, %d taken, %d healed", s.Traffic.Sent, s.Traffic.Taken, s.Traffic.Healed)
		if h := s.Healed; h != nil {
			line("last healed", "%s: %d changes in %d documents from node %s, in %d ms", ago(h.At, now), h.Changes, h.Documents, short(h.Node), h.TookMS)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(s.Traffic.Refused)) {
		line("refused", "%d: %s", s.Traffic.Refused[reason], clean(reason))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if !s.NATS.Embedded {
		printNodes(w, s, now)
		printStreams(w, s)
	}
	if len(s.Problems) == 0 {
		_, err := fmt.Fprintln(w, "\nnothing is wrong")
		return err
	}
	fmt.Fprintln(w, "\nwhat is wrong")
	for _, p := range s.Problems {
		if _, err := fmt.Fprintln(w, "  -", clean(p)); err != nil {
			return err
		}
	}
	return nil
}

func printNodes(w io.Writer, s catalog.NodeStatus, now time.Time) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nNODE\tADDRESS\tVERSION\tDOCUMENTS\tOUTBOX\tLAG\tSTARTED\tSEEN")
	for _, n := range s.Nodes {
		seen := ago(n.Seen, now)
		if n.Self {
			seen = "here"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", nodeTitle(n), clean(n.Address), clean(n.Version), n.Documents, n.Outbox, n.Lag, ago(n.Started, now), seen)
	}
	_ = t.Flush() // the next write tells
}

// printStreams shows the shards when one of them is not as it should be.
func printStreams(w io.Writer, s catalog.NodeStatus) {
	odd := false
	for _, st := range s.Streams {
		odd = odd || !st.CaughtUp || st.Lag > 0 || st.Resets > 0
	}
	if !odd {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nSTREAM\tREAD\tSTORED\tLAG\tSTATE")
	for _, st := range s.Streams {
		state := "behind"
		if st.CaughtUp && st.Lag == 0 {
			state = "up to date"
		}
		if st.Resets > 0 {
			state += fmt.Sprintf(", read anew %d times (%s)", st.Resets, clean(st.Reason))
		}
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%s\n", st.Shard, st.Received, st.Stored, st.Lag, state)
	}
	_ = t.Flush() // the next write tells
}

// nodeTitle names a node for people.
func nodeTitle(n catalog.NodeRow) string {
	if n.Name == "" {
		return short(n.ID)
	}
	return clean(n.Name) + " (" + short(n.ID) + ")"
}

// short is the beginning of an id: enough to tell nodes apart.
func short(id string) string { return clean(id[:min(len(id), 8)]) }

func natsWords(n catalog.NATSStatus, now time.Time) string {
	switch {
	case n.Embedded:
		return "inside this server: it is alone"
	case n.Connected:
		return strings.TrimSpace("connected to " + clean(n.Server) + " " + clean(n.Cluster) + " since " + ago(n.Since, now))
	}
	return "away since " + ago(n.Since, now) + ": " + clean(n.Server)
}

func outboxWords(o catalog.OutboxStatus) string {
	words := "empty"
	if o.Changes > 0 {
		words = fmt.Sprintf("%d changes, %d bytes, the oldest for %v", o.Changes, o.Bytes, time.Duration(o.OldestMS)*time.Millisecond)
	}
	if o.Skipped > 0 {
		words += fmt.Sprintf("; %d batches skipped", o.Skipped)
	}
	return words
}

// driftWords says what is on its way between contexts.
func driftWords(d catalog.DriftStatus) string {
	words := fmt.Sprintf("%d staged", d.Staged)
	for _, n := range []struct {
		count int
		what  string
	}{{d.Held, "held for consent here"}, {d.Offered, "waiting for consent elsewhere"}, {d.Dead, "dead letters"}} {
		if n.count > 0 {
			words += fmt.Sprintf(", %d %s", n.count, n.what)
		}
	}
	if d.Distiller != "" && d.Distiller != "extractive" {
		words += "; distilled by " + clean(d.Distiller)
	}
	if len(d.Links) > 0 {
		words += "; linked to " + clean(strings.Join(d.Links, ", "))
	}
	return words
}

func streamWords(streams []catalog.StreamRow) string {
	lag, behind := uint64(0), 0
	for _, st := range streams {
		lag += st.Lag
		if !st.CaughtUp || st.Lag > 0 {
			behind++
		}
	}
	if behind == 0 && lag == 0 {
		return fmt.Sprintf("%d, up to date", len(streams))
	}
	return fmt.Sprintf("%d, of which %d are behind, by %d batches", len(streams), behind, lag)
}

// ago writes how long ago a time of a result is.
func ago(text string, now time.Time) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "-"
	}
	return max(now.Sub(at), 0).Round(time.Second).String() + " ago"
}

// clean takes out of a text of another node what does not print.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
