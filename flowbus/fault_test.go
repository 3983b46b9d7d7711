package flowbus_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/kjproc"
)

// natsExe builds the nats-server of go.mod, once.
var natsExe = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "flowbus-nats-")
	if err != nil {
		return "", err
	}
	natsDir = dir
	return kjproc.FindNATS(mainContext, "", dir)
})

// startProcess starts a nats-server of its own process.
func startProcess(t *testing.T) *kjproc.NATS {
	t.Helper()
	exe, err := natsExe()
	if err != nil {
		t.Fatal(err)
	}
	ports, err := kjproc.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := kjproc.StartNATS(t.Context(), kjproc.NATSConfig{Exe: exe, Dir: t.TempDir(), Port: ports[0]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Kill() })
	return n
}

func TestKilledServer(t *testing.T) {
	t.Parallel()
	n := startProcess(t)
	a, b := openBus(t, "a", n.Config.URL()), openBus(t, "b", n.Config.URL())
	r := consume(t, b, 0, flowbus.Cursor{})
	got, lost := make(chan flowbus.Message, 1024), make(chan int, 64)
	if _, err := b.Subscribe("ctx.>", func(m flowbus.Message) { got <- m }, func(n int) { lost <- n }); err != nil {
		t.Fatal(err)
	}
	want := appendAll(t, a, 0, "x", 0, 20)
	for round := range 2 {
		n.Kill()
		connected(t, a, false)
		connected(t, b, false)
		if err := a.Feed().Append(t.Context(), 0, "doc", "none", nil).Err(); !errors.Is(err, kaijutsu.ErrUnavailable) {
			t.Errorf("append without NATS = %v, want unavailable", err)
		}
		if err := a.Publish("ctx.a", nil); !errors.Is(err, kaijutsu.ErrUnavailable) {
			t.Errorf("publish without NATS = %v, want unavailable", err)
		}
		var err error
		if n, err = kjproc.StartNATS(t.Context(), n.Config); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Kill)
		connected(t, a, true)
		want = append(want, appendAll(t, a, 0, "x", 20+round*10, 30+round*10)...)
		if n := next(t, "the subscriber hears that it may have lost something", lost); n != 0 {
			t.Errorf("lost %d, want 0 for an unknown number", n)
		}
		until(t, "core messages go on", func() bool {
			a.Publish("ctx.a", nil)
			return len(got) > 0
		})
	}
	if got, _ := r.upTo("x39"); !slices.Equal(got, want) {
		t.Errorf("records = %v, want %v", got, want)
	}
	if len(r.resets) > 0 {
		t.Errorf("reset: %s", <-r.resets)
	}
}

// TestHungServer stops a server without closing its sockets.
func TestHungServer(t *testing.T) {
	t.Parallel()
	n := startProcess(t)
	a := openBus(t, "a", n.Config.URL())
	if err := a.Feed().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	states := make(chan flowbus.State, 64)
	a.OnState(func(s flowbus.State) { states <- s })
	start := time.Now()
	if err := n.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ack := underWay(t, a)
	longest, refused := time.Duration(0), 0
	large := make([]byte, flowbus.MaxMessage)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for s := a.State(); s.Connected; {
		before := time.Now()
		if a.Publish("ctx.a", large) != nil {
			refused++
		}
		longest = max(longest, time.Since(before))
		select {
		case s = <-states:
		case <-tick.C:
		}
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("noticed the hang after %v, want less than 3 s", took)
	}
	if longest > time.Second || refused == 0 {
		t.Errorf("a publish took up to %v and %d were refused, want at once and some", longest, refused)
	}
	if err := ack.Err(); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("the record under way = %v, want unavailable", err)
	}
	if err := n.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	connected(t, a, true)
	appendAll(t, a, 0, "after", 0, 1)
}

// underWay appends records until the server, which was told to stop and takes a
// moment to do so, leaves one without an answer.
func underWay(t *testing.T, b *flowbus.Bus) *flowbus.Ack {
	t.Helper()
	for i := 0; ; i++ {
		ack := b.Feed().Append(t.Context(), 0, "doc", fmt.Sprint("hung", i), nil)
		select {
		case <-ack.Done():
			if err := ack.Err(); err != nil {
				t.Fatal(err)
			}
		case <-time.After(200 * time.Millisecond):
			return ack
		}
	}
}

