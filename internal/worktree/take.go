package worktree

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
	"kaijutsu/internal/vfs"
)

// maxTakeOps is how many operations the imports of one change may take
// together, and maxTakeBytes how much text; what alone takes more has a change
// of its own.
const (
	maxTakeOps   = 100_000
	maxTakeBytes = 1 << 20
)

// maxCarrying is how long a turn may look for the writers of lines: of a burst of
// files, others come in the next turns, and those after maxCatchUp have lines by
// git.
const (
	maxCarrying = 150 * time.Millisecond
	maxCatchUp  = 15 * time.Second
)

// mayCarry reports whether writers of lines that git has brought may be looked
// for.
func (o *Overlay) mayCarry() bool { return time.Since(o.own.moved) < maxCatchUp }

// imported is an import, for as long as it may turn out that it was another
// branch's.
type imported struct {
	change kaijutsu.ChangeHash
	files  []priorFile
}

// priorFile is a file as it was before an import, and what came.
type priorFile struct {
	rec    record
	exists bool
	data   hash // of the disk's bytes
}

// take brings what the disk holds into blocks: those of one principal together.
func (o *Overlay) take(ctx context.Context, looks []*look) {
	by := map[kaijutsu.Principal][]*look{}
	start := time.Now()
	for _, l := range looks {
		who := o.whose(l)
		if before := l.block; l.f.rec.Exists {
			if err := o.reend(ctx, l); err != nil {
				o.fail(l.f, "import", unlessDone(ctx, err))
				continue
			}
			if l.block != before {
				l.f.isPartly(l.block)
			}
		}
		if who == Git && o.mayCarry() {
			if time.Since(start) > maxCarrying {
				l.f.hurry(time.Now()) // in the next turn
				continue
			}
			if o.carry(ctx, l) {
				continue
			}
		}
		by[who] = append(by[who], l)
	}
	for _, who := range []kaijutsu.Principal{Git, o.cfg.DiskAs} {
		some := by[who]
		delete(by, who)
		for len(some) > 0 {
			n := portion(some)
			o.takeSome(ctx, who, some[:n])
			some = some[n:]
		}
	}
}

// portion returns how many imports go into one change.
func portion(looks []*look) int {
	ops, bytes := 0, 0
	for i, l := range looks {
		ops += l.ops()
		bytes += len(l.text)
		if i > 0 && (ops > maxTakeOps || bytes > maxTakeBytes) {
			return i
		}
	}
	return len(looks)
}

// ops estimates the operations that an import takes.
func (l *look) ops() int {
	if l.form != blocks.FormText {
		return utf8.RuneCountInString(l.block) + len(l.text)
	}
	return max(len(l.text), len(l.block)) / 4
}

// takeSome imports files with one change, and one by one when that fails.
func (o *Overlay) takeSome(ctx context.Context, who kaijutsu.Principal, looks []*look) {
	err := o.takeIn(ctx, who, looks)
	if err == nil || ctx.Err() != nil {
		return
	}
	if len(looks) == 1 {
		o.fail(looks[0].f, "import", err)
		return
	}
	for _, l := range looks {
		o.takeSome(ctx, who, []*look{l})
	}
}

