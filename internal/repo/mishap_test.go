package repo_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/examine"
	"kaijutsu/internal/halt"
	"kaijutsu/internal/quarantine"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var discard = slog.New(slog.DiscardHandler)

var mallory = kaijutsu.Principal{Name: "mallory", Kind: kaijutsu.Agent}

// troubles are changes that go wrong, by their message.
type troubles struct {
	off     atomic.Bool
	release chan struct{} // ends "stuck"
}

func (x *troubles) strike(c *amfile.Change, stop *halt.Flag) {
	if x.off.Load() {
		return
	}
	switch c.Message {
	case "panic":
		var none []int
		_ = none[len(c.Ops)]
	case "endless":
		for {
			stop.Check()
		}
	case "stuck":
		<-x.release
	}
}

// openTroubled opens a repo whose quarantine is in its store, and in which
// changes may go wrong.
func openTroubled(t *testing.T, dir string, x *troubles, change func(*repo.Config)) *house {
	t.Helper()
	return open(t, dir, func(c *repo.Config, o *store.Options) {
		c.Trouble(x.strike)
		c.StopAfter = 200 * time.Millisecond
		if change != nil {
			change(c)
		}
	})
}

// bring has a replica bring a change with this message.
func (r *replica) bring(message string) kaijutsu.ChangeHash {
	r.t.Helper()
	c := &amfile.Change{
		Deps: slices.Clone(r.graph.Heads()), Actors: []kaijutsu.ActorID{r.actor}, Message: message,
		Seq: r.graph.NextSeq(r.actor), StartOp: r.graph.MaxOp() + 1,
		Ops: []amfile.Op{{Action: amfile.Put, Key: "k", Value: amfile.UintValue(1)}},
	}
	if err := amfile.EncodeChange(c); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.graph.Add(c); err != nil {
		r.t.Fatal(err)
	}
	r.push()
	return c.Hash
}

func (r *replica) synced() bool { return r.graph.Len() > 0 && r.told.Equal(r.graph.Heads()) }

// TestAChangeThatGoesWrong brings a change on which the server fails while
// others edit the document: it alone is refused, from then on, and they go on
// in the sessions they had.
func TestAChangeThatGoesWrong(t *testing.T) {
	for _, c := range []struct{ message, kind string }{
		{"panic", quarantine.Panic},
		{"endless", quarantine.Time},
	} {
		t.Run(c.message, func(t *testing.T) {
			x := &troubles{}
			h := openTroubled(t, t.TempDir(), x, nil)
			cid, err := h.repo.CreateContext(t.Context(), amy, "plan")
			if err != nil {
				t.Fatal(err)
			}
			id := cid.Document()
			w, err := h.repo.Watch(t.Context(), id) // the read model is open from now on
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			honest, hostile := newReplica(t), newReplica(t)
			honest.join(h, id)
			hostile.joinAs(h, id, repo.Joining{Principal: mallory})
			honest.until("both have the context", func() bool { return honest.synced() && hostile.synced() })

			hash := hostile.bring(c.message)
			honest.put(1)
			honest.push()
			honest.until("the honest edit is saved", honest.synced)
			honest.until("the other is told", func() bool { return len(hostile.said) > 0 })
			if text := hostile.said[0].Error(); !strings.Contains(text, hash.String()) || !strings.Contains(text, "quarantine") {
				t.Errorf("the peer was told %q, want the hash of its change and that it is in quarantine", text)
			}
			entries := h.repo.Quarantine().Entries()
			if len(entries) != 1 || entries[0].Change != hash || entries[0].By != mallory || entries[0].Kind != c.kind || entries[0].ReadOnly {
				t.Fatalf("quarantine = %+v, want the change %v of mallory alone, as %s", entries, hash, c.kind)
			}
			if _, err := h.repo.Edit(t.Context(), id, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.SetTitle("still here") }); err != nil {
				t.Errorf("Edit after it = %v, want nil", err)
			}
			if n := h.repo.Stats().Mishaps; n != 1 {
				t.Errorf("%d mishaps, want 1", n)
			}

			// What is forgiven is asked for, and taken when it does no harm.
			x.off.Store(true)
			if err := h.repo.Release(t.Context(), id, hash); err != nil {
				t.Fatal(err)
			}
			hostile.leave()
			hostile.joinAs(h, id, repo.Joining{Principal: mallory})
			honest.until("the change is taken when it is released", func() bool { return honest.graph.Has(hash) })
		})
	}
}

