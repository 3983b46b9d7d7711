package flowbus_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu/flowbus"
	"kaijutsu/internal/kjproc"
)

// patience is how long a test waits for what should come at once; a cluster
// that chooses a leader takes up to 9 s.
const patience = time.Minute

// natsServer is a NATS server in this process that can be stopped and started
// again on its port and directory.
type natsServer struct {
	t    testing.TB
	opts server.Options
	*server.Server
}

func startNATS(t testing.TB, opts server.Options) *natsServer {
	t.Helper()
	opts.Host, opts.Port = "127.0.0.1", server.RANDOM_PORT
	opts.NoSigs, opts.NoLog = true, true
	opts.JetStream = true
	opts.JetStreamMaxMemory, opts.JetStreamMaxStore = 256<<20, 64<<30
	if opts.StoreDir == "" {
		opts.StoreDir = t.TempDir()
	}
	s := &natsServer{t: t, opts: opts}
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

// wipe stops the server, removes its data and starts it again.
func (s *natsServer) wipe() {
	s.t.Helper()
	s.stop()
	if err := os.RemoveAll(s.opts.StoreDir); err != nil {
		s.t.Fatal(err)
	}
	s.start()
}

// startCluster starts three NATS servers that know each other.
func startCluster(t testing.TB) []*natsServer {
	t.Helper()
	ports, err := kjproc.FreePorts(3)
	if err != nil {
		t.Fatal(err)
	}
	var servers []*natsServer
	for i := range 3 {
		opts := server.Options{ServerName: fmt.Sprintf("n%d", i), Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: ports[i]}}
		for _, p := range ports {
			u, _ := url.Parse(fmt.Sprintf("nats://127.0.0.1:%d", p))
			opts.Routes = append(opts.Routes, u)
		}
		servers = append(servers, startNATS(t, opts))
	}
	until(t, "the cluster has a leader", func() bool {
		for _, s := range servers {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == 3 {
				return true
			}
		}
		return false
	})
	return servers
}

func urls(servers []*natsServer) (all []string) {
	for _, s := range servers {
		all = append(all, s.ClientURL())
	}
	return all
}

// openBus opens a bus of a node and closes it after the test.
func openBus(t testing.TB, node string, servers ...string) *flowbus.Bus {
	t.Helper()
	b, err := flowbus.Open(t.Context(), flowbus.Config{
		Log: slog.New(slog.DiscardHandler), Kernel: "test", Node: node, Servers: servers, Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// rawConn connects as something that is not a node.
func rawConn(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// until waits for a condition that nothing signals.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}

// next takes one value from a channel.
func next[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("waited %v in vain: %s", patience, what)
		panic("unreachable")
	}
}

// connected waits until a bus is, or is no longer, connected.
func connected(t testing.TB, b *flowbus.Bus, want bool) {
	t.Helper()
	until(t, fmt.Sprintf("connected %v", want), func() bool { return b.State().Connected == want })
}

// reading is a Consume that runs.
type reading struct {
	t       testing.TB
	records chan flowbus.Record
	resets  chan string
	stop    func() error
}

func consume(t testing.TB, b *flowbus.Bus, shard int, from flowbus.Cursor) *reading {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &reading{t: t, records: make(chan flowbus.Record, 1<<16), resets: make(chan string, 64)}
	done := make(chan error, 1)
	go func() {
		done <- b.Feed().Consume(ctx, shard, from,
			func(rec flowbus.Record) error { r.records <- rec; return nil },
			func(why string) { r.resets <- why })
	}()
	r.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { r.stop() })
	return r
}

// upTo reads until the record with an id, and returns the ids.
func (r *reading) upTo(id string) (ids []string, last flowbus.Record) {
	r.t.Helper()
	for {
		last = next(r.t, "record "+id, r.records)
		ids = append(ids, last.ID)
		if last.ID == id {
			return ids, last
		}
	}
}

// appendAll appends records with the ids prefix+from … prefix+to-1, again and
// again until each is acknowledged.
func appendAll(t testing.TB, b *flowbus.Bus, shard int, prefix string, from, to int) (ids []string) {
	t.Helper()
	for i := from; i < to; i++ {
		id := fmt.Sprint(prefix, i)
		ids = append(ids, id)
		until(t, "append "+id, func() bool {
			return b.Feed().Append(t.Context(), shard, "doc", id, []byte(id)).Err() == nil
		})
	}
	return ids
}

func serverOptions() server.Options { return server.Options{ServerName: "single"} }

// StreamReplicas sets the replicas of a stream, or with 0 looks at them.
func (s *natsServer) StreamReplicas(t *testing.T, name string, n int) (int, error) {
	t.Helper()
	js, err := jetstream.New(rawConn(t, s.ClientURL()))
	if err != nil {
		return 0, err
	}
	st, err := js.Stream(t.Context(), name)
	if err != nil {
		return 0, err
	}
	cfg := st.CachedInfo().Config
	if n == 0 {
		return cfg.Replicas, nil
	}
	cfg.Replicas = n
	st, err = js.UpdateStream(t.Context(), cfg)
	if err != nil {
		return 0, err
	}
	return st.CachedInfo().Config.Replicas, nil
}

var (
	natsDir     string // holds the nats-server that was built
	mainContext = context.Background()
)

func TestMain(m *testing.M) {
	code := m.Run()
	if natsDir != "" {
		os.RemoveAll(natsDir)
	}
	os.Exit(code)
}
