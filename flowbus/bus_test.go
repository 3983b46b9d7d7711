package flowbus_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/kjproc"
)

func TestEmbeddedOpensNoPortAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	before := listeners(t)
	start := time.Now()
	b, err := flowbus.Open(t.Context(), flowbus.Config{Kernel: "main", Node: "n1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("opened in %v", time.Since(start))
	if after := listeners(t); after != before {
		t.Errorf("ports that listen = %d with the bus, want %d", after, before)
	}
	s := b.State()
	if !b.Embedded() || b.Feed() != nil || !s.Connected || len(s.Problems) > 0 {
		t.Errorf("embedded bus: embedded %v, feed %v, state %+v", b.Embedded(), b.Feed(), s)
	}
	if _, err := b.Put(t.Context(), "seat.a", []byte("x"), 0); err != nil {
		t.Errorf("put: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := b.Publish("ctx.a", nil); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("publish after close = %v, want unavailable", err)
	}
}

// listeners counts the sockets of this process that listen.
func listeners(t *testing.T) (n int) {
	t.Helper()
	tables, err := filepath.Glob("/proc/self/net/tcp*")
	if err != nil || len(tables) == 0 {
		t.Skip("no /proc/self/net")
	}
	inodes := map[string]bool{}
	for _, table := range tables {
		data, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" {
				inodes["socket:["+f[9]+"]"] = true
			}
		}
	}
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && inodes[to] {
			n++
		}
	}
	return n
}

func TestListenersCountsPorts(t *testing.T) {
	before := listeners(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := listeners(t); got != before+1 {
		t.Errorf("listeners = %d with one more, want %d", got, before+1)
	}
}

func TestOpenRefusesWhatCannotWork(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		name string
		cfg  flowbus.Config
		says string
	}{
		{"no kernel", flowbus.Config{Node: "n"}, "kernel name"},
		{"a dot in the kernel", flowbus.Config{Kernel: "a.b", Node: "n"}, "kernel name"},
		{"a star for a node", flowbus.Config{Kernel: "a", Node: "*"}, "node id"},
		{"a server without a scheme", flowbus.Config{Kernel: "a", Node: "n", Servers: []string{"localhost:4222"}}, "nats://host:port"},
		{"a server of another kind", flowbus.Config{Kernel: "a", Node: "n", Servers: []string{"http://localhost"}}, "scheme"},
		{"a port that is none", flowbus.Config{Kernel: "a", Node: "n", Servers: []string{"nats://u:p@127.0.0.1:99999"}}, "port 99999"},
		{"credentials without a server", flowbus.Config{Kernel: "a", Node: "n", Credentials: file}, "no server is named"},
		{"no such credentials", flowbus.Config{Kernel: "a", Node: "n", Servers: []string{"nats://x"}, Credentials: file}, "NATS credentials"},
		{"no such authorities", flowbus.Config{Kernel: "a", Node: "n", Servers: []string{"nats://x"}, CA: file}, "NATS authorities"},
		{"a certificate without its key", flowbus.Config{Kernel: "a", Node: "n", Servers: []string{"nats://x"}, Cert: file}, "needs its key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := flowbus.Open(t.Context(), c.cfg)
			if err == nil {
				b.Close()
			}
			if !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Open = %v, want invalid that says %q", err, c.says)
			}
		})
	}
}

