package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/op"
	"kaijutsu/internal/server"
	"kaijutsu/internal/telemetry"
)

// shutdownGrace is how long a server may take to stop after a signal.
const shutdownGrace = 5 * time.Second

// addWatching adds the flags of kj serve that say how others see it fare.
func addWatching(cmd *cobra.Command, w *server.Watching) {
	f := cmd.Flags()
	f.BoolVar(&w.Metrics, "metrics", false, "serve numbers for Prometheus at /metrics, to who presents the owner's token")
	f.StringVar(&w.MetricsListen, "metrics-listen", "", "serve them, and nothing else, to anybody on this `host:port`")
	f.StringVar(&w.Traces, "otlp", "", "send OpenTelemetry traces to the collector at this `URL`, as http://localhost:4318")
	f.Float64Var(&w.Share, "otlp-share", 1, "the `share` of traces that are sent, above 0 and up to 1")
	w.Stage = func(name string) { _ = telemetry.Notify(telemetry.Status("opening: " + name)) } // nobody may be listening
}

// checkWatching refuses flags that say nothing.
func checkWatching(changed func(flag string) bool, w server.Watching) error {
	if changed("otlp-share") && w.Traces == "" {
		return errors.New("--otlp-share is for traces, and none are asked for: add --otlp")
	}
	if w.Share <= 0 || w.Share > 1 {
		return fmt.Errorf("--otlp-share %v: want more than 0 and at most 1", w.Share)
	}
	return nil
}

// serveUntil waits for a signal or the server's own end, and stops it. The
// service manager that started the process, if one did, is told all the while.
func serveUntil(ctx context.Context, s *server.Server, logger *slog.Logger) error {
	if err := telemetry.Notify(telemetry.Ready, telemetry.Status("serving at "+s.URL())); err != nil {
		logger.Warn("service manager not told", "err", err)
	}
	watched, unwatch := context.WithCancel(context.Background())
	defer unwatch()
	go telemetry.FeedWatchdog(watched, s.Alive)
	var reason error
	select {
	case <-ctx.Done():
		logger.Info("stopping")
	case reason = <-s.Done():
		reason = fmt.Errorf("server ended: %w", reason)
	}
	_ = telemetry.Notify(telemetry.Stopping, telemetry.Status("stopping")) // it sees the process end anyway
	began := time.Now()
	closing, cancel := context.WithTimeout(context.Background(), shutdownGrace)
	defer cancel()
	if err := s.Close(closing); err != nil && reason == nil {
		reason = fmt.Errorf("stop server: %w", err)
	}
	logger.Info("stopped", "dur", time.Since(began))
	return reason
}

func newHealthcheck(conn *connection) *cobra.Command {
	var verbose bool
	var within time.Duration
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask whether the server takes edits; for containers and scripts",
		Long: `Ask the server's /readyz whether it takes edits. It needs no token.

Exit status 0 when it does, 69 when it does not or nobody answers: the server
is starting, stopping, or only reads because its disk is full or failing.`,
		Example: `  kj healthcheck
  kj healthcheck --verbose
  kj healthcheck --server http://127.0.0.1:7433 --within 2s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), within)
			defer cancel()
			return conn.ready(ctx, cmd.OutOrStdout(), verbose)
		},
	}
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the stages of its start and how long each took")
	cmd.Flags().DurationVar(&within, "within", 5*time.Second, "how long the answer may take")
	return cmd
}

// ready asks whether the server takes edits, and prints its answer.
func (c *connection) ready(ctx context.Context, out io.Writer, verbose bool) error {
	path := "/readyz"
	if verbose {
		path += "?verbose"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address()+path, nil)
	if err != nil {
		return fmt.Errorf("server address %q: %w", c.address(), err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return c.unreached(ctx, err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("answer of %s: %w", c.address(), err)
	}
	if resp.StatusCode == http.StatusOK {
		_, err = out.Write(said)
		return err
	}
	if verbose {
		fmt.Fprint(out, string(said))
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return unwell(c.address(), resp.StatusCode, lines[len(lines)-1])
}

// unwell is the failure of a server that answers and does not take edits.
func unwell(address string, status int, said string) error {
	if status != http.StatusServiceUnavailable {
		return fmt.Errorf("%s answered %d: is it a kaijutsu server?", address, status)
	}
	return &shelldoor.Failure{Problem: op.Problem{Kind: "unavailable", Message: address + " is " + said}}
}
