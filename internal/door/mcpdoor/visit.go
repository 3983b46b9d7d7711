package mcpdoor

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// guest is a client without sessions: all that is known of it.
type guest struct {
	by   kaijutsu.Principal
	nick string
}

// visit is a guest's seat, until it has not been heard of for a while.
type visit struct {
	instance string
	chair    *chair
	last     time.Time // guarded by Door.mu
}

// serveSingle serves a request that stands for itself.
func (d *Door) serveSingle(w http.ResponseWriter, r *http.Request, call op.Call) {
	s := d.newSession("", call)
	defer s.end()
	ctx, cancel := context.WithCancel(r.Context()) // a request that listens ends with the door, too
	defer cancel()
	defer context.AfterFunc(d.stopping, cancel)()
	d.serve(d.single, w, r.WithContext(ctx), s, call)
}

// visit takes or keeps the seat of a client without sessions, for a request of
// it. It returns nil when no seat is left: the request is served all the same.
func (d *Door) visit(call op.Call, req mcp.Request) *visit {
	g := guest{by: call.By}
	if r, ok := req.(interface{ ClientInfo() *mcp.Implementation }); ok && r.ClientInfo() != nil {
		g.nick = short(r.ClientInfo().Name)
	}
	d.mu.Lock()
	v, gone := d.visitLocked(g, call)
	if v != nil {
		v.last = time.Now()
		v.chair.hold()
	}
	d.mu.Unlock()
	if gone != nil {
		gone()
	}
	if v != nil {
		v.chair.open(g.nick)
	}
	return v
}

// visitLocked returns the visit of a guest, nil when there is no room for it,
// and what ends the one whose room it takes.
func (d *Door) visitLocked(g guest, call op.Call) (v *visit, gone func()) {
	if v := d.guests[g]; v != nil || d.closed {
		return v, nil
	}
	if d.countLocked(call.By) >= d.cfg.Sessions {
		if gone = d.oldestLocked(call.By); gone == nil {
			return nil, nil
		}
	}
	v = &visit{instance: rand.Text()[:8]}
	v.chair = &chair{
		join: func(nick string) func() {
			return d.seat(Seat{Principal: call.By, Nick: nick, Instance: v.instance, Context: call.Context})
		},
		lease:   d.cfg.Lease,
		vacated: func() { d.forget(g, v) },
	}
	d.guests[g] = v
	return v, gone
}

// forget ends a visit that nobody pays any more.
func (d *Door) forget(g guest, v *visit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.guests[g] == v && v.chair.closeIdle() {
		delete(d.guests, g)
	}
}

// leave ends a visit.
func (d *Door) leave(g guest, v *visit) {
	d.mu.Lock()
	if d.guests[g] == v {
		delete(d.guests, g)
	}
	d.mu.Unlock()
	v.chair.close()
}

// leaveAll ends every visit.
func (d *Door) leaveAll() {
	d.mu.Lock()
	var all []func()
	for g, v := range d.guests {
		all = append(all, func() { d.leave(g, v) })
	}
	d.mu.Unlock()
	for _, leave := range all {
		leave()
	}
}
