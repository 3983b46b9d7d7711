package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/access"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/cluster"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/search"
	"kaijutsu/internal/store"
)

// open opens the parts in order. What is open when one fails is the caller's to
// close.
func (s *Server) open() error {
	return s.progress.run([]part{
		{stageStore, s.openTraces}, {stageStore, s.openStore},
		{stageBus, s.openBus},
		{stageIndex, s.openRepo}, {stageIndex, s.openAccess}, {stageIndex, s.openAudit}, {stageIndex, s.openSignIn}, {stageIndex, s.openSearch}, {stageIndex, s.openHub}, {stageIndex, s.openKernel},
		{stageMounts, s.openDrift}, {stageMounts, s.openMounts},
		{stageDoors, s.openCluster}, {stageDoors, s.startMounts}, {stageDoors, s.openDoors}, {stageDoors, s.startExaminations},
	})
}

func (s *Server) openStore() (err error) {
	s.store, err = store.Open(store.Options{Dir: s.cfg.Dir, Log: s.log, MinFree: s.cfg.MinFree, AcceptLoss: s.cfg.AcceptLoss, Wrote: s.wrote()})
	if errors.Is(err, store.ErrInUse) {
		if b, readErr := os.ReadFile(filepath.Join(s.cfg.Dir, addressFile)); readErr == nil {
			err = fmt.Errorf("%w; it serves at %s", err, strings.TrimSpace(string(b)))
		}
	}
	if err == nil {
		err = claimKernel(s.store, s.cfg.Kernel)
	}
	return err
}

func (s *Server) openBus() (err error) {
	n := s.cfg.NATS
	s.bus, err = flowbus.Open(context.Background(), flowbus.Config{
		Log: s.log, Kernel: s.cfg.Kernel, Node: s.store.StorageID(),
		Servers: n.servers(), Credentials: n.Credentials, CA: n.CA, Cert: n.Cert, Key: n.Key,
		Now: s.cfg.Now,
	})
	return err
}

// openRepo starts the repo. Its hooks lead to parts that come later.
func (s *Server) openRepo() error {
	cfg := repo.Config{
		Log: s.log, Store: s.store, BudgetBytes: s.cfg.Budget,
		Committed: s.later.tell, Trace: s.later.trace, Admit: s.later.admit, Quota: s.quota, Took: s.took(),
		Now: s.cfg.Now,
	}
	if !s.bus.Embedded() {
		cfg.Fetch = s.later.bring
		s.later.healing(&cfg)
	}
	if err := s.isolate(&cfg); err != nil {
		return err
	}
	s.repo = repo.Start(cfg)
	s.reviews = startReviewer(s.log, s.ask)
	return nil
}

// openAccess opens the records that nodes share, and who has access.
func (s *Server) openAccess() (err error) {
	s.records, err = records.Open(records.Config{Log: s.log, Repo: s.repo, Kernel: s.cfg.Kernel})
	if err != nil {
		return err
	}
	s.later.also(s.records.Note)
	s.queue, err = records.Open(records.Config{Log: s.log, Repo: s.repo, Kernel: s.cfg.Kernel, Name: queueName, MaxValue: drift.MaxItemBytes})
	if err != nil {
		return err
	}
	s.later.also(s.queue.Note)
	hidden := s.hidden
	s.later.hidden.Store(&hidden)
	s.access, err = access.Open(access.Config{
		Log: s.log, Records: s.records, Store: s.store,
		Owners: []kaijutsu.Principal{localPrincipal, ownerPrincipal}, Changed: s.reviews.review, Now: s.cfg.Now,
	})
	return err
}

// queueName tells the document of the drifts that wait from that of who may do
// what.
const queueName = "drift"

// hidden reports the documents of the nodes, which are nobody's business.
func (s *Server) hidden(doc kaijutsu.DocumentID) bool {
	return doc == s.records.Doc() || doc == s.queue.Doc()
}

func (s *Server) openSearch() (err error) {
	s.search, err = search.Start(search.Config{Repo: s.repo, Store: s.store, Dir: filepath.Join(s.cfg.Dir, "search"), Log: s.log, Hidden: s.hidden})
	if err == nil {
		s.later.also(s.search.Note)
	}
	return err
}

func (s *Server) openHub() (err error) {
	s.hub, err = follow.Start(follow.Config{
		Log: s.log, Kernel: s.cfg.Kernel, Node: s.store.StorageID(), Repo: s.repo, Bus: s.bus, Hidden: s.hidden,
		Records: s.records.Doc(),
		Recorded: func(ctx context.Context, from, to uint64) ([]flowbus.Event, error) {
			return s.kernel.Recorded(ctx, from, to)
		},
		RecordedLast: func(doc kaijutsu.DocumentID) (flowbus.Event, bool) { return s.kernel.RecordedLast(doc) },
		Now:          s.cfg.Now,
	})
	if err == nil {
		s.later.hub.Store(s.hub)
		s.later.also(s.hub.Note)
	}
	return err
}