// TestQuarantineStays refuses a change by its hash after a restart, without
// trying it.
func TestQuarantineStays(t *testing.T) {
	x, dir := &troubles{}, t.TempDir()
	var h *house
	start := func() {
		h = openTroubled(t, dir, x, nil)
		if err := h.repo.Close(); err != nil {
			t.Fatal(err)
		}
		list, err := quarantine.Open(discard, h.store, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := repo.Config{Log: discard, Store: h.store, Quarantine: list}
		c.Trouble(x.strike)
		h.repo = repo.Start(c)
	}
	start()
	cid, err := h.repo.CreateContext(t.Context(), amy, "plan")
	if err != nil {
		t.Fatal(err)
	}
	w, err := h.repo.Watch(t.Context(), cid.Document())
	if err != nil {
		t.Fatal(err)
	}
	hostile := newReplica(t)
	hostile.join(h, cid.Document())
	hostile.until("it has the context", hostile.synced)
	hash := hostile.bring("panic")
	hostile.until("it is told", func() bool { return len(hostile.said) > 0 })
	kept, err := h.repo.Quarantine().Bytes(cid.Document(), hash)
	if err != nil || len(kept) == 0 {
		t.Errorf("bytes kept of the change = %d, %v", len(kept), err)
	}
	w.Close()
	hostile.leave()
	h.close(t)

	start()
	hostile.said = nil
	hostile.join(h, cid.Document())
	hostile.until("it is told again", func() bool { return len(hostile.said) > 0 })
	if n := h.repo.Stats().Mishaps; n != 0 {
		t.Errorf("%d mishaps after the restart, want none: the change is not to be tried", n)
	}
}

// TestAnOwnerThatIsStuck gives up an owner that nothing can end: its document
// opens anew without the change, and other documents never wait.
func TestAnOwnerThatIsStuck(t *testing.T) {
	x := &troubles{release: make(chan struct{})}
	h := openTroubled(t, t.TempDir(), x, nil)
	cid, err := h.repo.CreateContext(t.Context(), amy, "plan")
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.repo.CreateContext(t.Context(), amy, "other")
	if err != nil {
		t.Fatal(err)
	}
	w, err := h.repo.Watch(t.Context(), cid.Document())
	if err != nil {
		t.Fatal(err)
	}
	hostile := newReplica(t)
	hostile.joinAs(h, cid.Document(), repo.Joining{Principal: mallory})
	hostile.until("it has the context", hostile.synced)
	hash := hostile.bring("stuck")
	edit := func(id kaijutsu.ContextID) error {
		_, err := h.repo.Edit(t.Context(), id.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.SetTitle("on") })
		return err
	}
	if err := edit(other); err != nil {
		t.Errorf("Edit of another document meanwhile = %v", err)
	}
	if _, err := w.Next(t.Context()); !errors.Is(err, repo.ErrClosed) {
		t.Errorf("Watch of the document = %v, want ErrClosed when its owner is given up", err)
	}
	if err := edit(cid); err != nil {
		t.Errorf("Edit of the document when it is open again = %v", err)
	}
	if !h.repo.Quarantine().Refused(cid.Document(), hash) {
		t.Error("the change is not in quarantine")
	}
	close(x.release)
	hostile.leave()
	w.Close()
	h.close(t)
	h = openTroubled(t, h.dir, x, nil)
	found := false
	if err := h.repo.View(t.Context(), cid.Document(), func(v repo.View) error {
		_, found = v.Log().Index(hash)
		return nil
	}); err != nil || found {
		t.Errorf("the change of the owner that was given up is on disk: %v, %v", found, err)
	}
}

