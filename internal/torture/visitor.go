package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"kaijutsu/blocks"
	"kaijutsu/internal/editor"
)

const (
	// visitBefore is how long a visitor works until its token is revoked, and
	// visitAfter how long it then goes on to try.
	visitBefore = 700 * time.Millisecond
	visitAfter  = 2500 * time.Millisecond
	visitPause  = 10 * time.Millisecond
)

// revoke lets a visitor in by every door, takes its token away in the middle of
// what it does, and lets it go on.
func (m *mixed) revoke(ctx context.Context, n *node, random *rand.Rand) error {
	name := fmt.Sprintf("visitor %d", random.Uint32())
	key, id, err := m.token(ctx, name, "person", "editor")
	if err != nil {
		return nil // a node does not run; another time
	}
	v := &visitor{name: name, token: key, node: n, target: m.targets[random.IntN(len(m.targets))], ledger: m.ledger, h: m.h}
	for _, door := range []string{doorSync, doorHTTP, "events"} {
		m.h.note(Entry{Says: saysWho, Who: name + " by " + door, Name: name, Role: "editor", Node: n.name, What: door})
	}
	visit, leave := context.WithCancel(ctx)
	defer leave()
	var visiting sync.WaitGroup
	for _, f := range []func(context.Context){v.typing, v.calling, v.listening} {
		visiting.Go(func() { f(visit) })
	}
	defer visiting.Wait()
	defer leave()
	if err := m.rest(ctx, visitBefore); err != nil {
		return err
	}
	at := m.nodes[0]
	if random.IntN(2) == 0 {
		at = n
	}
	m.h.note(Entry{Says: saysRevoke, Name: name, Node: at.name})
	if err := at.api().call(ctx, "token_revoke", map[string]any{"token": id}, nil); err != nil {
		return nil // what became of it is not known: it is not judged
	}
	m.h.note(Entry{Says: saysRevoked, Name: name, Node: at.name})
	return m.rest(ctx, visitAfter)
}

// visitor is somebody whose token will be revoked.
type visitor struct {
	name, token string
	node        *node
	target      *target
	ledger      *ledger
	h           *history
}

// typing is its editor: it types on while its connection stands.
func (v *visitor) typing(ctx context.Context) {
	who := v.name + " by " + doorSync
	client, err := editor.Dial(ctx, editor.Config{URL: v.node.syncURL(v.token)})
	if err != nil {
		return
	}
	defer client.Disconnect()
	gone := client.Gone()
	doc := client.Open(ctx, v.target.doc)
	if doc.Wait(ctx, func() bool { return v.target.ready(doc) || doc.Unavailable() || isClosed(gone) }) != nil {
		return
	}
	defer func() { // also when it is over and the connection still stands
		v.h.note(Entry{Says: saysCut, Who: who, What: doorSync})
	}()
	for n := 0; ctx.Err() == nil; n++ {
		if isClosed(gone) {
			return
		}
		mark := fmt.Sprintf("⟦%s.%d⟧", v.name, n)
		h, err := doc.Edit(ctx, func(tx *blocks.Tx) error { return tx.AppendText(v.target.texts[0], mark) })
		if err != nil {
			return
		}
		v.h.note(Entry{Says: saysTry, Who: who, Doc: v.target.id, Hash: short(h), Mark: mark})
		patience, cancel := context.WithTimeout(ctx, ackPatience)
		if doc.WaitStored(patience, h) == nil {
			v.h.note(Entry{Says: saysAck, Who: who, Doc: v.target.id, Hash: short(h), Mark: mark})
			v.ledger.ack(v.target.doc, h, "editors", who)
		}
		cancel()
		pauseFor(ctx, visitPause)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// calling is its script: it asks who it is, again and again.
func (v *visitor) calling(ctx context.Context) {
	a := newAPI(v.node.url()).as(v.token)
	defer a.close()
	for ctx.Err() == nil {
		began := time.Now()
		if a.call(ctx, "whoami", map[string]any{}, nil) == nil {
			v.h.note(Entry{Says: saysServed, Who: v.name + " by " + doorHTTP, What: "an operation", Ms: millis(time.Since(began))})
		}
		pauseFor(ctx, 2*visitPause)
	}
}

// listening is its stream of events. It is not followed again when it ends.
func (v *visitor) listening(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	stood := false
	_ = readFrames(ctx, client, v.node.url()+"/v1/events?pattern=ctx.%3E", v.token, "", func() { stood = true }, func(frame) error { return nil })
	if stood { // also when it is over
		v.h.note(Entry{Says: saysCut, Who: v.name + " by events", What: "events"})
	}
}