func (s *Server) openKernel() (err error) {
	cfg := kernel.Config{
		Log: s.log, Store: s.store, Repo: s.repo, Access: s.access, Records: s.records, Locate: s.search.Locate,
		Cache: filepath.Join(s.cfg.Dir, "contexts"), Kernel: s.cfg.Kernel, Bus: s.bus, Emit: s.publish,
		Hidden: s.hidden, Private: s.later.private, Unread: s.later.unread, Knows: s.later.knows,
		Now: s.cfg.Now,
	}
	if !s.bus.Embedded() {
		cfg.Fetch, cfg.Seek = s.later.bring, s.later.find
	}
	s.kernel, err = kernel.Open(cfg)
	if err == nil {
		s.later.first(s.kernel.Note) // it knows who may be told by the others
	}
	return err
}

// openCluster joins the other nodes: what they bring is followed from now on.
func (s *Server) openCluster() (err error) {
	s.cluster, err = s.later.startCluster(cluster.Config{
		Log: s.log, Bus: s.bus, Repo: s.repo, Store: s.store,
		Name: s.cfg.NodeName, Version: s.cfg.Version, Addr: s.URL(), OnNode: s.nodeEvent,
		Records: s.records.Doc(), Settle: s.records.Settle, Find: s.kernel.Lookup,
		Now: s.cfg.Now,
	})
	if err != nil {
		return err
	}
	fetch := func(ctx context.Context, doc kaijutsu.DocumentID) bool {
		return !s.hidden(doc) && !s.kernel.Deleted(doc) && s.cluster.Fetch(ctx, doc)
	}
	s.later.fetch.Store(&fetch)
	seek := s.cluster.Seek
	s.later.seek.Store(&seek)
	return nil
}

func (s *Server) openDoors() error {
	s.set = catalog.New(catalog.Parts{
		Kernel: s.kernel, Search: s.search, Access: s.access, Events: s.hub, Status: s.status, Node: s.node, Connections: s.connections, Backup: s.backupStatus,
		Drift: s.courier, Letters: s.letters, Links: s.links, Policy: s.policy, Mounts: s.mounts, Name: s.cfg.Kernel, Limits: s.limits,
		Audit: s.audits, RotateOwner: s.rotateOwner, Quarantine: s.quarantine, Release: s.repo.Release, Storage: storage{s},
		Gates: op.Gates{Log: s.log, Deny: s.cfg.DenyOps, Audit: s.audit, Admit: s.admit, Observe: s.observe},
	})
	if err := checkDenied(s.cfg.DenyOps, s.set); err != nil {
		return err
	}
	s.peers = peer.NewHub(peer.Config{
		Log:       s.log,
		Now:       s.cfg.Now,
		Repo:      s.repo,
		PeerID:    "kaijutsu-" + s.store.StorageID(),
		StorageID: s.store.StorageID(),
		Right: func(_ context.Context, by kaijutsu.Principal, doc kaijutsu.DocumentID) kaijutsu.Right {
			return s.kernel.SyncRight(by, doc)
		},
		Seat:    s.seatEditor,
		Relay:   s.relay(),
		Refused: s.auditRefusal,

		Limiter: s.limits, Door: s.door,
	})
	return s.hearEphemeral()
}

// checkDenied refuses to leave out an operation that there is not: whoever says
// so means another.
func checkDenied(deny []string, set *op.Set) error {
	for _, d := range deny {
		if there := set.Instead(d); there != "" {
			return fmt.Errorf("denied operation %q: %w: there is none; %s", d, kaijutsu.ErrInvalid, there)
		}
	}
	return nil
}

// closeParts closes what open opened, in reverse: nothing comes from other
// nodes any more, what blocks hold is written to the disks of mounts, nothing is
// carried between contexts, appends that wait are written, the index and the
// documents closed, then the bus and the store.
// at is told of each as it begins to close.
func (s *Server) closeParts(at func(what string)) error {
	var errs []error
	closing := func(what string, there bool, f func() error) {
		if there {
			at(what)
			errs = append(errs, f())
		}
	}
	for _, stop := range s.unheard {
		stop()
	}
	s.examining.Wait()
	closing("redirect", s.tls != nil, func() error { return s.tls.close() })
	closing("mounts", s.mounts != nil, func() error { return s.mounts.Close() })
	closing("policy", s.policy != nil, func() error { return s.policy.Close() })
	closing("courier", s.courier != nil, func() error { return s.courier.Close() })
	closing("links", s.links != nil, func() error { return s.links.Close() })
	closing("provenance", s.letters != nil, func() error { return s.letters.Close() })
	closing("contexts", s.kernel != nil, func() error { return s.kernel.Close() })
	closing("cluster", s.cluster != nil, func() error { return s.cluster.Close() })
	closing("events", s.hub != nil, func() error { return s.hub.Close() })
	closing("search index", s.search != nil, func() error { return s.search.Close() })
	closing("drift queue", s.queue != nil, func() error { return s.queue.Close() })
	closing("records", s.records != nil, func() error { return s.records.Close() })
	if s.reviews != nil {
		s.reviews.close()
	}
	closing("audit log", s.audits != nil, func() error { return s.audits.Close() })
	closing("documents", s.repo != nil, func() error { return s.repo.Close() })
	closing("bus", s.bus != nil, func() error { return s.bus.Close() })
	closing("store", s.store != nil, func() error { return s.store.Close() })
	return errors.Join(errs...)
}
