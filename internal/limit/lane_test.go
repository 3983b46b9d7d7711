package limit

import (
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// openLane opens a lane for one at a time, of which nobody has used anything.
func openLane() *lane {
	l := newLane()
	l.wide, l.width, l.share = 1, 1, 0.25
	return l
}

// queue has visitors of hosts come one after the other, and returns them and a
// function that returns the names of the hosts in the order in which they came in
// since; whoever comes in leaves at once.
func queue(l *lane, hosts ...string) func() []string {
	var mu sync.Mutex
	var order []string
	for _, host := range hosts {
		v := &Visitor{host: host}
		go func() {
			l.enter(v)
			mu.Lock()
			order = append(order, host)
			mu.Unlock()
			l.leave(v)
		}()
		synctest.Wait()
	}
	return func() []string {
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(order)
	}
}

func TestInTheLaneHostsHaveTurns(t *testing.T) {
	tests := []struct {
		name  string
		busy  string
		come  []string
		order []string
	}{
		{"one host", "", []string{"a", "a"}, []string{"a", "a"}},
		{"many of one", "", []string{"a", "a", "a", "b"}, []string{"a", "b", "a", "a"}},
		{"a busy one", "a", []string{"a", "a", "b", "c", "b"}, []string{"b", "c", "b", "a", "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := openLane()
				if tt.busy != "" {
					l.charge(tt.busy, usedByFault)
				}
				first := &Visitor{host: "first"}
				l.enter(first)
				order := queue(l, tt.come...)
				l.leave(first)
				if got := order(); !slices.Equal(got, tt.order) {
					t.Errorf("came in as %q, want %q", got, tt.order)
				}
			})
		})
	}
}

func TestWhoWaitsInTheLaneDoesNotHoldItUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := openLane()
		stuck := &Visitor{host: "stuck"}
		l.enter(stuck)
		began := time.Now()
		order := queue(l, "a", "b")
		time.Sleep(2 * laneTurn) // in the bubble
		if got := order(); len(got) != 2 {
			t.Errorf("after %v %q came in, want both", time.Since(began), got)
		}
		l.leave(stuck) // is out already
		l.enter(stuck)
		l.leave(stuck)
	})
}

func TestBusyHostsHaveAShareOfTheProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := openLane()
		l.charge("busy", mostUsed)
		began, v := time.Now(), &Visitor{host: "busy"}
		work := func() {
			l.enter(v)
			time.Sleep(4 * time.Millisecond) // in the bubble
			l.leave(v)
		}
		for range 100 {
			work()
		}
		want := time.Duration(float64(390*time.Millisecond-laneSaved) / l.share) // the last may come with little left
		if took := time.Since(began); took < want || took > 2*want {
			t.Errorf("400 ms of work took %v, want at least %v and not twice that", took, want)
		}
		calm := &Visitor{host: "calm"}
		began = time.Now()
		l.enter(calm)
		if took := time.Since(began); took != 0 {
			t.Errorf("a host that is not busy waited %v", took)
		}
		l.leave(calm)
		time.Sleep(time.Duration(float64(mostUsed) / float64(usedPerSecond) * float64(time.Second))) // in the bubble
		if l.mu.Lock(); l.isBusyLocked("busy", l.now()) {
			t.Error("the host is still busy")
		}
		l.sweepLocked(l.now())
		if len(l.books) != 0 {
			t.Errorf("%d hosts are remembered that used nothing for a while", len(l.books))
		}
		l.mu.Unlock()
	})
}

func TestWhoIsGoneDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := openLane()
		first, second := &Visitor{host: "a"}, &Visitor{host: "a"}
		l.enter(first)
		done := make(chan struct{})
		go func() {
			l.enter(second)
			close(done)
		}()
		synctest.Wait()
		l.forget(second)
		<-done
		l.enter(second) // does not wait
		l.leave(first)
		if len(l.inside) != 0 {
			t.Errorf("%d are in the lane", len(l.inside))
		}
	})
}

// read reads one byte in the background; the channel is closed when it has it.
func read(nc net.Conn) <-chan struct{} {
	got := make(chan struct{})
	go func() {
		if n, _ := nc.Read(make([]byte, 1)); n == 1 {
			close(got)
		}
	}()
	return got
}

// TestATrustedVisitorIsReadAtOnce has a busy host that has no time left.
func TestATrustedVisitorIsReadAtOnce(t *testing.T) {
	d := openDoor(t)
	var inside []net.Conn
	var visitors []*Visitor
	for range 2 {
		outside := dial(t, d)
		nc := accept(t, d)
		if _, err := outside.Write([]byte("xy")); err != nil {
			t.Fatal(err)
		}
		inside, visitors = append(inside, nc), append(visitors, d.Visitor(nc.RemoteAddr().String()))
	}
	d.lane.charge("127.0.0.1", mostUsed)
	d.lane.mu.Lock()
	d.lane.credit = -time.Hour
	d.lane.mu.Unlock()
	visitors[0].Trust()
	stranger := read(inside[1])
	select {
	case <-read(inside[0]):
	case <-time.After(patience):
		t.Fatal("who is trusted is not read")
	}
	select {
	case <-stranger:
		t.Fatal("who is not trusted was read")
	default:
	}
	d.lane.mu.Lock()
	d.lane.credit = time.Second
	d.lane.mu.Unlock()
	select {
	case <-stranger:
	case <-time.After(patience):
		t.Fatal("who is not trusted is not read when there is time")
	}
	visitors[0].Doubt()
	d.lane.mu.Lock()
	d.lane.credit = -time.Hour
	d.lane.mu.Unlock()
	doubted := read(inside[0])
	if err := inside[0].Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-doubted: // it may have been read before the end
	default:
	}
	if v := d.Visitor(inside[0].RemoteAddr().String()); v != nil {
		t.Error("who was closed is still a visitor")
	}
}

func TestNobodysVisitorIsTrusted(t *testing.T) {
	var d *Door
	v := d.Visitor("192.0.2.1:1")
	v.Trust()
	v.Doubt()
	v.Waste()
	v.Blame()
	v.Clear()
	v.Rest()
	v.Enter()()
	if !v.Trusted() || !v.Known() {
		t.Error("a visitor of no door is not trusted")
	}
}

func TestFaultsMakeAnAddressWait(t *testing.T) {
	d := openDoor(t, "connects-per-second=100") // 1000 at once
	for range 11 {
		dial(t, d)
		v := d.Visitor(accept(t, d).RemoteAddr().String())
		v.Blame()
		v.Blame() // counts once
	}
	began := time.Now()
	dial(t, d)
	accept(t, d)
	if took := time.Since(began); took < 500*time.Millisecond {
		t.Errorf("after 11 connections that were cut the next one came in within %v", took)
	}
}

func TestAFineHasAnEnd(t *testing.T) {
	c := newClock()
	l := limiter(t, c, "connects-per-second=10") // 100 at once
	b := l.Bucket(Connects, "192.0.2.1")
	defer b.Close()
	for range 100 {
		b.fine(faultFine, mostFined)
	}
	if wait := b.Take(1); wait < mostFined || wait > mostFined+time.Second {
		t.Errorf("whoever comes next waits %v, want about %v", wait, mostFined)
	}
}
