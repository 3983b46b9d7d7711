package flowbus

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
)

// A server that hangs is noticed after at most three ping intervals.
const (
	pingInterval  = 900 * time.Millisecond
	pingsOut      = 2
	dialTimeout   = 2 * time.Second
	writeTimeout  = 2 * time.Second // a hung socket holds the connection's lock for so long
	reconnectWait = 200 * time.Millisecond
)

func (b *Bus) connect() error {
	opts := []nats.Option{
		nats.Name("kaijutsu " + b.cfg.Kernel + " " + b.cfg.Node),
		nats.NoEcho(),
		nats.NoCallbacksAfterClientClose(),
		nats.MaxReconnects(-1),
		nats.ReconnectBufSize(-1), // what was not sent is refused, not kept
		nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(reconnectWait/2, reconnectWait/2),
		nats.FlusherTimeout(writeTimeout),
		nats.ReconnectOnFlusherError(),
		nats.Timeout(dialTimeout),
		nats.ConnectHandler(func(nc *nats.Conn) { b.linkUp(nc) }),
		nats.ReconnectHandler(func(nc *nats.Conn) { b.linkUp(nc) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { b.linkDown(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { b.linkDown(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, s *nats.Subscription, err error) { b.asyncError(s, err) }),
	}
	url := ""
	if b.Embedded() {
		if err := b.embed(); err != nil {
			return err
		}
		opts = append(opts, nats.InProcessServer(b.server))
	} else {
		url = strings.Join(b.cfg.Servers, ",")
		opts = append(opts, b.external()...)
	}
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		return fmt.Errorf("connect to NATS: %w: %v", kaijutsu.ErrInvalid, err)
	}
	b.nc = nc
	if nc.IsConnected() {
		b.linkUp(nc)
	} else {
		b.linkDown(nc.LastError())
	}
	return nil
}

func (b *Bus) external() []nats.Option {
	opts := []nats.Option{
		nats.PingInterval(pingInterval),
		nats.MaxPingsOutstanding(pingsOut),
		nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(), // credentials may be mended while we wait
	}
	if b.cfg.Credentials != "" {
		opts = append(opts, nats.UserCredentials(b.cfg.Credentials))
	}
	if b.cfg.CA != "" {
		opts = append(opts, nats.RootCAs(b.cfg.CA))
	}
	if b.cfg.Cert != "" {
		opts = append(opts, nats.ClientCert(b.cfg.Cert, b.cfg.Key))
	}
	return opts
}

// The handlers below run on one goroutine of the NATS client, in order.

func (b *Bus) linkUp(nc *nats.Conn) {
	server := nc.ConnectedUrlRedacted()
	if b.Embedded() {
		server = "in the process"
	}
	if !b.link.set(true, server, nc.ConnectedClusterName(), b.cfg.Now()) {
		return
	}
	b.problems.clear("connection")
	b.problems.clear("access")
	b.problems.clear("payload")
	if most := nc.MaxPayload(); most < maxPayload {
		b.problems.set("payload", fmt.Sprintf("NATS at %s takes messages of at most %d bytes, and larger changes do not get out: set max_payload to 1MB in its configuration", server, most))
		b.log.Error("NATS takes small messages only: set max_payload to 1MB", "server", server, "max_payload", most)
	}
	b.log.Info("connected to NATS", "server", server)
	b.wake()
}

func (b *Bus) linkDown(err error) {
	if b.ctx.Err() != nil {
		return
	}
	text := "NATS is away"
	if err != nil {
		text = "NATS is away: " + err.Error()
	}
	if refusesUs(err) {
		text = "NATS refuses this node: " + err.Error() + "; check user and password in its address, the credentials file and the certificate"
	}
	news := b.problems.set("connection", text+" (servers "+b.serverNames()+"); edits stay here until it is back")
	news = b.link.set(false, "", "", b.cfg.Now()) || news
	if news {
		b.log.Warn(text, "servers", b.serverNames())
		b.wake()
	}
}

// refusesUs reports whether NATS is there and does not let us in.
func refusesUs(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked)
}

// serverNames returns the configured servers without user names and passwords.
func (b *Bus) serverNames() string {
	var names []string
	for _, s := range b.cfg.Servers {
		if _, after, ok := strings.Cut(s, "@"); ok {
			s = after
		}
		names = append(names, s)
	}
	return strings.Join(names, ", ")
}

func (b *Bus) asyncError(s *nats.Subscription, err error) {
	switch {
	case errors.Is(err, nats.ErrSlowConsumer):
		// Subscribe counts and tells it; here it is only for the log.
		if s != nil {
			b.log.Warn("a subscriber is too slow; messages are dropped", "subject", s.Subject)
		}
	case errors.Is(err, nats.ErrPermissionViolation):
		if b.problems.set("access", "NATS does not let this node use a subject it needs: "+err.Error()) {
			b.log.Error("NATS refuses a subject", "err", err)
			b.wake()
		}
	case b.ctx.Err() == nil:
		b.log.Debug("NATS reports", "err", err)
	}
}
