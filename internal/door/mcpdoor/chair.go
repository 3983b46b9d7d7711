package mcpdoor

import (
	"cmp"
	"sync"
	"time"
)

// chair is where a client has its seat: from when it said who it is, as long as
// a request of it is under way, which a stream is, and a while after. A client
// that crashed has neither; one that comes again gets its seat again.
type chair struct {
	join    func(nick string) (leave func())
	lease   time.Duration
	vacated func() // is told when the seat was given back for want of requests; may be nil

	mu    sync.Mutex
	nick  string
	known bool // the client has said who it is
	over  bool
	under int         // requests under way
	leave func()      // gives the seat back; nil: there is none
	timer *time.Timer // runs while no request is under way
}

// open notes who the client is, and takes the seat.
func (p *chair) open(nick string) {
	p.mu.Lock()
	p.nick, p.known = nick, true
	p.mu.Unlock()
	p.sit()
}

// hold notes a request under way.
func (p *chair) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.under++
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// sit takes the seat, if it is known whose it is.
func (p *chair) sit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known && !p.over && p.leave == nil {
		p.leave = p.join(p.nick)
	}
}

// rest notes the end of a request.
func (p *chair) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.under--; p.under == 0 && !p.over {
		p.timer = time.AfterFunc(p.lease, p.vacate)
	}
}

// vacate gives the seat back if no request is under way.
func (p *chair) vacate() {
	p.mu.Lock()
	idle := p.under == 0 && !p.over
	if idle {
		p.giveLocked()
	}
	p.mu.Unlock()
	if idle && p.vacated != nil {
		p.vacated()
	}
}

// closeIdle gives the seat back for good, unless a request is under way.
func (p *chair) closeIdle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.under > 0 {
		return false
	}
	p.over = true
	p.giveLocked()
	return true
}

// close gives the seat back for good.
func (p *chair) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.giveLocked()
}

func (p *chair) giveLocked() {
	if p.leave != nil {
		p.leave()
		p.leave = nil
	}
}

// seat takes a seat for a client.
func (d *Door) seat(s Seat) (leave func()) {
	if d.cfg.Join == nil {
		return func() {}
	}
	s.Nick = cmp.Or(short(s.Nick), s.Principal.Name)
	return d.cfg.Join(s)
}
