package peer

import "sync/atomic"

// Stats are counters since NewHub, and what is connected now.
type Stats struct {
	Connections       int   // open now, joined or not
	Peers             int   // joined now
	FramesIn          int64 // frames read, whatever was in them
	FramesOut         int64 // frames written
	BadMessages       int64 // frames that were no valid message
	Ignored           int64 // messages before the join, or of another sender
	Refused           int64 // documents in which something was refused
	Denied            int64 // changes that were not the peer's to make, or not for the document
	Replaced          int64 // connections replaced by a newer one of the same peer
	TimedOut          int64 // connections cut for want of a join or a pong
	Relayed           int64 // ephemeral messages of other nodes that were shown here
	RelayedBad        int64 // messages of other nodes that were none
	EphemeralsDropped int64 // duplicates, above the rate, or before a reader that is too slow
}

type counters struct {
	framesIn, framesOut, bad, ignored, refused, denied, replaced, timedOut, ephemeralsDropped, relayed, relayedBad atomic.Int64
}

// Stats returns the counters.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	conns, peers := len(h.conns), len(h.peers)
	h.mu.Unlock()
	return Stats{
		Connections:       conns,
		Peers:             peers,
		FramesIn:          h.count.framesIn.Load(),
		FramesOut:         h.count.framesOut.Load(),
		BadMessages:       h.count.bad.Load(),
		Ignored:           h.count.ignored.Load(),
		Refused:           h.count.refused.Load(),
		Denied:            h.count.denied.Load(),
		Replaced:          h.count.replaced.Load(),
		TimedOut:          h.count.timedOut.Load(),
		Relayed:           h.count.relayed.Load(),
		RelayedBad:        h.count.relayedBad.Load(),
		EphemeralsDropped: h.count.ephemeralsDropped.Load(),
	}
}