func TestWipedNATS(t *testing.T) {
	t.Parallel()
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	r := consume(t, b, 6, flowbus.Cursor{})
	appendAll(t, a, 6, "old", 0, 5)
	r.upTo("old4")
	s.wipe()
	want := appendAll(t, a, 6, "new", 0, 7)
	got, last := r.upTo("new6")
	if !slices.Equal(got, want) {
		t.Errorf("records = %v, want %v", got, want)
	}
	if why := next(t, "a reset", r.resets); !strings.Contains(why, "made anew") {
		t.Errorf("reset = %q", why)
	}
	if len(r.resets) > 0 {
		t.Errorf("another reset: %s", <-r.resets)
	}
	if err := b.Feed().Ready(t.Context()); err != nil {
		t.Errorf("Ready after the wipe: %v", err)
	}
	r.stop()
	s.wipe()
	r = consume(t, b, 6, last.Cursor) // the cursor of the time before, without any record
	if why := next(t, "a reset", r.resets); !strings.Contains(why, "made anew") {
		t.Errorf("reset = %q", why)
	}
}

// TestLostTail is a power loss: the stream comes back with fewer records than
// were acknowledged, is the same stream by its age, and gives their numbers to
// others.
func TestLostTail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		later int // records that are appended before the reader looks
		says  string
	}{
		{"the reader is ahead", 0, "lost its end"},
		{"the numbers are used again", 15, "to another record"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startNATS(t, serverOptions())
			a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
			appendAll(t, a, 2, "x", 0, 10)
			s.stop()
			saved := t.TempDir()
			if err := os.CopyFS(saved, os.DirFS(s.opts.StoreDir)); err != nil {
				t.Fatal(err)
			}
			s.start()
			appendAll(t, a, 2, "lost", 0, 10)
			r := consume(t, b, 2, flowbus.Cursor{})
			_, last := r.upTo("lost9")
			if c.later > 0 {
				r.stop()
			}
			s.stop()
			if err := os.RemoveAll(s.opts.StoreDir); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(s.opts.StoreDir, os.DirFS(saved)); err != nil {
				t.Fatal(err)
			}
			s.start()
			if c.later > 0 {
				appendAll(t, a, 2, "new", 0, c.later)
				r = consume(t, b, 2, last.Cursor)
			}
			if why := next(t, "a reset", r.resets); !strings.Contains(why, c.says) {
				t.Errorf("reset = %q, want one that says %q", why, c.says)
			}
			ids := appendAll(t, a, 2, "end", 0, 1)
			got, _ := r.upTo(ids[0])
			if want := 10 + c.later + 1; len(got) != want || got[0] != "x0" {
				t.Errorf("read %d records from %s, want %d from x0", len(got), got[0], want)
			}
		})
	}
}

func TestClusterLosesServers(t *testing.T) {
	t.Parallel()
	servers := startCluster(t)
	all := urls(servers)
	a, b := openBus(t, "a", all...), openBus(t, "b", all...)
	until(t, "the feed is ready", func() bool { return a.Feed().Ready(t.Context()) == nil })
	if ps := a.State().Problems; len(ps) > 0 {
		t.Errorf("problems = %q", ps)
	}
	lease, err := a.Hold(t.Context(), "distil.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	r := consume(t, b, 0, flowbus.Cursor{})
	want := appendAll(t, a, 0, "x", 0, 5)
	leader := slices.IndexFunc(servers, func(s *natsServer) bool { return s.JetStreamIsStreamLeader("$G", "KJ_test_0") })
	if leader < 0 {
		t.Fatal("no stream leader")
	}
	got := make(chan flowbus.Message, 1<<16)
	if _, err := b.Subscribe("ctx.>", func(m flowbus.Message) { got <- m }, func(int) {}); err != nil {
		t.Fatal(err)
	}
	servers[leader].stop()
	until(t, "core messages go on", func() bool {
		a.Publish("ctx.a", nil)
		return len(got) > 0
	})
	want = append(want, appendAll(t, a, 0, "x", 5, 15)...)
	if ids, _ := r.upTo("x14"); !slices.Equal(ids, want) {
		t.Errorf("records = %v, want %v", ids, want)
	}
	if len(r.resets) > 0 {
		t.Errorf("reset: %s", <-r.resets)
	}
	select {
	case <-lease.Lost():
		t.Error("the lease was lost with one server of three")
	default:
	}
	lease.Release()
}

func TestClusterThatGrows(t *testing.T) {
	t.Parallel()
	servers := startCluster(t)
	a := openBus(t, "a", urls(servers)...)
	until(t, "the feed is ready", func() bool { return a.Feed().Ready(t.Context()) == nil })
	// A stream of the time when there was one server.
	info, err := servers[0].StreamReplicas(t, "KJ_test_5", 1)
	if err != nil || info != 1 {
		t.Fatalf("replicas = %d, %v", info, err)
	}
	if err := a.Feed().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := servers[0].StreamReplicas(t, "KJ_test_5", 0); err != nil || n != 3 {
		t.Errorf("replicas = %d, %v, want 3", n, err)
	}
}
