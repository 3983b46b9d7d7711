package peer

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	const ms = time.Millisecond
	var p pace
	look := func(at, want time.Duration) {
		t.Helper()
		if got := p.since(at); got != want {
			t.Errorf("since(%v) = %v, want %v", at, got, want)
		}
	}
	look(0, 0)
	p.begin(100*ms, 10)
	look(200*ms, 0) // it may still be quick
	look(700*ms, 100*ms)
	p.end(800 * ms)
	look(900*ms, 100*ms) // what is next says whether it has caught up
	p.begin(1000*ms, 10)
	p.end(2000 * ms)
	look(2000*ms, 100*ms)
	p.begin(2100*ms, 10)
	p.end(2110 * ms)
	look(5000*ms, 0)
}
