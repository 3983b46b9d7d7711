package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu"
	"kaijutsu/internal/doctor"
	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/server"
	"kaijutsu/internal/store"
)

func newDoctor(conn *connection) *cobra.Command {
	var mend, asJSON bool
	var certificates []string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look the server over, say what is wrong and how to mend it",
		Long: `Look over a server and its data directory: permissions and secrets, the disk,
the store with every table and every document, of which all hashes are computed
anew, what is in quarantine, other nodes and NATS, mounts and their worktrees,
caches, certificates, the clock, and when it was backed up.

A server that runs is asked, which wants the right to own the kernel, and goes on
meanwhile. Where none runs, its data directory is read itself.

--mend does what is safe: it narrows permissions, and sets damaged documents
aside so that whoever holds them brings them back. Nothing that anybody wrote is
deleted.

Exit status 1 when something is wrong, 0 when there is no more than advice.`,
		Example: `  kj doctor
  kj doctor --data /var/lib/kaijutsu --mend
  kj doctor --json
  kj doctor || echo look at it`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := cmd.OutOrStdout()
			line := &readLine{w: cmd.ErrOrStderr(), on: shelldoor.IsTerminal(cmd.ErrOrStderr()) && !asJSON}
			o := doctor.Options{Dir: conn.data, Mend: mend, Certificates: certificates, Progress: line.show, Now: time.Now()}
			report, err := examine(cmd.Context(), conn, o)
			line.end()
			if err != nil {
				return err
			}
			if asJSON {
				err = writeIndented(w, report)
			} else {
				err = printReport(w, report)
			}
			if err == nil && !report.Sound() {
				err = errUnwell
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&mend, "mend", false, "mend what is safe to mend, and say what was done")
	f.StringArrayVar(&certificates, "tls-cert", nil, "look also at the certificate in this PEM `file`; may be repeated")
	f.BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

// examine finds out whether a server runs, and asks it or reads its directory.
func examine(ctx context.Context, conn *connection, o doctor.Options) (*doctor.Report, error) {
	if conn.server == "" && os.Getenv("KJ_SERVER") == "" {
		report, err := doctor.Examine(ctx, o, lastBackup)
		if !errors.Is(err, store.ErrInUse) {
			return report, err
		}
	} else if !conn.onThisMachine() {
		o.Dir = "" // what is here is another's
	}
	return doctor.Ask(ctx, doctor.Server{
		URL: conn.address(),
		Call: func(ctx context.Context, operation string, params json.RawMessage) (json.RawMessage, error) {
			return conn.run(ctx, operation, params)
		},
		Time: conn.time,
	}, o)
}

// lastBackup returns when a store was backed up last; zero for never.
func lastBackup(st *store.Store) (time.Time, error) {
	row, err := server.LastBackup(st)
	if err != nil || row == nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, row.At)
}

// time asks the server's clock.
func (c *connection) time(ctx context.Context) (time.Time, error) {
	resp, err := c.do(ctx, http.MethodGet, "/v1/ops", nil)
	if err != nil {
		return time.Time{}, err
	}
	_ = resp.Body.Close() // only its head is of interest
	at, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return at, fmt.Errorf("the server does not tell the time: %w", kaijutsu.ErrNotFound)
	}
	return at, nil
}

// The marks of findings.
var marks = map[doctor.Level]string{doctor.Sound: "✓", doctor.Advice: "!", doctor.Wrong: "✗", doctor.Mended: "+"}

var colours = map[doctor.Level]string{doctor.Sound: "\x1b[32m", doctor.Advice: "\x1b[33m", doctor.Wrong: "\x1b[31m", doctor.Mended: "\x1b[36m"}

// printReport shows findings to people, in colour on a terminal.
func printReport(w io.Writer, r *doctor.Report) error {
	paint := shelldoor.IsTerminal(w) && os.Getenv("NO_COLOR") == ""
	count := map[doctor.Level]int{}
	for _, f := range r.Findings {
		count[f.Level]++
		mark := marks[f.Level]
		if paint {
			mark = colours[f.Level] + mark + "\x1b[0m"
		}
		fmt.Fprintf(w, "%s %-13s %s\n", mark, f.Check, clean(f.What))
		if f.Level == doctor.Sound {
			continue
		}
		for _, more := range []struct{ name, text string }{{"why", f.Why}, {"mend", f.Mend}} {
			if f.Level == doctor.Mended && more.name == "mend" {
				more.name = "done"
			}
			if more.text != "" {
				fmt.Fprintf(w, "  %-13s %s: %s\n", "", more.name, clean(more.text))
			}
		}
	}
	var sums []string
	for _, one := range []struct {
		level doctor.Level
		words string
	}{{doctor.Wrong, "wrong"}, {doctor.Mended, "mended"}, {doctor.Advice, "worth a look"}} {
		if n := count[one.level]; n > 0 {
			sums = append(sums, fmt.Sprintf("%d %s", n, one.words))
		}
	}
	if len(sums) == 0 {
		sums = []string{"nothing is wrong"}
	}
	where := "a server that does not run"
	if r.Running {
		where = "a server that runs"
	}
	_, err := fmt.Fprintf(w, "\n%s, of %s\n", strings.Join(sums, ", "), where)
	return err
}

// readLine is a line on a terminal that says how many documents were read.
type readLine struct {
	w     io.Writer
	on    bool
	last  time.Time
	shown bool
}

func (l *readLine) show(done, of uint64) {
	if !l.on || time.Since(l.last) < 200*time.Millisecond {
		return
	}
	l.last, l.shown = time.Now(), true
	fmt.Fprintf(l.w, "\r\x1b[Kreading: %d of %d documents", done, of)
}

func (l *readLine) end() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}
