package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/backup"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/server"
	"kaijutsu/internal/store"
)

// errIncomplete is the reason of an exit code that scripts can ask for.
var errIncomplete = errors.New("the backup lacks documents that could not be read: what is above says which")

const backupMisses = `A backup holds every document, with its whole history and who wrote it, and
every record: tokens (as hashes), roles, labels, mounts, drifts, identities,
deletions. It does not hold files of worktrees and clones, which are git's to
keep, the owner's token, the audit log, and caches, which are made anew.`

func newBackup(conn *connection) *cobra.Command {
	var full, asJSON bool
	var keep int
	cmd := &cobra.Command{
		Use:   "backup DIR | FILE.tar",
		Short: "Back up everything, while the server runs or from its directory",
		Long: `Back up everything that the server holds, as it is at one moment: every edit
that was acknowledged before is in it. Editing goes on meanwhile.

Into a directory a run is added each time, of which only what is new is written;
each run can be restored by itself. A name that ends in .tar makes one file that
holds everything. Nothing counts as a backup before it is whole and on disk.

A running server is asked for it, which wants the right to own the kernel. Where
none runs, the data directory is read itself.

` + backupMisses,
		Example: `  kj backup /var/backups/kaijutsu
  kj backup /var/backups/kaijutsu --keep 30
  kj backup before-the-upgrade.tar
  kj backup ls /var/backups/kaijutsu
  kj restore /var/backups/kaijutsu --verify     rehearse it`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("keep") && keep < 1 {
				return shelldoor.Usage(cmd, errors.New("--keep: want at least 1"))
			}
			one := strings.HasSuffix(args[0], ".tar")
			if one && (keep > 0 || full) {
				return shelldoor.Usage(cmd, errors.New("--keep and --full: a file is one run, which holds everything"))
			}
			began := time.Now()
			src, err := openSource(cmd.Context(), conn)
			if err != nil {
				return err
			}
			line := newProgress(cmd.ErrOrStderr(), "backing up")
			taken, pruned, err := takeBackup(cmd.Context(), args[0], one, src, keep, backup.TakeOptions{Full: full, Progress: line.show})
			line.end()
			if err == nil {
				err = src.confirm(cmd.Context(), taken)
			}
			if err = errors.Join(err, src.close()); err != nil {
				return err
			}
			return printTaken(cmd.OutOrStdout(), args[0], taken, pruned, time.Since(began), asJSON)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&full, "full", false, "write everything anew: the run needs no other")
	f.IntVar(&keep, "keep", 0, "keep this `number` of runs and delete older ones (default all)")
	f.BoolVar(&asJSON, "json", false, "print what was taken as JSON")
	cmd.AddCommand(newBackupList(), newBackupVerify())
	return cmd
}

// source is where a backup comes from.
type source struct {
	fetch   backup.Fetch
	confirm func(context.Context, backup.Taken) error // keeps with the server that it is safe
	close   func() error
}

// openSource finds out whether a server runs.
func openSource(ctx context.Context, conn *connection) (source, error) {
	if conn.server == "" && os.Getenv("KJ_SERVER") == "" && stored(conn.data) {
		st, err := store.Open(store.Options{Dir: conn.data, Log: slog.New(slog.DiscardHandler)})
		if err == nil {
			return directSource(st)
		}
		if !errors.Is(err, store.ErrInUse) {
			return source{}, err
		}
	}
	return source{
		fetch:   conn.fetchBackup,
		confirm: conn.confirmBackup,
		close:   func() error { return nil },
	}, ctx.Err()
}

// stored reports whether a directory is one in which a server has kept
// something.
func stored(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "badger"))
	return err == nil && info.IsDir()
}

// directSource reads a store that no server has.
func directSource(st *store.Store) (source, error) {
	kernel, err := server.KernelOf(st)
	if err != nil {
		return source{}, errors.Join(err, st.Close())
	}
	at := time.Now().UTC()
	var sent backup.Sent
	done := make(chan struct{})
	close(done)
	return source{
		fetch: func(ctx context.Context, have backup.Have) (io.ReadCloser, error) {
			r, w := io.Pipe()
			done = make(chan struct{})
			go func() {
				defer close(done)
				var err error
				sent, err = backup.Send(ctx, w, st, have, backup.Source{Kernel: kernel, Version: version(), Now: at})
				_ = w.CloseWithError(err) // never fails
			}()
			return r, nil
		},
		confirm: func(ctx context.Context, _ backup.Taken) error {
			<-done
			return server.NoteBackup(ctx, st, catalog.BackupRow{
				At: at.Format(time.RFC3339), Documents: sent.Documents, Bytes: sent.Bytes, Unreadable: sent.Damaged, Principal: "owner",
			})
		},
		close: func() error {
			<-done // what was read of the store was let go of
			return st.Close()
		},
	}, nil
}

