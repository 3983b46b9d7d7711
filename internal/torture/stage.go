package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/kjproc"
)

// kernelName is the kernel that the nodes of a run share.
const kernelName = "torture"

const (
	// contexts is how many are written to, texts how many texts in each.
	contexts, textsEach = 2, 3
	// setUpTimeout is how long a cluster may take until every node has every
	// context.
	setUpTimeout = 60 * time.Second
)

// layout says what a stage is made of.
type layout struct {
	nodes    int
	servers  int // nats-servers; 0: each node has its own bus, 3: a cluster
	machines int // network namespaces: node i on machine i, server i too; 0: none
	env      map[int][]string
}

// stage is one run: servers, nodes, who writes, who follows.
type stage struct {
	layout layout
	exe    string // kj
	nats   string // nats-server
	dir    string
	random *rand.Rand
	say    func(format string, args ...any)

	always    []string // in the environment of every node
	network   *network
	gates     []*gate // of nodes, to the nats-server; none: they connect to it
	servers   []*natsServer
	nodes     []*node
	targets   []*target
	ledger    *ledger
	callers   []*caller
	followers []*follower

	join                       func(*follower) // lets one more follow
	stopWriting, stopFollowing func()
	writing, following         sync.WaitGroup
}

// natsServer is one nats-server, which may be down.
type natsServer struct {
	cfg  kjproc.NATSConfig
	proc *kjproc.NATS
}

func (n *natsServer) start(ctx context.Context) (err error) {
	n.proc, err = kjproc.StartNATS(ctx, n.cfg)
	return err
}

func (n *natsServer) kill() {
	if n.proc != nil {
		n.proc.Kill()
		n.proc = nil
	}
}

// open starts servers and nodes, makes the contexts and waits until each node
// has them. The caller closes the stage also after an error.
func (s *stage) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, setUpTimeout)
	defer cancel()
	if s.layout.machines > 0 {
		var err error
		if s.network, err = openNetwork(s.layout.machines); err != nil {
			return err
		}
	}
	if err := s.startServers(ctx); err != nil {
		return err
	}
	if err := s.startNodes(ctx); err != nil {
		return err
	}
	return s.makeContexts(ctx)
}

// startNodes starts the nodes, with further arguments of kj serve.
func (s *stage) startNodes(ctx context.Context, args ...string) error {
	for i := range s.layout.nodes {
		n := &node{name: string(rune('A' + i)), exe: s.exe, dir: filepath.Join(s.dir, "node-"+string(rune('a'+i))), env: s.layout.env[i], always: s.always, machine: s.machine(i)}
		n.args = append([]string{"--log-level", "info"}, args...)
		if s.layout.servers > 0 {
			n.args = append(n.args, "--kernel", kernelName, "--nats", s.urlsFor(i))
		}
		s.nodes = append(s.nodes, n)
		if err := n.start(ctx); err != nil {
			return err
		}
	}
	s.say("  %d nodes, %d nats-servers", s.layout.nodes, s.layout.servers)
	return nil
}

func (s *stage) machine(i int) machine {
	if s.network == nil || i >= len(s.network.machines) {
		return machine{}
	}
	return s.network.machines[i]
}

