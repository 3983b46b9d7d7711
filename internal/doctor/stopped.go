package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"kaijutsu"
	"kaijutsu/internal/quarantine"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// Examine looks at the data directory of a server that does not run. The error
// wraps kaijutsu.ErrUnavailable while one does.
func Examine(ctx context.Context, o Options, lastBackup func(*store.Store) (time.Time, error)) (*Report, error) {
	r := &Report{}
	r.files(o)
	if _, err := os.Stat(filepath.Join(o.Dir, "badger")); err != nil {
		if r.Sound() {
			r.sound("store", "nothing is stored yet")
		}
		return r, nil
	}
	log := slog.New(slog.DiscardHandler)
	st, err := store.Open(store.Options{Dir: o.Dir, Log: log})
	if errors.Is(err, store.ErrInUse) {
		return nil, fmt.Errorf("examine %s: %w", o.Dir, err)
	}
	if err != nil {
		r.wrong("store", err.Error(), "the server does not start with it: what was acknowledged might be missing",
			"kj restore BACKUP --data NEW-DIR, or go on without what was lost: kj serve --accept-loss")
		return r, nil
	}
	parts := repo.Start(repo.Config{Log: log, Store: st})
	err = r.stored(ctx, o, st, parts)
	if err == nil {
		err = r.quarantined(log, st)
	}
	if err == nil {
		err = r.backups(st, lastBackup, o.Now)
	}
	return r, errors.Join(err, parts.Close(), st.Close())
}

// stored reads everything that is stored.
func (r *Report) stored(ctx context.Context, o Options, st *store.Store, parts *repo.Repo) error {
	if err := st.Trouble(); err != nil {
		r.wrong("store", err.Error(), "edits are refused, and editors keep them", "free some space")
	}
	found, err := st.Scrub(ctx, store.ScrubOptions{
		Verify: parts.Verify,
		Progress: func(p store.ScrubProgress) {
			if o.Progress != nil {
				o.Progress(p.DocumentsDone, p.Documents)
			}
		},
	})
	if err != nil {
		return err
	}
	for _, problem := range found.Problems {
		r.wrong("tables", problem, "what they hold cannot be read",
			"start the server: it replaces damaged tables; what stays damaged comes back from other nodes and editors, or kj restore BACKUP")
	}
	if len(found.Problems) == 0 {
		r.sound("tables", "%d read, with %d records", found.Tables, found.Records)
	}
	for _, d := range found.Damage {
		r.damaged(ctx, o, d, parts)
	}
	if len(found.Damage) == 0 {
		r.sound("documents", "%d of %s read: checksums, hashes and heads are what they should be", found.DocumentsDone, size(found.Bytes))
	}
	return nil
}

// damaged says that a document is damaged, or mends it.
func (r *Report) damaged(ctx context.Context, o Options, d store.Damage, parts *repo.Repo) {
	what := fmt.Sprintf("document %s is damaged: %s", d.Doc.Name(), withoutHint(d.Why))
	const why = "it alone cannot be opened; the others can"
	if !o.Mend {
		r.wrong("documents", what, why, "kj doctor --mend sets it aside, and whoever holds it brings it back; or kj restore BACKUP")
		return
	}
	m, err := parts.Mend(ctx, d.Doc)
	if err != nil {
		r.wrong("documents", what+"; "+err.Error(), why, "kj restore BACKUP")
		return
	}
	how := mendedWords(m.Path, m.Changes, m.Had, m.Short)
	for _, name := range cacheDirs[:2] { // they may show what is not there any more
		if err := os.RemoveAll(filepath.Join(o.Dir, name)); err != nil {
			how += "; delete " + filepath.Join(o.Dir, name)
		}
	}
	r.mended("documents", what, why, how)
}

func (r *Report) quarantined(log *slog.Logger, st *store.Store) error {
	list, err := quarantine.Open(log, st, time.Now)
	if err != nil {
		return err
	}
	n := 0
	for _, e := range list.Entries() {
		if e.Kind == quarantine.Refused {
			continue
		}
		n++
		change := ""
		if e.Change != (kaijutsu.ChangeHash{}) {
			change = e.Change.String()
		}
		r.quarantinedEntry(e.Document.Name(), change, e.Kind, e.Why, e.ReadOnly, e.Closed)
	}
	if n == 0 {
		r.sound("quarantine", "empty")
	}
	return nil
}

func (r *Report) quarantinedEntry(doc, change, kind, why string, readOnly, closed bool) {
	what := fmt.Sprintf("a change of document %s (%s): %s", doc, kind, why)
	means := "it is refused, whoever brings it; the document is edited without it"
	switch {
	case closed:
		means = "the document cannot be opened"
	case readOnly:
		means = "the document is read-only: it is served as it is, and not changed"
	}
	mend := "update the server, which examines it again when it starts; or try it: kj quarantine release " + doc
	if change != "" {
		mend += " " + change
	}
	level := Advice
	if readOnly || closed {
		level = Wrong
	}
	r.add(Finding{"quarantine", level, what, means, mend})
}

// backupEvery is how old the last backup may be.
const backupEvery = 7 * 24 * time.Hour

func (r *Report) backups(st *store.Store, last func(*store.Store) (time.Time, error), now time.Time) error {
	at, err := last(st)
	if err == nil {
		r.backupAge(at, now)
	}
	return err
}

func (r *Report) backupAge(at, now time.Time) {
	const check, why, mend = "backup", "what is on one disk only is lost with it", "kj backup DIR   # every day, and kj restore DIR --verify now and then"
	switch age := now.Sub(at); {
	case at.IsZero():
		r.advice(check, "there was never a backup", why, mend)
	case age > backupEvery:
		r.advice(check, fmt.Sprintf("the last backup is of %s, %d days ago", at.Format(time.DateOnly), int(age.Hours()/24)), why, mend)
	default:
		r.sound(check, "the last is of %s", at.UTC().Format(time.RFC3339))
	}
}