// fetchBackup asks the running server for the stream.
func (c *connection) fetchBackup(ctx context.Context, have backup.Have) (io.ReadCloser, error) {
	resp, err := c.do(ctx, http.MethodPost, "/v1/backup", bytes.NewReader(have.Encode()))
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// confirmBackup tells the server that the backup is safe.
func (c *connection) confirmBackup(ctx context.Context, taken backup.Taken) error {
	body, err := json.Marshal(map[string]string{"sum": taken.SumText()})
	if err != nil {
		return err
	}
	resp, err := c.do(ctx, http.MethodPost, "/v1/backup/done", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the backup is there, but the server was not told: %w", err)
	}
	return resp.Body.Close()
}

// takeBackup takes a run into a directory or a file, and prunes the directory.
func takeBackup(ctx context.Context, path string, one bool, src source, keep int, o backup.TakeOptions) (taken backup.Taken, pruned []int, err error) {
	if one {
		taken, err = backup.TakeFile(ctx, path, src.fetch, o)
		return taken, nil, err
	}
	d, err := backup.OpenDir(path)
	if err != nil {
		return taken, nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if taken, err = d.Take(ctx, src.fetch, o); err == nil && keep > 0 {
		pruned, err = d.Prune(keep)
	}
	return taken, pruned, err
}

// takenRow is what was taken, as JSON.
type takenRow struct {
	Path   string   `json:"path"`
	Wrote  int64    `json:"wrote_bytes"`
	Pruned []int    `json:"pruned,omitempty"`
	Rotten []string `json:"rotten,omitempty"`
	Millis int64    `json:"took_ms"`
	*backup.Manifest
}

func printTaken(w io.Writer, path string, t backup.Taken, pruned []int, took time.Duration, asJSON bool) error {
	if asJSON {
		row := takenRow{Path: path, Wrote: t.NewBytes, Pruned: pruned, Rotten: t.Rotten, Millis: took.Milliseconds(), Manifest: t.Manifest}
		if err := writeIndented(w, row); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(w, "run %d in %s, as of %s\n", t.Number, path, t.At.Local().Format("2006-01-02 15:04:05"))
		if t.Previous == 0 {
			fmt.Fprintf(w, "  documents  %d, all of them new\n", t.Documents)
		} else {
			fmt.Fprintf(w, "  documents  %d, of which %d new or longer than in run %d\n", t.Documents, t.Manifest.Taken, t.Previous)
		}
		fmt.Fprintf(w, "  changes    %d\n", t.Changes)
		fmt.Fprintf(w, "  records    %d, and %d deletions\n", t.Records, t.Deleted)
		fmt.Fprintf(w, "  wrote      %s in %v; the run needs %s\n", sizeText(t.NewBytes), took.Round(time.Millisecond), sizeText(t.Bytes()))
		if len(pruned) > 0 {
			fmt.Fprintf(w, "  pruned     %d runs\n", len(pruned))
		}
		for _, f := range t.Rotten {
			fmt.Fprintf(w, "  rotten     run %d: %s; what was in it was taken anew\n", t.Previous, clean(f))
		}
		for _, d := range t.Stale {
			fmt.Fprintf(w, "  unreadable %s: %s\n", d.Doc.Name(), clean(d.Stale))
		}
		if t.Unlisted != "" {
			fmt.Fprintf(w, "  unlisted   %s\n", clean(t.Unlisted))
		}
	}
	if len(t.Stale) > 0 || t.Unlisted != "" {
		return errIncomplete
	}
	return nil
}

// sizeText writes bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// progress is a line on a terminal that says how far something is.
type progress struct {
	w     io.Writer
	doing string
	last  time.Time
	shown bool
}

func newProgress(w io.Writer, doing string) *progress {
	p := &progress{w: w, doing: doing}
	if !shelldoor.IsTerminal(w) {
		p.w = nil
	}
	return p
}

// show shows how far it is, a few times a second.
func (p *progress) show(at backup.Progress) {
	if p.w == nil || time.Since(p.last) < 200*time.Millisecond {
		return
	}
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(p.w, "\r\x1b[K%s: %d of %d documents, %s", p.doing, at.Documents, at.Of, sizeText(at.Bytes))
}

// end takes the line away.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