// startServers starts the nats-servers, each of which knows the others.
func (s *stage) startServers(ctx context.Context) error {
	const each = 3 // clients, HTTP, other servers
	ports, err := kjproc.FreePorts(each * s.layout.servers)
	if err != nil {
		return err
	}
	var routes []string
	for i := range s.layout.servers {
		cfg := kjproc.NATSConfig{
			Exe: s.nats, Dir: filepath.Join(s.dir, fmt.Sprintf("nats-%d", i+1)), Name: fmt.Sprintf("n%d", i+1),
			Host: "127.0.0.1", Port: ports[each*i], Monitor: ports[each*i+1],
		}
		if m := s.machine(i); m.name != "" {
			cfg.Host, cfg.Around = m.address, m.around()
		}
		if s.layout.servers > 1 {
			cfg.ClusterPort = ports[each*i+2]
			routes = append(routes, fmt.Sprintf("%s:%d", cfg.Host, cfg.ClusterPort))
		}
		s.servers = append(s.servers, &natsServer{cfg: cfg})
	}
	for _, n := range s.servers {
		n.cfg.Routes = routes
		if err := n.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// urlsFor returns the nats-servers that a node is told of: on machines, its
// own if there is one, else the first.
func (s *stage) urlsFor(i int) string {
	if s.gates != nil {
		return "nats://" + s.gates[i].address()
	}
	if s.network != nil {
		if i < len(s.servers) {
			return s.servers[i].cfg.URL()
		}
		return s.servers[0].cfg.URL()
	}
	var urls []string
	for _, n := range s.servers {
		urls = append(urls, n.cfg.URL())
	}
	return strings.Join(urls, ",")
}

// makeContexts makes each context at another node and waits until all nodes
// serve all of them, with their texts.
func (s *stage) makeContexts(ctx context.Context) error {
	for i := range contexts {
		a := s.nodes[i%len(s.nodes)].api()
		var c struct{ ID, URL string }
		if err := a.call(ctx, "context_create", map[string]any{"title": fmt.Sprintf("Torture %d", i+1)}, &c); err != nil {
			return err
		}
		doc, err := kaijutsu.ParseDocumentID(strings.TrimPrefix(c.URL, "automerge:"))
		if err != nil {
			return fmt.Errorf("context_create: url %q: %w", c.URL, err)
		}
		t := &target{doc: doc, id: c.ID}
		for range textsEach {
			id := blocks.NewID(time.Now())
			if err := a.call(ctx, "block_create", map[string]any{"context": t.id, "id": id, "content": "¶", "form": "text"}, nil); err != nil {
				return err
			}
			t.texts = append(t.texts, id)
		}
		s.targets = append(s.targets, t)
	}
	began := time.Now()
	for _, n := range s.nodes {
		for _, t := range s.targets {
			if err := s.await(ctx, fmt.Sprintf("node %s has context %s", n.name, t.id), func() error { return hasTexts(ctx, n, t) }); err != nil {
				return err
			}
		}
	}
	s.say("  every node has every context after %s", time.Since(began).Round(time.Millisecond))
	return nil
}

func hasTexts(ctx context.Context, n *node, t *target) error {
	st, err := n.api().context(ctx, t.id)
	if err == nil && len(st.Blocks) < len(t.texts) {
		err = fmt.Errorf("%d blocks, want %d: %w", len(st.Blocks), len(t.texts), kaijutsu.ErrNotFound)
	}
	return err
}

// await repeats f until it gives no error or ctx ends, and says then what was
// wrong last.
func (s *stage) await(ctx context.Context, what string, f func() error) error {
	for {
		err := f()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w; last: %w", what, context.Cause(ctx), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// follow starts the followers: one for each context at each node, with a
// mirror, and one at each node for all contexts.
func (s *stage) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	s.stopFollowing = sync.OnceFunc(func() { cancel(); s.following.Wait() })
	s.join = func(f *follower) {
		s.followers = append(s.followers, f)
		s.following.Go(func() { f.run(ctx) })
	}
	for _, n := range s.nodes {
		for _, t := range s.targets {
			s.join(newFollower(n, t))
		}
		s.join(newFollower(n, nil))
	}
	ready, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	for _, f := range s.followers {
		if err := s.await(ready, f.name+" follows", f.isFollowing); err != nil {
			return err
		}
	}
	return nil
}

// write starts a typist and a caller for each context at each node.
func (s *stage) write(ctx context.Context) {
	stop := make(chan struct{})
	s.stopWriting = sync.OnceFunc(func() { close(stop); s.writing.Wait() })
	for _, n := range s.nodes {
		for i, t := range s.targets {
			name := fmt.Sprintf("%s%d", n.name, i+1)
			w := &typist{name: "editor " + name, node: n, target: t, ledger: s.ledger, random: s.branch(), pause: editPause, patience: ackPatience}
			s.writing.Go(func() { w.run(ctx, stop) })
			c := &caller{name: "caller " + name, node: n, target: t, ledger: s.ledger, random: s.branch(), refused: make(map[string]int)}
			s.callers = append(s.callers, c)
			s.writing.Go(func() { c.run(ctx, stop) })
		}
	}
}

// branch returns random numbers of one writer's own, which follow the seed.
func (s *stage) branch() *rand.Rand {
	return rand.New(rand.NewPCG(s.random.Uint64(), s.random.Uint64()))
}

// pause lets the load go on for a while; it fails when a node or server that
// should run does not.
func (s *stage) pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for _, n := range s.nodes {
		if n.process() == nil {
			continue // the director knows
		}
		if err := n.alive(); err != nil {
			return err
		}
	}
	return nil
}

// somewhere returns a random time between the two.
func (s *stage) somewhere(least, most time.Duration) time.Duration {
	return least + time.Duration(s.random.Int64N(int64(most-least)+1))
}

// close ends everything that runs.
func (s *stage) close() {
	if s.stopWriting != nil {
		s.stopWriting()
	}
	if s.stopFollowing != nil {
		s.stopFollowing()
	}
	for _, n := range s.nodes {
		n.close()
	}
	for _, g := range s.gates {
		g.unshut()
		g.close()
	}
	for _, n := range s.servers {
		n.kill()
	}
	if s.network != nil {
		s.network.close()
	}
}

// saveLogs writes what every node and server said into the run's directory.
func (s *stage) saveLogs() error {
	var errs []error
	for _, n := range s.nodes {
		errs = append(errs, os.WriteFile(filepath.Join(s.dir, "node-"+strings.ToLower(n.name)+".log"), []byte(n.log()), 0o600))
	}
	for _, n := range s.servers {
		if n.proc != nil {
			errs = append(errs, os.WriteFile(filepath.Join(s.dir, n.cfg.Name+".log"), []byte(n.proc.Log()), 0o600))
		}
	}
	return errors.Join(errs...)
}
