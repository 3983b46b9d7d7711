package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/editor"
)

const (
	// editPause is the mean pause of an editor between two edits.
	editPause = 25 * time.Millisecond
	// ackPatience is how long an editor waits for an acknowledgement before it
	// types on; the edit is asked about again when the session ends.
	ackPatience = 250 * time.Millisecond
	// comeback is the pause of a writer before it tries a node again.
	comeback = 50 * time.Millisecond
	// settleTimeout is how long an editor waits at the end for its last
	// acknowledgement.
	settleTimeout = 10 * time.Second
)

// typist is a person at an editor: it types marks into the texts of a context.
type typist struct {
	name     string
	token    string // empty: none is sent
	node     *node
	target   *target
	ledger   *ledger
	h        *history // nil: what it does is not recorded
	random   *rand.Rand
	pause    time.Duration // mean, between two edits
	patience time.Duration // how long it waits for an acknowledgement before it types on
	vain     bool          // it may not write, and hardly expects to be acknowledged

	count int // marks so far
}

// run types until stop is closed, with a fresh editor after each loss of the
// connection; ctx ends it at once.
func (w *typist) run(ctx context.Context, stop <-chan struct{}) {
	for n := 0; ctx.Err() == nil; n++ {
		w.session(ctx, stop, n)
		select {
		case <-stop:
			return
		case <-ctx.Done():
		case <-time.After(comeback):
		}
	}
}

// made is a mark on its way.
type made struct {
	hash kaijutsu.ChangeHash
	mark string
}

// session is the life of one connection.
func (w *typist) session(ctx context.Context, stop <-chan struct{}, n int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dialing, dialed := context.WithTimeout(ctx, 5*time.Second)
	defer dialed()
	client, err := editor.Dial(dialing, editor.Config{URL: w.node.syncURL(w.token)})
	if err != nil {
		return // the node is down
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
	doc := client.Open(ctx, w.target.doc)
	opening, opened := context.WithTimeout(ctx, 10*time.Second)
	defer opened()
	if doc.Wait(opening, func() bool { return w.target.ready(doc) || doc.Unavailable() }) != nil || doc.Unavailable() {
		return
	}
	var pending []made
	for {
		select {
		case <-stop:
			waiting, waited := context.WithTimeout(ctx, w.settleFor())
			_ = doc.Wait(waiting, func() bool { return len(pending) == 0 || doc.Stored(pending[len(pending)-1].hash) })
			waited()
			w.settle(doc, pending)
			return
		case <-ctx.Done():
			client.Disconnect() // when it was not the connection that ended
			<-gone              // what had arrived by then is all that was acknowledged
			w.settle(doc, pending)
			return
		case <-time.After(time.Duration((0.5 + w.random.Float64()) * float64(w.pause))):
		}
		m, ok := w.write(ctx, doc, n)
		if ok && !w.await(ctx, doc, m) {
			pending = append(pending, m)
		}
	}
}

// write makes one edit.
func (w *typist) write(ctx context.Context, doc *editor.Document, session int) (made, bool) {
	w.count++
	m := made{mark: fmt.Sprintf("⟦%s.%d.%d⟧", w.name, session, w.count)}
	text := w.target.texts[w.random.IntN(len(w.target.texts))]
	w.ledger.mark(w.target.doc, m.mark, false)
	var err error
	m.hash, err = doc.Edit(ctx, func(tx *blocks.Tx) error { return tx.AppendText(text, m.mark) })
	if err == nil {
		w.h.note(Entry{Says: saysTry, Who: w.name, Doc: w.target.id, Hash: short(m.hash), Mark: m.mark})
	}
	return m, err == nil
}

// await waits a little for an acknowledgement.
func (w *typist) await(ctx context.Context, doc *editor.Document, m made) bool {
	began := time.Now()
	patience, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	if doc.WaitStored(patience, m.hash) != nil {
		if ctx.Err() == nil {
			w.h.note(Entry{Says: saysLate, Who: w.name, Doc: w.target.id, Hash: short(m.hash), Ms: millis(time.Since(began))})
		}
		return false
	}
	w.ledger.waited(w.node.name, time.Since(began))
	w.acked(m, time.Since(began))
	return true
}

// acked notes that an edit was acknowledged, after some time; 0: it is not known
// after which.
func (w *typist) acked(m made, took time.Duration) {
	w.h.note(Entry{Says: saysAck, Who: w.name, Doc: w.target.id, Hash: short(m.hash), Mark: m.mark, Ms: millis(took)})
	w.ledger.ack(w.target.doc, m.hash, "editors", w.name)
	w.ledger.mark(w.target.doc, m.mark, true)
}

// settleFor is how long it waits at the end. One that types on without an
// acknowledgement does not expect much.
func (w *typist) settleFor() time.Duration {
	if w.vain {
		return ackPatience
	}
	return settleTimeout
}

// settle notes what else was acknowledged by the end of a session.
func (w *typist) settle(doc *editor.Document, pending []made) {
	stored := make(map[kaijutsu.ChangeHash]struct{})
	for _, h := range doc.AckedHashes() {
		stored[h] = struct{}{}
	}
	for _, m := range pending {
		if _, ok := stored[m.hash]; ok {
			w.acked(m, 0)
		}
	}
}

// target is a context that is written to.
type target struct {
	doc   kaijutsu.DocumentID
	id    string // as operations take it
	texts []blocks.ID
}

// ready reports whether a replica has the texts.
func (t *target) ready(doc *editor.Document) bool {
	list, err := doc.Blocks()
	if err != nil {
		return false
	}
	have := make(map[blocks.ID]struct{}, len(list))
	for _, b := range list {
		have[b.ID] = struct{}{}
	}
	for _, id := range t.texts {
		if _, ok := have[id]; !ok {
			return false
		}
	}
	return true
}
