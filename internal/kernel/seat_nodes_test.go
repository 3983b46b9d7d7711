package kernel_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/kernel"
)

// patience is how long a test waits for what should come soon.
const patience = time.Minute

// natsServer is a NATS server in this process that can be stopped and started
// again on its port.
type natsServer struct {
	t    testing.TB
	opts server.Options
	*server.Server
}

func startNATS(t testing.TB) *natsServer {
	t.Helper()
	s := &natsServer{t: t, opts: server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 30, StoreDir: t.TempDir(),
	}}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *natsServer) start() {
	s.t.Helper()
	opts := s.opts
	srv, err := server.NewServer(&opts)
	if err != nil {
		s.t.Fatal(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(patience) {
		s.t.Fatal("the NATS server is not ready")
	}
	u, err := url.Parse(srv.ClientURL())
	if err != nil {
		s.t.Fatal(err)
	}
	s.opts.Port, _ = strconv.Atoi(u.Port())
	s.Server = srv
}

func (s *natsServer) stop() {
	s.Shutdown()
	s.WaitForShutdown()
}

// quick is a seating that does not make tests wait.
var quick = kernel.Seating{TTL: 2 * time.Second}

// node is a world on a bus, and what it told.
type node struct {
	*world
	*tape
	bus *flowbus.Bus
}

// newNode returns a world that is one node of several.
func newNode(t testing.TB, name string, s *natsServer) *node {
	t.Helper()
	bus, err := flowbus.Open(t.Context(), flowbus.Config{
		Log: slog.New(slog.DiscardHandler), Kernel: "main", Node: name, Servers: []string{s.ClientURL()}, Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() }) // the test may have closed it
	n := &node{bus: bus}
	n.world, n.tape = taped(t, func(c *kernel.Config) { c.Bus, c.Seating = bus, quick })
	return n
}

// holds gives nodes a context that the first one has.
func holds(t testing.TB, doc kaijutsu.DocumentID, from *node, to ...*node) {
	t.Helper()
	for _, n := range to {
		if err := n.bring(from.world, doc); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits for something that no event tells.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !cond() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

// untilSeated waits until nodes show these seats.
func untilSeated(t testing.TB, want string, nodes ...*node) {
	t.Helper()
	for _, n := range nodes {
		got := ""
		until(t, fmt.Sprintf("node %s shows %q", n.bus.Node(), want), func() bool {
			got = n.seated(owner, anywhere)
			return got == want
		})
	}
}

func TestEveryNodeListsEverySeat(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	plan := a.context("Plan")
	holds(t, plan.Doc, a, b)
	chair := a.kernel.Sit(from(owner, "tab"), kernel.SeatSpec{Context: plan.Doc})
	b.sit(from(owner, "cli"), kernel.SeatSpec{Context: plan.Doc, Status: kernel.SeatAway})
	untilSeated(t, "tab:active cli:away", a, b)
	for _, n := range []*node{a, b} {
		for _, seat := range n.kernel.Seats(owner, plan.Doc) {
			if want := map[string]string{"tab": "a", "cli": "b"}[seat.Instance]; seat.Node != want {
				t.Errorf("seat %s is of node %q, want %q", seat.Instance, seat.Node, want)
			}
		}
	}
	until(t, "node a tells of its seat", func() bool { return len(a.events()) == 1 })
	began := time.Now()
	chair.Leave()
	untilSeated(t, "cli:away", a, b)
	if took := time.Since(began); took > time.Second {
		t.Errorf("a seat that was left was gone after %v, want at once", took)
	}
	a.tape.check(t, "seat.joined owner tab active; seat.left owner tab left")
	b.tape.check(t, "seat.joined owner cli away")
}

func TestTheSeatsOfANodeThatCrashedAreGone(t *testing.T) {
	s := startNATS(t)
	a, b, c := newNode(t, "a", s), newNode(t, "b", s), newNode(t, "c", s)
	a.kernel.Sit(from(owner, "1"), kernel.SeatSpec{})
	a.kernel.Sit(from(owner, "2"), kernel.SeatSpec{})
	untilSeated(t, "1:active 2:active", a, b, c)
	if err := a.bus.Close(); err != nil { // a says nothing any more
		t.Fatal(err)
	}
	untilSeated(t, "", b, c)
	told := func() int { return len(b.events()) + len(c.events()) }
	until(t, "the survivors tell that two seats are left", func() bool { return told() >= 2 })
	a.close()
	b.close()
	c.close()
	all := append(b.events(), c.events()...)
	if len(all) != 2 || !strings.HasSuffix(all[0], "expired") || !strings.HasSuffix(all[1], "expired") || all[0] == all[1] {
		t.Errorf("the survivors told %q, want each seat once", all)
	}
}

// events is what a node told so far.
func (n *node) events() (all []string) {
	n.tape.mu.Lock()
	defer n.tape.mu.Unlock()
	for _, e := range n.tape.events {
		all = append(all, eventText(e))
	}
	return all
}

func TestSeatsArePutAgainWhenNATSHasForgottenThem(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	a.kernel.Sit(from(owner, "1"), kernel.SeatSpec{})
	b.kernel.Sit(from(owner, "2"), kernel.SeatSpec{})
	untilSeated(t, "1:active 2:active", a, b)
	s.stop()
	if err := os.RemoveAll(s.opts.StoreDir); err != nil {
		t.Fatal(err)
	}
	until(t, "the nodes see that NATS is away", func() bool { return !a.bus.State().Connected && !b.bus.State().Connected })
	if got := a.seated(owner, anywhere); !strings.Contains(got, "1:active") {
		t.Errorf("without NATS node a shows %q, want its own seat", got)
	}
	a.kernel.Sit(from(owner, "3"), kernel.SeatSpec{})
	s.start()
	untilSeated(t, "1:active 2:active 3:active", a, b)
	for _, n := range []*node{a, b} {
		for _, e := range n.events() {
			if strings.HasPrefix(e, "seat.left owner 1 left") || strings.Contains(e, "taken") {
				t.Errorf("node %s told %q", n.bus.Node(), e)
			}
		}
	}
}

func TestASeatIsTakenOnOneNodeAtATime(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	amy, bob := a.member("amy", kaijutsu.RightEdit), b.member("bob", kaijutsu.RightEdit)
	spec := kernel.SeatSpec{Nick: "claude", Instance: "1"}
	a.sit(amy, spec)
	if _, err := b.kernel.JoinSeat(t.Context(), bob, spec); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "amy") {
		t.Fatalf("JoinSeat of a seat of another node's = %v, want a conflict that names who has it", err)
	}
	b.tape.check(t, "")
	share(a.world, b.world)
	b.sit(amy, spec) // she comes again, through another node
	until(t, "the seat is of node b everywhere", func() bool {
		for _, n := range []*node{a, b} {
			seats := n.kernel.Seats(owner, anywhere)
			if len(seats) != 1 || seats[0].Node != "b" {
				return false
			}
		}
		return true
	})
	a.tape.check(t, "seat.joined claude 1 active")
	b.tape.check(t, "")
}

func TestASeatThatIsNoneIsPassedOver(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	for i, value := range []string{"", "{", `{"v":2}`, `{"v":1,"id":"x","node":"z","process":"p","by":{"name":"eve","kind":"person"},"nick":"eve","instance":"1","since":"2026-01-01T00:00:00Z","status":"active"}`} {
		if _, err := b.bus.Put(t.Context(), fmt.Sprintf("seat.-.%032d", i), []byte(value), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	b.kernel.Sit(from(owner, "tab"), kernel.SeatSpec{})
	untilSeated(t, "tab:active", a, b)
}

func BenchmarkThousandSeats(b *testing.B) {
	w := newWorld(b)
	plan := w.context("Plan")
	for i := range 1000 {
		if _, err := w.kernel.JoinSeat(b.Context(), owner, kernel.SeatSpec{Instance: fmt.Sprint(i), Context: plan.Doc}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			w.kernel.Seats(owner, plan.Doc)
		}
	})
	b.Run("seen", func(b *testing.B) {
		c := from(owner, "500")
		for b.Loop() {
			w.kernel.Seen(c)
		}
	})
	b.Run("presence", func(b *testing.B) {
		c := from(owner, "500")
		for b.Loop() {
			if _, err := w.kernel.SetPresence(c, kernel.SeatSpec{Context: plan.Doc}, kernel.Presence{Typing: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
