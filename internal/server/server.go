package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync"
	"time"

	"kaijutsu/flowbus"
	"kaijutsu/internal/access"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/backup"
	"kaijutsu/internal/cluster"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/door/httpdoor"
	"kaijutsu/internal/door/mcpdoor"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/link"
	"kaijutsu/internal/llm"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/policy"
	"kaijutsu/internal/provenance"
	"kaijutsu/internal/quarantine"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/search"
	"kaijutsu/internal/store"
	"kaijutsu/internal/telemetry"
	"kaijutsu/internal/ui"
)

// DefaultListen is the address `kj serve` listens on.
const DefaultListen = "127.0.0.1:7433"

// Config says where a server keeps its data and how it is reached.
type Config struct {
	// Dir is the data directory; it is made when it does not exist.
	Dir string
	// Listen is a host:port; port 0 takes a free one. Default DefaultListen.
	Listen string
	// Auth is "local" or "token"; empty means "local" on a loopback address
	// and "token" elsewhere.
	Auth string
	// Log is required.
	Log *slog.Logger
	// MinFree is the disk space in bytes below which edits are refused;
	// 0 is the store's default.
	MinFree int64
	// AcceptLoss opens a data directory in which acknowledged changes are
	// known to be missing.
	AcceptLoss bool
	// Budget is the memory estimate of open documents in bytes; 0 is the
	// repo's default.
	Budget int64
	// Examine are the arguments with which this program examines a document in
	// a process of its own; nil: nothing is examined. ExamineMemory is what
	// that may take, in bytes; 0 is the examiner's default.
	Examine       []string
	ExamineMemory int64
	// DenyOps are operations that this server does not offer, by name or by
	// family as "block_*".
	DenyOps []string
	// Version is told to clients.
	Version string
	// Now is the clock of documents, records and events; default time.Now. What
	// is waited for and what connections do goes by the real one.
	Now func() time.Time
	// NATS joins the server with the other nodes of its kernel; the zero value:
	// it is alone.
	NATS NATS
	// Kernel is the name of the kernel, 1 to 32 of a to z, 0 to 9 and -; default
	// DefaultKernel. A data directory is of one kernel for good.
	Kernel string
	// NodeName is what people call this node; default: nothing.
	NodeName string
	// Limits are values of limits, by name; those not named have their defaults.
	Limits map[limit.Name]int64
	// LLM is the language model that distils; the zero value: none does, and
	// briefings are extracts. Log and Now are the server's.
	LLM llm.Config
	// Git says how files become blocks, and commits are made of them.
	Git Git
	// TLS encrypts what is listened to; the zero value: nothing does.
	TLS TLS
	// OIDC has another authority vouch for people; the zero value: none does.
	OIDC OIDC
	// Proxies are networks of proxies in front of this server, whose header
	// X-Forwarded-For says where requests come from.
	Proxies []netip.Prefix
	// AuditKeep is how long entries of the audit log stay; 0 is audit's default.
	AuditKeep time.Duration
	// Watching says how others see the server fare.
	Watching Watching
}

// Server is a running server. It is safe for concurrent use.
type Server struct {
	cfg   Config
	log   *slog.Logger
	store *store.Store
	bus   *flowbus.Bus

	quarantine *quarantine.List
	examining  sync.WaitGroup
	repo       *repo.Repo
	records    *records.Table
	queue      *records.Table // of drifts
	letters    *provenance.Index
	links      *link.Links
	policy     *policy.Keeper
	courier    *courier.Courier
	mounts     *mounts.Mounts
	access     *access.Table
	search     *search.Index
	hub        *follow.Hub
	kernel     *kernel.Kernel
	cluster    *cluster.Cluster
	reviews    *reviewer
	set        *op.Set
	peers      *peer.Hub
	mcp        *mcpdoor.Door
	gate       *gate
	audits     *audit.Log
	tls        *encryption // nil: nothing is encrypted
	signIn     *signIn     // nil: nobody else vouches for people
	http       *http.Server
	ln         net.Listener
	limits     *limit.Limiter
	door       *limit.Door
	served     chan error
	began      time.Time

	progress *progress // of the start
	metrics  measures
	traces   *telemetry.Traces // nil: none are sent

	distillers courier.Distillers
	backups    backups

	later   later    // parts that the repo's hooks lead to
	mail    mail     // who follows inboxes
	unheard []func() // end subscriptions

	hurrying context.Context // ends calls that still wait a while after that
	hurry    context.CancelFunc

	stopping context.Context // ends the streams, which do not end by themselves
	stop     context.CancelFunc
	drained  drained
}

