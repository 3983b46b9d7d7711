package kernel

import (
	"kaijutsu"
	"kaijutsu/flowbus"
)

// node returns the id of this node; "" without a bus.
func (k *Kernel) node() string {
	if k.cfg.Bus == nil {
		return ""
	}
	return k.cfg.Bus.Node()
}

// event returns an event of this node, of what somebody did just now.
func (k *Kernel) event(kind flowbus.Kind, by kaijutsu.Principal, doc kaijutsu.DocumentID, data flowbus.Payload) flowbus.Event {
	e := flowbus.Event{Kernel: k.cfg.Kernel, Kind: kind, Principal: by, Time: k.cfg.Now().UTC(), Node: k.node(), Data: data}
	if b := doc.Bytes(); len(b) == len(e.Context) { // 32 bytes are an editor's own kind of document
		e.Context = kaijutsu.ContextID(b)
	}
	return e
}

// emit tells an event to whoever follows.
func (k *Kernel) emit(e flowbus.Event) {
	if k.cfg.Emit != nil {
		k.cfg.Emit(e)
	}
}

// eventLocked notes what happened to a seat, to be told.
func (t *seats) eventLocked(kind flowbus.Kind, s *seat, reason string) {
	t.events = append(t.events, t.k.seatEvent(kind, &s.Seat, reason))
}

func (k *Kernel) seatEvent(kind flowbus.Kind, s *Seat, reason string) flowbus.Event {
	data := &flowbus.Seat{Nick: s.Nick, Instance: s.Instance, Door: s.Door, Reason: reason}
	if kind != flowbus.SeatLeft {
		data.Status = string(s.Status)
	}
	return k.event(kind, s.Principal, s.Context, data)
}

// tell tells what was noted, in order.
func (t *seats) tell() {
	t.telling.Lock()
	defer t.telling.Unlock()
	t.mu.Lock()
	events := t.events
	t.events = nil
	t.mu.Unlock()
	for _, e := range events {
		t.k.emit(e)
	}
}
