package peer

import (
	"sync/atomic"
	"time"
)

// slowWrite is how long a frame may take to leave before its reader counts as
// slow.
const slowWrite = 500 * time.Millisecond

// pace is how fast a peer takes what is written to it. The write loop keeps it;
// anybody may look. Times are on the Hub's clock, 0 is none.
type pace struct {
	began  atomic.Int64 // when the frame that is being written was begun
	frame  atomic.Int64 // its bytes
	behind atomic.Int64 // when the first of the frames was begun that were slow without a quick one in between
	wrote  atomic.Int64 // when the last frame was written
}

// begin notes that a frame of n bytes is being written.
func (p *pace) begin(now time.Duration, n int) {
	p.frame.Store(int64(n))
	p.began.Store(max(int64(now), 1))
}

// end notes that it is written.
func (p *pace) end(now time.Duration) {
	began := p.began.Swap(0)
	p.frame.Store(0)
	p.wrote.Store(int64(now))
	switch {
	case int64(now)-began < int64(slowWrite):
		p.behind.Store(0)
	case p.behind.Load() == 0:
		p.behind.Store(began)
	}
}

// since returns since when the peer has been slow, 0 when it keeps up.
func (p *pace) since(now time.Duration) time.Duration {
	if at := p.behind.Load(); at != 0 {
		return time.Duration(at)
	}
	if at := p.began.Load(); at != 0 && now-time.Duration(at) >= slowWrite {
		return time.Duration(at)
	}
	return 0
}
