package server

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/cluster"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/link"
	"kaijutsu/internal/provenance"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// DefaultKernel is the name of a server's kernel.
const DefaultKernel = "main"

// kernelRecord is where the store says which kernel its documents are of.
const kernelRecord = "server/kernel"

// NATS says how a server reaches the NATS cluster that joins it with other
// nodes. The zero value is a server alone.
type NATS struct {
	// Servers are URLs, each perhaps several with commas between; the scheme of
	// the first goes for those that have none.
	Servers []string
	// Credentials, CA, Cert and Key are files, empty when there are none.
	Credentials, CA, Cert, Key string
}

// servers returns the URLs one by one.
func (n NATS) servers() []string {
	var out []string
	for _, list := range n.Servers {
		scheme := "nats://"
		for _, s := range strings.Split(list, ",") {
			s = strings.TrimSpace(s)
			if s == "" {
				continue
			}
			if at := strings.Index(s, "://"); at >= 0 {
				scheme = s[:at+3]
			} else {
				s = scheme + s
			}
			out = append(out, s)
		}
	}
	return out
}

// check refuses what names no server although it says how to reach one.
func (n NATS) check() error {
	if len(n.Servers) > 0 && len(n.servers()) == 0 {
		return fmt.Errorf("--nats names no server: %w: want nats://host:port", kaijutsu.ErrInvalid)
	}
	if len(n.Servers) == 0 && n.Credentials+n.CA+n.Cert+n.Key != "" {
		return fmt.Errorf("--nats-creds, --nats-ca, --nats-cert and --nats-key say how to reach the servers of --nats: %w: name them too", kaijutsu.ErrInvalid)
	}
	return nil
}

var (
	kernelName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)
	nodeName   = regexp.MustCompile(`^[A-Za-z0-9._-]{0,64}$`)
)

// checkNames refuses names that are no names.
func checkNames(kernel, node string) error {
	if !kernelName.MatchString(kernel) {
		return fmt.Errorf("kernel name %.64q: %w: want 1 to 32 of a to z, 0 to 9 and -", kernel, kaijutsu.ErrInvalid)
	}
	if !nodeName.MatchString(node) {
		return fmt.Errorf("node name %.80q: %w: want at most 64 letters, digits, '.', '_' and '-'", node, kaijutsu.ErrInvalid)
	}
	return nil
}

// claimKernel holds the kernel's name against the one that the data directory
// was started with first, and keeps it. A directory in which nothing was ever
// stored may take another.
func claimKernel(st *store.Store, name string) error {
	had, err := st.Record(kernelRecord)
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound):
	case err != nil:
		return err
	case string(had) == name:
		return nil
	default:
		for _, err := range st.Documents() {
			if err != nil {
				return err
			}
			return fmt.Errorf("the data directory is of kernel %q, not %q: %w: start with --kernel %s, or use another directory with --data", had, name, kaijutsu.ErrConflict, had)
		}
	}
	return st.PutRecord(context.Background(), kernelRecord, []byte(name))
}

// parts that come after the repo, and that its hooks lead to.
type later struct {
	hub     atomic.Pointer[follow.Hub]
	cluster atomic.Pointer[cluster.Cluster]
	fetch   atomic.Pointer[func(context.Context, kaijutsu.DocumentID) bool]
	seek    atomic.Pointer[func(context.Context, string) bool]
	follow  atomic.Pointer[[]func(repo.Committed)]
	letters atomic.Pointer[provenance.Index]
	courier atomic.Pointer[courier.Courier]
	links   atomic.Pointer[link.Links]
	hidden  atomic.Pointer[func(kaijutsu.DocumentID) bool]

	mu   sync.Mutex
	hold bool             // guarded by mu
	held []repo.Committed // guarded by mu
}

// also has f told of what is committed from now on.
func (l *later) also(f func(repo.Committed)) {
	var all []func(repo.Committed)
	if old := l.follow.Load(); old != nil {
		all = append(all, *old...)
	}
	all = append(all, f)
	l.follow.Store(&all)
}

// first is also, before all others that are told now.
func (l *later) first(f func(repo.Committed)) {
	all := []func(repo.Committed){f}
	if old := l.follow.Load(); old != nil {
		all = append(all, *old...)
	}
	l.follow.Store(&all)
}

// tell tells the parts that follow the documents what was committed.
func (l *later) tell(c repo.Committed) {
	if all := l.follow.Load(); all != nil {
		for _, f := range *all {
			f(c)
		}
	}
	if cl := l.clusterFor(c); cl != nil {
		cl.Note(c)
	}
}

// clusterFor returns the cluster, or keeps what was committed for it while it
// starts: it brings documents before it can be told of them.
func (l *later) clusterFor(c repo.Committed) *cluster.Cluster {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hold {
		l.held = append(l.held, c)
		return nil
	}
	return l.cluster.Load()
}

// startCluster starts the cluster, and tells it what was committed meanwhile.
func (l *later) startCluster(cfg cluster.Config) (*cluster.Cluster, error) {
	l.mu.Lock()
	l.hold = true
	l.mu.Unlock()
	c, err := cluster.Start(cfg)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		for _, held := range l.held {
			c.Note(held)
		}
		l.cluster.Store(c)
	}
	l.hold, l.held = false, nil
	return c, err
}

// trace reports whether somebody follows a document's blocks.
func (l *later) trace(doc kaijutsu.DocumentID) bool {
	h := l.hub.Load()
	return h != nil && h.Traces(doc)
}

// bring has a document that is not here brought from another node.
func (l *later) bring(ctx context.Context, doc kaijutsu.DocumentID) bool {
	f := l.fetch.Load()
	return f != nil && (*f)(ctx, doc)
}

// find has documents that go by a name on other nodes brought from there.
func (l *later) find(ctx context.Context, name string) bool {
	f := l.seek.Load()
	return f != nil && (*f)(ctx, name)
}

// admit makes editing wait while other nodes cannot keep up.
func (l *later) admit(ctx context.Context) error {
	if c := l.cluster.Load(); c != nil {
		return c.Admit(ctx)
	}
	return nil
}

// publish tells an event to followers, here and on other nodes.
func (s *Server) publish(e flowbus.Event) {
	if err := s.hub.Publish(e); err != nil {
		s.log.Warn("event not published", "kind", e.Kind, "err", err)
	}
}

// announce tells an event to this node's followers.
func (s *Server) announce(e flowbus.Event) {
	if err := s.hub.Tell(e); err != nil {
		s.log.Warn("event not told", "kind", e.Kind, "err", err)
	}
}

// nodeEvent tells that another node has come or gone.
func (s *Server) nodeEvent(n cluster.Node, joined bool) {
	e := flowbus.Event{Kind: flowbus.NodeLeft, Data: &flowbus.Node{ID: n.ID}}
	if joined {
		e.Kind = flowbus.NodeJoined
	}
	s.announce(e)
}