// TestWhatIsOnDiskGoesWrong has a change taken in while nobody reads blocks, on
// which the read model fails: editors go on getting everything, nothing is
// changed, and it heals when an examination goes well.
func TestWhatIsOnDiskGoesWrong(t *testing.T) {
	x := &troubles{}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := openTroubled(t, t.TempDir(), x, func(c *repo.Config) {
		c.Examiner = &examine.Runner{Log: c.Log, Exe: exe, Args: []string{"examine"}}
	})
	hostile, honest := newReplica(t), newReplica(t)
	cid, err := h.repo.CreateContext(t.Context(), amy, "plan")
	if err != nil {
		t.Fatal(err)
	}
	id := cid.Document()
	if err := h.repo.Reopen(t.Context(), id); err != nil { // without a read model
		t.Fatal(err)
	}
	hostile.joinAs(h, id, repo.Joining{Principal: mallory})
	hostile.until("it has the context", hostile.synced)
	hash := hostile.bring("panic")
	hostile.until("it is saved", hostile.synced)

	err = h.repo.View(t.Context(), id, func(repo.View) error { return nil })
	if !errors.Is(err, repo.ErrReadOnly) || !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "kj doctor") {
		t.Errorf("View = %v, want ErrReadOnly that names kj doctor", err)
	}
	if _, err := h.repo.Edit(t.Context(), id, repo.Edit{By: amy}, func(repo.View, *blocks.Tx) error { return nil }); !errors.Is(err, repo.ErrReadOnly) {
		t.Errorf("Edit = %v, want ErrReadOnly", err)
	}
	e, is := h.repo.Quarantine().ReadOnly(id)
	if !is || e.Change != hash {
		t.Errorf("quarantine of the document = %+v, want the change %v", e, hash)
	}
	honest.join(h, id)
	honest.until("an editor that comes gets everything", func() bool { return honest.graph.Has(hash) })
	mine := honest.put(1)
	honest.push()
	honest.until("its change is refused", func() bool { return len(honest.said) > 0 })
	if text := honest.said[0].Error(); !strings.Contains(text, "read-only") {
		t.Errorf("the editor was told %q", text)
	}

	x.off.Store(true) // a version in which the mistake is mended
	if err := h.repo.ExamineAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.repo.View(t.Context(), id, func(repo.View) error { return nil }); err != nil {
		t.Errorf("View when the examination went well = %v", err)
	}
	honest.leave()
	honest.join(h, id)
	honest.until("the editor's change is taken now", honest.synced)
	if !honest.graph.Has(mine) {
		t.Error("the editor's change is gone")
	}
}

// TestAnEditThatGoesWrong fails one edit and one read; the others of the
// document go on.
func TestAnEditThatGoesWrong(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	cid, err := h.repo.CreateContext(t.Context(), amy, "plan")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			_, err := h.repo.Edit(context.Background(), cid.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
				if i%5 == 0 {
					panic("of the caller's making")
				}
				return tx.SetTitle("on")
			})
			if i%5 == 0 && !errors.Is(err, kaijutsu.ErrUnavailable) {
				t.Errorf("Edit that panics = %v, want ErrUnavailable", err)
			}
		})
	}
	all.Wait()
	if err := h.repo.View(t.Context(), cid.Document(), func(repo.View) error { panic("likewise") }); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("View that panics = %v, want ErrUnavailable", err)
	}
	if _, err := h.repo.Edit(t.Context(), cid.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.SetTitle("on") }); err != nil {
		t.Errorf("Edit afterwards = %v", err)
	}
	if n := len(h.repo.Quarantine().Entries()); n != 0 {
		t.Errorf("%d changes in quarantine, want none: it was no change that went wrong", n)
	}
}

// counting counts the examinations of the real examiner.
type counting struct {
	*examine.Runner
	n atomic.Int64
}

func (c *counting) Examine(ctx context.Context, j examine.Job) (examine.Report, error) {
	c.n.Add(1)
	return c.Runner.Examine(ctx, j)
}

// TestMarks has what was being worked on when the process died examined before
// it is worked on again.
func TestMarks(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	working, left := filepath.Join(dir, "working"), filepath.Join(dir, "left")
	h := open(t, filepath.Join(dir, "store"), func(c *repo.Config, _ *store.Options) { c.Working = working })
	cid, err := h.repo.CreateContext(t.Context(), amy, "plan")
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.repo.CreateContext(t.Context(), amy, "other")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.repo.View(t.Context(), cid.Document(), func(repo.View) error { // as if it died here
		b, err := os.ReadFile(working)
		if err != nil {
			return err
		}
		return os.WriteFile(left, b, 0o600)
	}); err != nil {
		t.Fatal(err)
	}
	h.close(t)

	examiner := &counting{Runner: &examine.Runner{Log: discard, Exe: exe, Args: []string{"examine"}}}
	h = open(t, filepath.Join(dir, "store"), func(c *repo.Config, _ *store.Options) { c.Working, c.Examiner = left, examiner })
	for _, look := range []struct {
		id   kaijutsu.ContextID
		want int64
	}{{other, 0}, {cid, 1}, {cid, 1}} {
		if err := h.repo.View(t.Context(), look.id.Document(), func(repo.View) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got := examiner.n.Load(); got != look.want {
			t.Errorf("%d examinations, want %d", got, look.want)
		}
	}
}
