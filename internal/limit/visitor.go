package limit

import (
	"sync/atomic"
	"time"
)

const (
	// strangersFine and faultFine are how many connects a connection costs its
	// address beyond its own when it ends and nobody knew it, and when it was cut
	// for what it sent; mostFined is how long an address waits for that at most.
	strangersFine = 9
	faultFine     = 99
	mostFined     = 10 * time.Second
)

// Visitor is a connection that a Door let in, as those see it who serve it. They
// say whether they trust it. The work for one that is not trusted is done a few
// connections at a time, the addresses in turn, those that behave first: from each
// read on until the next one, or until Rest. A nil Visitor is trusted.
// It is safe for concurrent use.
type Visitor struct {
	door    *Door
	host    string
	trusted atomic.Bool
	pinned  atomic.Bool // between Enter and its leave
	known   atomic.Bool // is somebody
	doubted atomic.Bool // sent what makes no sense since it was trusted
	fault   atomic.Bool // was blamed

	turn chan struct{} // guarded by lane.mu: closed when it is let in; nil when it does not wait
	gone bool          // guarded by lane.mu: its connection is closed
}

// Visitor returns who has the whole address, host and port; nil when there is
// nobody, or the Door is nil.
func (d *Door) Visitor(remote string) *Visitor {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.inside[remote]; c != nil {
		return c.visitor
	}
	return nil
}

// Trust says that what the visitor sends makes sense: it does not wait for others.
func (v *Visitor) Trust() {
	if v != nil && !v.trusted.Swap(true) {
		v.doubted.Store(false)
		v.door.lane.leave(v)
	}
}

// Doubt says that it does not: from its next read on the visitor waits for others.
func (v *Visitor) Doubt() {
	if v != nil {
		v.doubted.Store(true)
		v.trusted.Store(false)
	}
}

// Waste is Doubt for a request that was refused, which counts against the address.
func (v *Visitor) Waste() {
	if v != nil {
		v.Doubt()
		v.door.lane.charge(v.host, usedByWaste)
	}
}

// Count counts a request of a visitor whom nobody knows.
func (v *Visitor) Count() {
	if v != nil {
		v.door.lane.charge(v.host, usedByRequest)
	}
}

// Clear says that who is known goes on with something that the others need not
// wait for. It does nothing for a visitor that was doubted.
func (v *Visitor) Clear() {
	if v != nil && !v.doubted.Load() && !v.trusted.Load() {
		v.pinned.Store(false)
		v.door.lane.leave(v)
	}
}

// Trusted reports whether the visitor is trusted.
func (v *Visitor) Trusted() bool { return v == nil || v.trusted.Load() }

// Known reports whether the Door was told that the visitor is somebody.
func (v *Visitor) Known() bool { return v == nil || v.known.Load() }

// Enter waits for the turn of a visitor that is not trusted, whose work goes on
// until leave.
func (v *Visitor) Enter() (leave func()) {
	if v.Trusted() {
		return func() {}
	}
	v.pinned.Store(true)
	v.door.lane.enter(v)
	return func() {
		v.pinned.Store(false)
		v.door.lane.leave(v)
	}
}

// Rest says that there is nothing to do for the visitor until the next read: who
// serves it waits for something.
func (v *Visitor) Rest() {
	if v != nil && !v.trusted.Load() {
		v.door.lane.leave(v)
	}
}

// Blame has the visitor's address wait before more of its connections are let in,
// for what this one sent; once.
func (v *Visitor) Blame() {
	if v != nil && !v.fault.Swap(true) {
		v.Doubt()
		v.fine(faultFine)
		v.door.lane.charge(v.host, usedByFault)
	}
}

func (v *Visitor) fine(connects int) {
	b := v.door.l.Bucket(Connects, v.host)
	defer b.Close()
	b.fine(connects, mostFined)
}
