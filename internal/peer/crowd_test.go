package peer_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/wire"
)

// TestVanishingConnections has peers go without a word at every stage, while
// two others go on editing.
func TestVanishingConnections(t *testing.T) {
	s := startOn(t, repo.Config{IdleAfter: 50 * time.Millisecond}, nil)
	doc := newDocument()
	a, b := s.join("amy").replica(doc), s.join("ben").replica(doc)
	h := a.edit("k", amfile.IntValue(0))
	b.open().has(h)
	var gone sync.WaitGroup
	for i := range 300 {
		gone.Go(func() {
			nc := s.handshake()
			defer nc.Close()
			id := fmt.Sprintf("ghost-%d", i)
			frames := [][]byte{
				wire.Encode(wire.Join{SenderID: id, Versions: []string{"1"}}),
				wire.Encode(wire.Request{SenderID: id, TargetID: serverID, DocumentID: doc.String(), Data: (&amfile.SyncMessage{Version: 1}).Encode()}),
				wire.Encode(wire.Ephemeral{SenderID: id, TargetID: serverID, DocumentID: doc.String(), SessionID: id, Count: 1, Data: []byte{1}}),
			}
			stream := []byte{}
			for _, f := range frames {
				stream = append(stream, masked(f)...)
			}
			_, _ = nc.Write(stream[:len(stream)*(i%10)/9]) // some in the middle of a frame
			if i%3 == 0 {
				_ = nc.(*net.TCPConn).SetLinger(0) // reset rather than close
			}
		})
		if i%30 == 0 {
			h = a.edit("k", amfile.IntValue(int64(i)))
			b.has(h)
		}
	}
	gone.Wait()
	eventually(t, "only two are left", func() bool { return s.hub.Stats().Connections == 2 })
	b.has(a.edit("k", amfile.IntValue(1)))
	a.has(b.edit("k", amfile.IntValue(2)))
	_, _ = a.ws.CloseNow(), b.ws.CloseNow()
	eventually(t, "no session keeps the document open", func() bool { return s.repo.Stats().Open == 0 })
}

// TestAStampedeForOnePeerID has many connections of one peer replace each
// other in the middle of whatever they do.
func TestAStampedeForOnePeerID(t *testing.T) {
	s := startOn(t, repo.Config{IdleAfter: 50 * time.Millisecond}, nil)
	doc := newDocument()
	a := s.join("amy").replica(doc)
	h := a.edit("k", amfile.IntValue(0))
	a.acked(h)
	a.subscribe(storageID)
	var running sync.WaitGroup
	for i := range 50 {
		running.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			ws, _, err := websocket.Dial(ctx, s.url, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer ws.CloseNow()
			for _, m := range []wire.Message{
				wire.Join{SenderID: "twin", Versions: []string{"1"}},
				wire.SubscriptionChange{SenderID: "twin", Add: []string{storageID}},
				wire.Request{SenderID: "twin", DocumentID: doc.String(), Data: (&amfile.SyncMessage{Version: 1}).Encode()},
				wire.Ephemeral{SenderID: "twin", DocumentID: doc.String(), SessionID: fmt.Sprint(i), Count: 1, Data: []byte{1}},
			} {
				if ws.Write(ctx, websocket.MessageBinary, wire.Encode(m)) != nil {
					return
				}
			}
			_, _, _ = ws.Read(ctx)
		})
		if i%10 == 0 {
			a.acked(a.edit("k", amfile.IntValue(int64(i))))
		}
	}
	running.Wait()
	eventually(t, "only amy is left", func() bool { st := s.hub.Stats(); return st.Connections == 1 && st.Peers == 1 })
	a.acked(a.edit("k", amfile.IntValue(1)))
	_ = a.ws.CloseNow()
	eventually(t, "no session keeps the document open", func() bool { return s.repo.Stats().Open == 0 })
}