func (o *Overlay) takeIn(ctx context.Context, who kaijutsu.Principal, looks []*look) error {
	exact := make([]bool, len(looks))
	skip := make([]bool, len(looks))
	e, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: who, Message: "op:file_import"}, func(v repo.View, tx *blocks.Tx) error {
		for i, l := range looks {
			var err error
			if exact[i], skip[i], err = write(v, tx, l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var took []*file
	done := imported{change: e.Change}
	for i, l := range looks {
		if skip[i] {
			o.fail(l.f, "import", errAgain)
			continue
		}
		done.files = append(done.files, o.taken(l, exact[i], e.Heads))
		took = append(took, l.f)
	}
	o.remember(done)
	for _, f := range took {
		o.fail(f, "import", unlessDone(ctx, o.reconciled(ctx, f)))
	}
	return o.save(ctx, o.own.at.Doc, took)
}

// write brings the disk's text into a block. Where somebody has typed since the
// look, the edits are moved over that; skip says that they do not go together.
func write(v repo.View, tx *blocks.Tx, l *look) (exact, skip bool, err error) {
	id := l.f.rec.Block
	b, ok := v.Block(id)
	if !ok {
		return false, false, fmt.Errorf("block %s: %w", id, kaijutsu.ErrNotFound)
	}
	if b.Deleted != !l.b.Exists {
		return false, true, nil
	}
	var splices []textdiff.Splice
	if exact = b.Content == l.block; !exact {
		if splices, ok = moveOver(l.block, l.text, b.Content); !ok {
			return false, true, nil
		}
	}
	if b.Deleted {
		if err := tx.Restore(id); err != nil {
			return false, false, err
		}
	}
	if exact {
		return true, false, tx.ReplaceText(id, l.text)
	}
	for _, s := range splices {
		if err := tx.SpliceText(id, s.Pos, s.Del, s.Ins); err != nil {
			return false, false, err
		}
	}
	return false, false, nil
}

// taken notes that a block got what the disk holds.
func (o *Overlay) taken(l *look, exact bool, heads kaijutsu.Heads) priorFile {
	f := l.f
	prior := priorFile{rec: f.rec, exists: true, data: l.disk}
	prior.rec.Past = slices.Clone(f.rec.Past)
	if f.rec.Exists && len(f.rec.Heads) > 0 && f.rec.Base == nil {
		f.past(f.rec.Heads)
	}
	was := f.rec.Heads
	f.stamped(l)
	o.agreed(f, hashText(l.text), heads)
	if !exact {
		text := l.text
		f.rec.Heads, f.rec.Base = was, &text
		f.stale = true
	}
	return prior
}

// isPartly notes that the block got a part of what the disk holds: should it end
// here, the disk is what has changed since.
func (f *file) isPartly(text string) {
	f.rec.Text, f.rec.Disk, f.rec.Stamp, f.rec.Base, f.saved = hashText(text), hash{}, vfs.Stamp{}, &text, false
}

// past keeps heads at which the block held something that git may bring again.
func (f *file) past(heads kaijutsu.Heads) {
	if len(heads) > maxPastHeads || slices.ContainsFunc(f.rec.Past, heads.Equal) {
		return
	}
	if f.rec.Past = append(f.rec.Past, heads); len(f.rec.Past) > maxPast {
		f.rec.Past = slices.Delete(f.rec.Past, 0, len(f.rec.Past)-maxPast)
	}
}

// maxWindow bounds how many imports are remembered.
const maxWindow = 1000

func (o *Overlay) remember(i imported) {
	if i.change == (kaijutsu.ChangeHash{}) || len(o.own.window) >= maxWindow {
		return
	}
	o.own.window = append(o.own.window, i)
}

// bury makes a tombstone of the block whose file is gone.
func (o *Overlay) bury(ctx context.Context, l *look) error {
	f := l.f
	skip := false
	e, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: o.whose(l), Message: "op:file_import"}, func(v repo.View, tx *blocks.Tx) error {
		b, ok := v.Block(f.rec.Block)
		if skip = ok && b.Content != l.block; skip || !ok || b.Deleted {
			return nil
		}
		return tx.Delete(f.rec.Block)
	})
	if err != nil {
		return err
	}
	if skip {
		return errAgain
	}
	o.remember(imported{e.Change, []priorFile{{rec: f.rec}}})
	f.stale = false
	return o.buried(ctx, f, e.Heads)
}

// buried notes that file and block are gone, which they agreed on at heads.
func (o *Overlay) buried(ctx context.Context, f *file, heads kaijutsu.Heads) error {
	f.rec.Exists, f.rec.Heads, f.rec.Fresh, f.rec.Pending = false, heads, false, nil
	f.rec.Base, f.dirty, f.saved = nil, false, false
	o.inEpoch(f)
	if err := o.reconciled(ctx, f); err != nil {
		return err
	}
	return o.save(ctx, o.own.at.Doc, []*file{f})
}

// revertWindow takes back what was imported while git had switched the files to
// another branch but not yet HEAD: what came since the index last changed, is
// what the new commit holds, and not what the old one held.
func (o *Overlay) revertWindow(ctx context.Context, e git.Epoch) {
	window := o.own.window
	o.own.window = nil
	for i := len(window) - 1; i >= 0; i-- {
		w := window[i]
		if !slices.ContainsFunc(w.files, func(p priorFile) bool { return o.isOther(p, e) }) {
			continue
		}
		_, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: Git, Message: blocks.UndoMessage + " " + w.change.String()}, func(v repo.View, tx *blocks.Tx) error {
			return tx.Revert(v.Log(), []kaijutsu.ChangeHash{w.change})
		})
		if err != nil {
			o.cfg.Log.Warn("an import of another branch's text stays", "mount", o.cfg.Mount, "err", err)
			continue
		}
		for _, p := range w.files {
			if f := o.own.files[p.rec.Block]; f != nil {
				f.rec, f.saved = p.rec, false
			}
		}
	}
}

// isOther reports whether an import was that of another branch's text.
func (o *Overlay) isOther(p priorFile, e git.Epoch) bool {
	hashAt := func(commit git.Hash) (hash, bool) {
		if commit == "" {
			return hash{}, false
		}
		b, err := o.cfg.Git.Repo().FileAt(commit, p.rec.Path)
		if err != nil || !b.Mode.IsFile() {
			return hash{}, false
		}
		return hashBytes(o.cfg.Git.Attributes(p.rec.Path).ToDisk(b.Data)), true
	}
	now, is := hashAt(e.Head)
	old, was := hashAt(o.own.at.Head)
	if !p.exists {
		return !is && was
	}
	return is && now == p.data && !(was && old == p.data)
}
