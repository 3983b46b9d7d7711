package flowbus

import "time"

// State is how the bus fares.
type State struct {
	Connected bool
	Server    string    // the server we talk to, or talked to last
	Cluster   string    // the name of its cluster; "": none
	Since     time.Time // when Connected last changed
	// Problems say in plain words what is wrong now and how to mend it, in a
	// stable order.
	Problems []string
	// Refused counts the messages that were dropped because they were not what
	// a node of this version sends, by the node that sent them ("": not told).
	Refused map[string]int64
	Lost    int64 // core messages dropped here because a subscriber was too slow
}

// State returns how the bus fares now.
func (b *Bus) State() State { return State{} }

// OnState has f called after every change of Connected or Problems, one call
// at a time, with the state at that moment. f must return soon.
func (b *Bus) OnState(f func(State)) {}