// Start listens, opens the data directory and serves until Close. From the
// beginning it answers who asks how it fares; everything else waits until it
// returns.
func Start(cfg Config) (*Server, error) {
	if cfg.Listen == "" {
		cfg.Listen = DefaultListen
	}
	if cfg.Kernel == "" {
		cfg.Kernel = DefaultKernel
	}
	mode, err := authMode(cfg.Auth, cfg.Listen)
	if err == nil {
		err = checkNames(cfg.Kernel, cfg.NodeName)
	}
	if err == nil {
		err = cfg.NATS.check()
	}
	if err == nil {
		err = cfg.TLS.check()
	}
	if err != nil {
		return nil, err
	}
	if err := backup.CheckWhole(cfg.Dir); err != nil { // before anything is written there
		return nil, err
	}
	if err := store.MakeDir(cfg.Dir); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	owner, err := openOwnerKey(filepath.Join(cfg.Dir, tokenFile), cfg.Log)
	if err != nil {
		return nil, err
	}
	limits, err := limit.New(cfg.Limits, nil)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (is another server running? try --listen 127.0.0.1:0)", cfg.Listen, err)
	}
	if err := checkBound(mode, ln.Addr()); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	door := limit.NewDoor(ln, limits)
	ln = door
	s := &Server{
		cfg:    cfg,
		log:    cfg.Log,
		ln:     ln,
		limits: limits,
		door:   door,
		served: make(chan error, 1),
		began:  time.Now(),
	}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.hurrying, s.hurry = context.WithCancel(context.Background())
	s.progress, s.metrics = newProgress(s.began, cfg.Watching.Stage), newMeasures(cfg.Watching)
	front := newFront(s)
	s.http = &http.Server{
		Handler:           front,
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    maxHeaderBytes,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	if s.tls, err = s.openTLS(); err != nil {
		s.stop()
		return nil, errors.Join(err, ln.Close())
	}
	s.http.Handler = s.standing(s.tls.handler(s.http.Handler))
	go func() { s.served <- s.http.Serve(s.tls.listener(ln)) }()
	if err := s.open(); err != nil {
		s.progress.become(draining)
		s.stop()
		return nil, errors.Join(err, s.http.Close(), s.closeParts(func(string) {}))
	}
	s.gate = s.newGate(mode, owner)
	s.mcp = s.mcpDoor()
	front.routes = s.routes()
	err = s.measure()
	s.progress.become(serving)
	go s.rest() // ends when the server stops
	if err = errors.Join(err, s.writeAddress()); err != nil {
		return nil, errors.Join(err, s.Close(context.Background()))
	}
	return s, nil
}

// URL returns the server's address as http://host:port, or https.
func (s *Server) URL() string { return s.scheme("http") + "://" + reachable(s.ln.Addr().String()) }

// SyncURL returns the address that editors connect to.
func (s *Server) SyncURL() string {
	return s.scheme("ws") + "://" + reachable(s.ln.Addr().String()) + "/sync"
}

// Dir returns the data directory.
func (s *Server) Dir() string { return s.cfg.Dir }

// Auth returns the mode in force, "local" or "token".
func (s *Server) Auth() string { return s.gate.mode }

// Kernel returns the name of the kernel.
func (s *Server) Kernel() string { return s.cfg.Kernel }

// NATS says where the server finds other nodes, in words; "" when it is alone.
func (s *Server) NATS() string {
	if s.bus.Embedded() {
		return ""
	}
	state := s.bus.State()
	if state.Connected {
		return "connected to NATS at " + state.Server
	}
	return "not connected to NATS yet (" + state.Server + ")"
}

// StorageID returns the id under which editors see their changes saved.
func (s *Server) StorageID() string { return s.store.StorageID() }

// reachable replaces the wildcard address by one that can be dialled.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// Done is closed, or yields the reason, when the server stops serving.
func (s *Server) Done() <-chan error { return s.served }

// routes is every address of the server.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sync", s.serveSync)
	operations := brief(s.calling(httpdoor.New(httpdoor.Config{Set: s.set, Identify: s.recognised(s.gate.call), Log: s.log, Version: s.cfg.Version})))
	mux.Handle("/v1/", s.traced(operations))
	mux.Handle("/mcp", s.traced(s.lasting(s.mcp)))
	mux.Handle("GET /v1/contexts", brief(s.as("context_list", s.serveContexts)))
	mux.Handle("GET /v1/contexts/{context}/export", brief(s.as("context_export", s.serveExport)))
	mux.Handle("POST /v1/backup", s.lasting(s.as("server_backup", s.serveBackup)))
	mux.Handle("POST /v1/backup/done", brief(s.as("server_backup", s.serveBackupDone)))
	mux.Handle("GET /v1/events", s.lasting(s.as("events_follow", s.serveEvents)))
	mux.Handle("GET /v1/contexts/{context}/tail", s.lasting(s.as("context_get", s.serveTail)))
	mux.Handle(pprofPath, s.ownerOnly(profiles()))
	if s.cfg.Watching.Metrics {
		mux.Handle("GET "+metricsPath, brief(s.ownerOnly(s.metrics.all.Handler(s.log))))
	}
	mux.Handle("/", brief(s.gate.guardPage(ui.Handler())))
	return mux
}
