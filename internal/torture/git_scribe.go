package torture

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/editor"
)

// scribe types lines below its heading into files: over HTTP, or as an editor
// that speaks the sync protocol. It writes where it was until it looks again: so
// after a switch of the branch it goes on in the context of the old one for a
// while.
type scribe struct {
	*bench
	name   string
	random *rand.Rand
	peer   bool

	count int
	at    openFile // where it writes
	file  string   // the path of that
}

// lookEvery is after how many lines a scribe looks where its file is now, on
// average.
const lookEvery = 8

func (w *scribe) run(ctx context.Context, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-ctx.Done():
			return
		case <-time.After(time.Duration((0.5 + w.random.Float64()) * float64(typePause))):
		}
		w.typing.RLock()
		w.step(ctx)
		w.typing.RUnlock()
	}
}

// step types a line, or as an editor several.
func (w *scribe) step(ctx context.Context) {
	if w.at.Block == "" || w.random.IntN(lookEvery) == 0 {
		w.file = pick(w.random, gitFiles...)
		w.at = openFile{}
		if f, err := w.bench.file(ctx, w.file); err == nil && f.Block != "" {
			w.at = f
		}
		if w.at.Block == "" {
			return // the server is down, or the mount is not open yet
		}
	}
	if w.peer {
		w.connect(ctx)
		return
	}
	if err := w.typeLine(ctx); err != nil {
		w.at = openFile{}
	}
}

// newLine writes down a line that is about to be typed.
func (w *scribe) newLine() *gitLine {
	w.count++
	l := w.book.line(w.name, w.count, w.file)
	w.book.inContext(l, w.at.Context)
	return l
}

// typeLine types a line over HTTP.
func (w *scribe) typeLine(ctx context.Context) error {
	l := w.newLine()
	a := w.as(w.name)
	began := time.Now()
	for range 8 { // somebody else may have put lines in front
		var read struct{ Content string }
		if err := a.call(ctx, "block_read", map[string]any{"context": w.at.Context, "block_id": w.at.Block, "line_numbers": false}, &read); err != nil {
			return w.wonder("block_read", err)
		}
		at := slices.Index(strings.Split(read.Content, "\n"), heading(w.name))
		if at < 0 {
			w.problem("the heading of %s is gone from %s in context %s", w.name, w.file, w.at.Context)
			return errStands
		}
		edit := map[string]any{"op": "replace", "start_line": at, "end_line": at + 1, "expected_text": heading(w.name), "content": heading(w.name) + "\n" + l.text}
		err := a.call(ctx, "block_edit", map[string]any{"context": w.at.Context, "block_id": w.at.Block, "operations": []any{edit}}, nil)
		var no *refused
		if errors.As(err, &no) && no.status == http.StatusConflict {
			continue
		}
		if err == nil {
			w.book.ack(l)
			w.s.ledger.waited(w.node.name, time.Since(began))
		}
		return w.wonder("block_edit", err)
	}
	return nil
}

// wonder notes a refusal that nothing explains.
func (w *scribe) wonder(op string, err error) error {
	var no *refused
	if errors.As(err, &no) && no.status != http.StatusServiceUnavailable {
		w.problem("%s by %s is refused: %v", op, w.name, no)
	}
	return err
}

// connect types some lines as an editor, which is gone with what was not
// acknowledged when its connection is.
func (w *scribe) connect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	w.bench.mu.Lock()
	key := w.keys[w.name]
	w.bench.mu.Unlock()
	client, err := editor.Dial(ctx, editor.Config{URL: w.node.syncURL(key)})
	if err != nil {
		w.at = openFile{}
		return
	}
	defer client.Disconnect()
	gone := client.Gone()
	go func() { // ends with the session
		select {
		case <-gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	cid, err := kaijutsu.ParseContextID(w.at.Context)
	if err != nil {
		w.problem("fs_read names the context %q", w.at.Context)
		return
	}
	doc := client.Open(ctx, cid.Document())
	id := blocks.ID(w.at.Block)
	if doc.Wait(ctx, func() bool { return doc.Unavailable() || textOf(doc, id) != "" }) != nil || doc.Unavailable() {
		w.at = openFile{}
		return
	}
	for range 1 + w.random.IntN(lookEvery) {
		if !w.typeAsPeer(ctx, doc, id) {
			w.at = openFile{}
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration((0.5 + w.random.Float64()) * float64(typePause))):
		}
	}
}

// typeAsPeer types a line and waits until the server has it.
func (w *scribe) typeAsPeer(ctx context.Context, doc *editor.Document, id blocks.ID) bool {
	l := w.newLine()
	began := time.Now()
	for range 8 {
		at := slices.Index(strings.Split(textOf(doc, id), "\n"), heading(w.name))
		if at < 0 {
			w.problem("the heading of %s is gone from %s in context %s", w.name, w.file, w.at.Context)
			return false
		}
		expected := heading(w.name)
		hash, err := doc.Edit(ctx, func(tx *blocks.Tx) error {
			return tx.EditLines(id, []blocks.LineEdit{{Op: blocks.LineReplace, Line: at, End: at + 1, Expected: &expected, Content: expected + "\n" + l.text}})
		})
		if errors.Is(err, kaijutsu.ErrConflict) {
			continue // the replica moved on
		}
		if err != nil || doc.WaitStored(ctx, hash) != nil {
			return false
		}
		w.book.ack(l)
		w.s.ledger.waited(w.node.name, time.Since(began))
		return true
	}
	return true
}

// textOf returns what a block of a replica holds.
func textOf(doc *editor.Document, id blocks.ID) string {
	list, err := doc.Blocks()
	if err != nil {
		return ""
	}
	for _, b := range list {
		if b.ID == id {
			return b.Content
		}
	}
	return ""
}
