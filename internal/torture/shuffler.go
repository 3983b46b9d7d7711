package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/wire"
)

// shuffled says of an edit that it was sent out of order.
const shuffled = "shuffled"

// shuffler is an editor with a context of its own that writes while it is
// offline, and then sends its changes in any order, some of them twice, in
// messages of any size. The server has to have all of them then.
type shuffler struct {
	name, token string
	node        *node
	target      *target
	ledger      *ledger
	h           *history
	random      *rand.Rand

	count int
}

// run goes on until stop is closed; ctx ends it at once.
func (w *shuffler) run(ctx context.Context, stop <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with run
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for n := 0; ctx.Err() == nil; n++ {
		w.session(ctx, n)
		pauseFor(ctx, 200*time.Millisecond)
	}
}

// pauseFor waits, at most until ctx ends.
func pauseFor(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// session is a fresh editor, until something fails.
func (w *shuffler) session(ctx context.Context, n int) {
	dialing, dialed := context.WithTimeout(ctx, 5*time.Second)
	defer dialed()
	client, err := editor.Dial(dialing, editor.Config{URL: w.node.syncURL(w.token)})
	if err != nil {
		return // the node is down
	}
	defer client.Disconnect()
	doc := client.Open(ctx, w.target.doc)
	if doc.Wait(dialing, func() bool { return w.target.ready(doc) }) != nil {
		return
	}
	client.Disconnect()
	for round := 0; ctx.Err() == nil; round++ {
		made, err := w.writeOffline(ctx, doc, n)
		if err != nil || w.send(ctx, doc, made) != nil {
			return
		}
		pauseFor(ctx, within(w.random, 100*time.Millisecond, 600*time.Millisecond))
	}
}

// writeOffline makes some changes that rest on each other.
func (w *shuffler) writeOffline(ctx context.Context, doc *editor.Document, session int) ([]made, error) {
	var all []made
	for range 2 + w.random.IntN(6) {
		w.count++
		m := made{mark: fmt.Sprintf("⟦%s.%d.%d⟧", w.name, session, w.count)}
		var err error
		m.hash, err = doc.Edit(ctx, func(tx *blocks.Tx) error { return tx.AppendText(w.target.texts[0], m.mark) })
		if err != nil {
			return nil, err
		}
		w.h.note(Entry{Says: saysTry, Who: w.name, Doc: w.target.id, Hash: short(m.hash), Mark: m.mark})
		all = append(all, m)
	}
	return all, nil
}

// send sends the changes in any order over a connection of its own and waits
// until the server has them.
func (w *shuffler) send(ctx context.Context, doc *editor.Document, made []made) error {
	ctx, cancel := context.WithTimeout(ctx, 2*honestWait)
	defer cancel()
	p, err := dialPeer(ctx, w.node, w.token)
	if err != nil {
		return err
	}
	defer p.close()
	heads, began := doc.Heads(), time.Now()
	for _, some := range w.shuffle(doc, made) {
		m := &amfile.SyncMessage{Version: 1, Heads: heads, Changes: some}
		if err := p.sync(ctx, w.target.doc, m); err != nil {
			return err
		}
	}
	patience, patient := context.WithTimeout(ctx, honestWait)
	defer patient()
	for {
		told, err := p.heads(patience, w.target.doc)
		if patience.Err() != nil && ctx.Err() == nil {
			last := made[len(made)-1]
			w.h.note(Entry{Says: saysLate, Who: w.name, Doc: w.target.id, Hash: short(last.hash), Ms: millis(time.Since(began)), What: shuffled})
			return patience.Err()
		}
		if err != nil {
			return err
		}
		if told.Equal(heads) {
			break
		}
	}
	for _, m := range made {
		w.h.note(Entry{Says: saysAck, Who: w.name, Doc: w.target.id, Hash: short(m.hash), Mark: m.mark})
		w.ledger.ack(w.target.doc, m.hash, "editors", w.name)
		w.ledger.mark(w.target.doc, m.mark, true)
	}
	w.ledger.waited(w.node.name, time.Since(began))
	return nil
}

// shuffle returns the chunks of the changes in messages: in any order, some
// twice.
func (w *shuffler) shuffle(doc *editor.Document, made []made) [][][]byte {
	var chunks [][]byte
	for _, m := range made {
		raw, _ := doc.Raw(m.hash) // it made it
		chunks = append(chunks, raw)
		if w.random.IntN(3) == 0 {
			chunks = append(chunks, raw)
		}
	}
	w.random.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	var messages [][][]byte
	for len(chunks) > 0 {
		n := 1 + w.random.IntN(len(chunks))
		messages = append(messages, slices.Clone(chunks[:n]))
		chunks = chunks[n:]
	}
	return messages
}

// peer is a connection that speaks the sync protocol word by word. It is for one
// goroutine.
type peer struct {
	conn   *websocket.Conn
	id     string
	server string
}

// dialPeer connects and joins.
func dialPeer(ctx context.Context, n *node, token string) (*peer, error) {
	conn, _, err := websocket.Dial(ctx, n.syncURL(token), nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxFrameBytes)
	p := &peer{conn: conn, id: fmt.Sprintf("peer-%x", rand.Uint64())}
	if err := p.write(ctx, wire.Join{SenderID: p.id, Metadata: wire.Metadata{Ephemeral: true}, Versions: []string{wire.Version}}); err != nil {
		p.close()
		return nil, err
	}
	m, err := p.read(ctx)
	if err != nil {
		p.close()
		return nil, err
	}
	answer, ok := m.(wire.Peer)
	if !ok {
		p.close()
		return nil, fmt.Errorf("the join was answered with %+v: %w", m, kaijutsu.ErrDenied)
	}
	p.server = answer.SenderID
	return p, nil
}

func (p *peer) close() { _ = p.conn.CloseNow() }

func (p *peer) write(ctx context.Context, m wire.Message) error {
	return p.conn.Write(ctx, websocket.MessageBinary, wire.Encode(m))
}

func (p *peer) read(ctx context.Context) (wire.Message, error) {
	_, frame, err := p.conn.Read(ctx)
	if err != nil {
		return nil, err
	}
	return wire.Decode(frame)
}

// sync sends a sync message of a document.
func (p *peer) sync(ctx context.Context, doc kaijutsu.DocumentID, m *amfile.SyncMessage) error {
	return p.syncRaw(ctx, doc, m.Encode())
}

func (p *peer) syncRaw(ctx context.Context, doc kaijutsu.DocumentID, data []byte) error {
	return p.write(ctx, wire.Sync{SenderID: p.id, TargetID: p.server, DocumentID: doc.String(), Data: data})
}

// heads waits for the next sync message of a document and returns the heads that
// it tells: they are on the server's disk.
func (p *peer) heads(ctx context.Context, doc kaijutsu.DocumentID) (kaijutsu.Heads, error) {
	for {
		m, err := p.read(ctx)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case wire.Sync:
			if m.DocumentID != doc.String() {
				continue
			}
			got, err := amfile.DecodeSync(m.Data)
			if err != nil {
				return nil, err
			}
			return kaijutsu.NewHeads(got.Heads...), nil
		case wire.Error:
			return nil, errors.New(m.Message)
		}
	}
}
