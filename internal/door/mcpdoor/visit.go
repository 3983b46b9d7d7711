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
	leave func()
	timer *time.Timer
	last  time.Time // guarded by Door.mu
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

// visit takes or keeps the seat of a client without sessions.
func (d *Door) visit(call op.Call, req mcp.Request) {
	g := guest{by: call.By}
	if r, ok := req.(interface{ ClientInfo() *mcp.Implementation }); ok && r.ClientInfo() != nil {
		g.nick = short(r.ClientInfo().Name)
	}
	d.mu.Lock()
	if v := d.guests[g]; v != nil {
		v.last = time.Now()
		v.timer.Reset(d.cfg.Idle)
		d.mu.Unlock()
		return
	}
	if d.closed {
		d.mu.Unlock()
		return
	}
	var gone func()
	if d.countLocked(call.By) >= d.cfg.Sessions {
		if gone = d.oldestLocked(call.By); gone == nil {
			d.mu.Unlock()
			return // served, but no seat is left
		}
	}
	v := &visit{last: time.Now()}
	v.leave = d.join(call, g.nick, rand.Text()[:8])
	v.timer = time.AfterFunc(d.cfg.Idle, func() { d.leave(g, v) })
	d.guests[g] = v
	d.mu.Unlock()
	if gone != nil {
		gone()
	}
}

// leave ends a visit.
func (d *Door) leave(g guest, v *visit) {
	d.mu.Lock()
	here := d.guests[g] == v
	if here {
		delete(d.guests, g)
	}
	d.mu.Unlock()
	if here {
		v.timer.Stop()
		v.leave()
	}
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