func TestOpenWhileNATSIsAway(t *testing.T) {
	ports, err := kjproc.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	s := &natsServer{t: t}
	s.opts.Host, s.opts.Port, s.opts.StoreDir = "127.0.0.1", ports[0], t.TempDir()
	s.opts.JetStream, s.opts.NoSigs, s.opts.NoLog = true, true, true
	b := openBus(t, "n1", kjproc.NATSConfig{Port: ports[0]}.URL())
	if s := b.State(); s.Connected || len(s.Problems) != 1 || !strings.Contains(s.Problems[0], "NATS is away") {
		t.Errorf("state without NATS = %+v, want one problem", s)
	}
	got := make(chan flowbus.Message, 1)
	if _, err := b.Subscribe("ctx.>", func(m flowbus.Message) { got <- m }, func(int) {}); err != nil {
		t.Fatalf("subscribe without NATS: %v", err)
	}
	for what, f := range map[string]func() error{
		"publish": func() error { return b.Publish("ctx.a", nil) },
		"ask":     func() error { return b.Ask(t.Context(), "node.ask.n2", nil, func([]byte) error { return nil }) },
		"put":     func() error { _, err := b.Put(t.Context(), "k", nil, 0); return err },
		"get":     func() error { _, _, err := b.Get(t.Context(), "k"); return err },
		"append":  func() error { return b.Feed().Append(t.Context(), 0, "d", "id", nil).Err() },
		"ready":   func() error { return b.Feed().Ready(t.Context()) },
		"hold":    func() error { _, err := b.Hold(t.Context(), "l", 0); return err },
		"keys":    func() error { _, err := b.Keys(t.Context(), ""); return err },
	} {
		start := time.Now()
		if err := f(); !errors.Is(err, kaijutsu.ErrUnavailable) {
			t.Errorf("%s without NATS = %v, want unavailable", what, err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s without NATS took %v, want at once", what, took)
		}
	}
	states := make(chan flowbus.State, 64)
	b.OnState(func(s flowbus.State) { states <- s })
	s.start()
	defer s.stop()
	for !next(t, "connected", states).Connected {
	}
	until(t, "no problem is left", func() bool { return len(b.State().Problems) == 0 })
	other := openBus(t, "n2", s.ClientURL())
	until(t, "a message arrives", func() bool {
		other.Publish("ctx.a", []byte("hi"))
		return len(got) > 0
	})
	if m := <-got; m.Subject != "ctx.a" || m.Node != "n2" || string(m.Data) != "hi" {
		t.Errorf("message = %+v", m)
	}
}

func TestPublishAndSubscribe(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	got := make(chan flowbus.Message, 4096)
	own := make(chan flowbus.Message, 1)
	stop, err := b.Subscribe("ctx.*.block.>", func(m flowbus.Message) { got <- m }, func(n int) { t.Errorf("lost %d", n) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Subscribe("ctx.*.block.>", func(m flowbus.Message) { own <- m }, func(int) {}); err != nil {
		t.Fatal(err)
	}
	settle(t, a, b)
	for i := range 1000 {
		if err := a.Publish("ctx.one.block.text", []byte{byte(i), byte(i >> 8)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Publish("ctx.one.renamed", nil); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		m := next(t, "a message", got)
		if want := []byte{byte(i), byte(i >> 8)}; m.Subject != "ctx.one.block.text" || m.Node != "a" || string(m.Data) != string(want) {
			t.Fatalf("message %d = %+v", i, m)
		}
	}
	stop()
	stop()
	if err := a.Publish("ctx.one.block.text", nil); err != nil {
		t.Fatal(err)
	}
	settle(t, a, b)
	if len(got) > 0 || len(own) > 0 {
		t.Errorf("after stop: %d messages, own %d, want none", len(got), len(own))
	}
	for _, c := range []struct {
		name, subject string
		size          int
		want          error
	}{
		{"empty", "", 0, kaijutsu.ErrInvalid},
		{"wild", "ctx.*.x", 0, kaijutsu.ErrInvalid},
		{"empty token", "ctx..x", 0, kaijutsu.ErrInvalid},
		{"space", "ctx.a b", 0, kaijutsu.ErrInvalid},
		{"line end", "ctx.a\r\nPUB x", 0, kaijutsu.ErrInvalid},
		{"long", strings.Repeat("a", 300), 0, kaijutsu.ErrInvalid},
		{"largest", "ctx.a", flowbus.MaxMessage, nil},
		{"too large", "ctx.a", flowbus.MaxMessage + 1, kaijutsu.ErrTooLarge},
	} {
		if err := a.Publish(c.subject, make([]byte, c.size)); !errors.Is(err, c.want) {
			t.Errorf("%s: Publish = %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := a.Subscribe("ctx.>.x", nil, nil); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("subscribe to a '>' in the middle = %v, want invalid", err)
	}
}

// settle returns when what each bus published and subscribed before is known
// to the others.
func settle(t testing.TB, buses ...*flowbus.Bus) {
	t.Helper()
	for _, asker := range buses {
		for _, server := range buses {
			if asker == server {
				continue
			}
			stop, err := server.Serve("node.settle."+server.Node(), func(context.Context, flowbus.Message, func([]byte) error) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			until(t, "a question is answered", func() bool {
				return asker.Ask(t.Context(), "node.settle."+server.Node(), nil, func([]byte) error { return nil }) == nil
			})
			stop()
		}
	}
}

func TestSlowSubscriberIsToldWhatItLost(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	const sent, limit = 5000, 1000
	first, release := make(chan bool, 2), make(chan bool)
	b.LimitPending(limit)
	var mu sync.Mutex
	var got, lost, wrong, lastWas int
	stop, err := b.Subscribe("ctx.burst", func(m flowbus.Message) {
		if len(first) == 0 {
			first <- true
			<-release
		}
		mu.Lock()
		defer mu.Unlock()
		got++
		n := int(m.Data[0]) | int(m.Data[1])<<8
		if n < lastWas || got+lost <= n {
			wrong++
		}
		lastWas = n
	}, func(n int) { mu.Lock(); lost += n; mu.Unlock() })
	if err != nil {
		t.Fatal(err)
	}
	b.LimitPending(2 * sent)
	fast := make(chan flowbus.Message, sent+1)
	if _, err := b.Subscribe("ctx.burst", func(m flowbus.Message) { fast <- m }, func(n int) { t.Errorf("the fast one lost %d", n) }); err != nil {
		t.Fatal(err)
	}
	settle(t, a, b)
	publish := func(n int) {
		until(t, "NATS takes a message", func() bool {
			return a.Publish("ctx.burst", []byte{byte(n), byte(n >> 8)}) == nil
		})
	}
	for n := range sent {
		publish(n)
	}
	next(t, "the first message", first)
	first <- true
	for range sent {
		next(t, "a message at the fast one", fast)
	}
	close(release)
	// The queue has to have room before one more message can tell of the drops.
	until(t, "all were told", func() bool {
		a.Publish("ctx.burst", []byte{sent & 0xff, sent >> 8})
		mu.Lock()
		defer mu.Unlock()
		return lastWas == sent
	})
	stop()
	mu.Lock()
	defer mu.Unlock()
	if total := b.State().Lost; lost == 0 || got == 0 || got+lost < sent+1 || wrong > 0 || int64(lost) != total {
		t.Errorf("got %d and was told of %d lost (%d in all) of at least %d; %d came before it was told what is missing", got, lost, total, sent+1, wrong)
	}
}
