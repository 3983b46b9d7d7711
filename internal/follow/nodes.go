package follow

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// nodeSubject is where nodes tell each other events of no document.
const nodeSubject = "node.event"

// complainEvery is how often the log says that events of other nodes are
// refused or lost.
const complainEvery = 10 * time.Second

// nodes is what comes from the other nodes.
type nodes struct {
	stop func() // nil: nobody is listened to

	mu      sync.Mutex
	refused map[string]int64 // guarded by mu
	said    time.Time        // guarded by mu
}

func (n *nodes) refusals() map[string]int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return maps.Clone(n.refused)
}

// complain reports whether it is time to say so in the log.
func (n *nodes) complain(node string, refused int64, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if refused > 0 {
		if n.refused == nil {
			n.refused = make(map[string]int64)
		}
		n.refused[node] += refused
	}
	if now.Sub(n.said) < complainEvery {
		return false
	}
	n.said = now
	return true
}

// listen begins to take events of other nodes.
func (h *Hub) listen() error {
	if h.cfg.Bus == nil || h.cfg.Bus.Embedded() {
		return nil
	}
	stop, err := h.cfg.Bus.Subscribe(nodeSubject, h.hear, h.missed)
	if err != nil {
		return fmt.Errorf("listen to events of other nodes: %w", err)
	}
	h.nodes.stop = stop
	return nil
}

// send tells the other nodes, if they can be told now.
func (h *Hub) send(b []byte) {
	if h.cfg.Bus == nil || h.cfg.Bus.Embedded() {
		return
	}
	if err := h.cfg.Bus.Publish(nodeSubject, b); err != nil {
		h.cfg.Log.Debug("an event does not reach the other nodes", "err", err)
	}
}

// hear takes an event of another node, if it is one.
func (h *Hub) hear(m flowbus.Message) {
	e, err := h.check(m)
	if err == nil {
		var b []byte
		if b, err = flowbus.Encode(&e); err == nil {
			h.hold(&e, b)
			return
		}
	}
	if h.nodes.complain(m.Node, 1, h.cfg.Now()) {
		h.cfg.Log.Warn("an event of another node is refused", "peer", m.Node, "err", err)
	}
}

// check decodes an event of another node and holds it against what it may be.
func (h *Hub) check(m flowbus.Message) (flowbus.Event, error) {
	if len(m.Data) > flowbus.MaxNodeEvent {
		return flowbus.Event{}, fmt.Errorf("event of %d bytes: %w: at most %d", len(m.Data), kaijutsu.ErrTooLarge, flowbus.MaxNodeEvent)
	}
	e, err := flowbus.Decode(m.Data)
	if err != nil {
		return e, err
	}
	switch source := e.Kind.Source(); {
	case source != flowbus.FromAnyone && source != flowbus.Fleeting:
		return e, fmt.Errorf("event %s: type: %w: each node tells it of what it holds itself", e.Kind, kaijutsu.ErrInvalid)
	case e.Kernel != h.cfg.Kernel:
		return e, fmt.Errorf("event %s: kernel %.64q: %w: this is %s", e.Kind, e.Kernel, kaijutsu.ErrInvalid, h.cfg.Kernel)
	case e.Node != m.Node || e.Node == h.cfg.Node:
		return e, fmt.Errorf("event %s: node %.64q: %w: node %.64q sent it", e.Kind, e.Node, kaijutsu.ErrInvalid, m.Node)
	case e.Context != kaijutsu.ContextID{} && h.cfg.Hidden(e.Context.Document()):
		return e, fmt.Errorf("event %s: context: %w: it has none", e.Kind, kaijutsu.ErrInvalid)
	}
	return e, nil
}

// missed tells that events of other nodes were lost, as nothing is skipped in
// silence.
func (h *Hub) missed(n int) {
	message := "events of other nodes were lost: the connection to them was away"
	if n > 0 {
		message = fmt.Sprintf("%d events of other nodes were lost", n)
	}
	if h.nodes.complain("", 0, h.cfg.Now()) {
		h.cfg.Log.Warn(message)
	}
	// It is a whole event: it cannot be refused.
	_ = h.Tell(flowbus.Event{Kind: flowbus.LogMessage, Data: &flowbus.Log{Level: "warn", Logger: "flowbus", Message: message}})
}
