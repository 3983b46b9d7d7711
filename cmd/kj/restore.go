package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/backup"
	"kaijutsu/internal/door/shelldoor"
)

func newRestore(conn *connection) *cobra.Command {
	var at int
	var verify, sameNode, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore BACKUP",
		Short: "Make a data directory of a backup, or rehearse it",
		Long: `Make a data directory of a backup: with --data, which names one that is empty
or does not exist. Every file of the backup is compared with its SHA-256 first,
and nothing is a data directory before all of it is there.

With --verify what was restored is opened anew and compared with what was backed
up: of every document the change hashes, computed from their bytes, the heads
and number of changes, what it rests on and who wrote it; every record; every
deletion. Without --data this happens in a temporary directory, which is deleted
again: a rehearsal.

The restored server gets a storage id of its own, so that editors do not take
for saved what it does not hold: whatever they hold more, they bring back when
they connect. --same-node keeps the id, for a machine that takes the place of one
that is gone and will not come back; mounts on its disk come with it.

` + backupMisses,
		Example: `  kj restore /var/backups/kaijutsu --verify
  kj restore /var/backups/kaijutsu --data ./restored --verify
  kj restore before-the-upgrade.tar --data ./restored
  kj restore /var/backups/kaijutsu --at 12 --data ./restored`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			began, dir := time.Now(), conn.data
			given := cmd.Flags().Changed("data")
			switch {
			case !given && !verify:
				return shelldoor.Usage(cmd, errors.New("name an empty directory with --data, or rehearse with --verify"))
			case !given:
				tmp, err := os.MkdirTemp("", "kj-restore-")
				if err != nil {
					return err
				}
				defer os.RemoveAll(tmp)
				dir = filepath.Join(tmp, "data")
			}
			b, err := backup.Open(args[0])
			if err != nil {
				return err
			}
			defer b.Close()
			run, err := b.Run(at)
			if err != nil {
				return err
			}
			line := newProgress(cmd.ErrOrStderr(), "restoring")
			out, err := backup.Restore(cmd.Context(), b, run, backup.RestoreOptions{
				Dir: dir, SameNode: sameNode, Verify: verify, Log: slog.New(slog.DiscardHandler), Progress: line.show,
			})
			line.end()
			if err != nil {
				return err
			}
			if !given {
				dir = ""
			}
			return printRestored(cmd.OutOrStdout(), dir, out, time.Since(began), asJSON)
		},
	}
	f := cmd.Flags()
	f.IntVar(&at, "at", 0, "restore this `run` (default the latest; kj backup ls lists them)")
	f.BoolVar(&verify, "verify", false, "compare what was restored with what was backed up")
	f.BoolVar(&sameNode, "same-node", false, "keep the storage id of the server that was backed up")
	f.BoolVar(&asJSON, "json", false, "print what was restored as JSON")
	return cmd
}

// restoredRow is what was restored, as JSON.
type restoredRow struct {
	Run        int                `json:"run"`
	At         time.Time          `json:"at"`
	Data       string             `json:"data,omitempty"`
	Storage    string             `json:"storage_id"`
	Documents  int                `json:"documents"`
	Records    int                `json:"records"`
	LeftOut    int                `json:"left_out,omitempty"`
	Deleted    int                `json:"deleted"`
	Missing    map[string]string  `json:"missing,omitempty"`
	Stale      map[string]string  `json:"older_than_run,omitempty"`
	Comparison *backup.Comparison `json:"compared,omitempty"`
	Millis     int64              `json:"took_ms"`
}

func reasonsOf(held []backup.Held) map[string]string {
	all := make(map[string]string, len(held))
	for _, h := range held {
		all[h.Doc.Name()] = h.Stale
	}
	return all
}

// printRestored shows what was restored, and where; "" is nowhere for good.
func printRestored(w io.Writer, dir string, r backup.Restored, took time.Duration, asJSON bool) error {
	if asJSON {
		err := writeIndented(w, restoredRow{
			Run: r.Number, At: r.At, Data: dir, Storage: r.Storage, Documents: r.Documents, Records: r.Records, LeftOut: r.LeftOut,
			Deleted: r.Deleted, Missing: reasonsOf(r.Missing), Stale: reasonsOf(r.Stale), Comparison: r.Comparison, Millis: took.Milliseconds(),
		})
		if err != nil {
			return err
		}
		return missingError(r)
	}
	fmt.Fprintf(w, "restored run %d, as of %s, in %v\n", r.Number, r.At.Local().Format(time.DateTime), took.Round(time.Millisecond))
	fmt.Fprintf(w, "  documents  %d\n  records    %d, and %d deletions\n", r.Documents, r.Records, r.Deleted)
	if r.LeftOut > 0 {
		fmt.Fprintf(w, "  left out   %d records of worktrees, whose files are not in the backup\n", r.LeftOut)
	}
	for _, h := range r.Stale {
		fmt.Fprintf(w, "  older      %s: %s\n", h.Doc.Name(), clean(h.Stale))
	}
	for _, h := range r.Missing {
		fmt.Fprintf(w, "  missing    %s: %s\n", h.Doc.Name(), clean(h.Stale))
	}
	if c := r.Comparison; c != nil {
		fmt.Fprintf(w, "compared with what was backed up, all the same\n")
		fmt.Fprintf(w, "  documents  %d: heads, numbers, bases and anchors\n", c.Documents)
		fmt.Fprintf(w, "  changes    %d of %s: hashes computed anew\n", c.Changes, sizeText(int64(c.Bytes)))
		fmt.Fprintf(w, "  authors    %d\n  records    %d by SHA-256, and %d deletions\n", c.Actors, c.Records, c.Deleted)
	}
	if dir == "" {
		fmt.Fprintln(w, "it was a rehearsal: nothing of it is left")
	} else {
		fmt.Fprintf(w, "serve it with  kj serve --data %s --kernel %s\n", dir, clean(r.Kernel))
	}
	return missingError(r)
}

// missingError is the reason of an exit code when not all is there.
func missingError(r backup.Restored) error {
	if len(r.Missing) > 0 {
		return errors.New("documents are missing that could not be backed up: what is above says which")
	}
	return nil
}
