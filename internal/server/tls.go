package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"kaijutsu"
)

// TLS says how the server's listener is encrypted. The zero value: it is not.
type TLS struct {
	// Cert and Key are PEM files with a chain of certificates and its key. They
	// are read again when they change.
	Cert, Key string
	// ACME gets certificates by itself, instead of Cert and Key.
	ACME ACME
	// Redirect is a host:port on which plain HTTP is sent on to HTTPS, and
	// ACME's HTTP challenge is answered; empty: none.
	Redirect string
	// HSTS is how long browsers are told to come by HTTPS alone; 0 means
	// DefaultHSTS, less than 0 that they are not told.
	HSTS time.Duration
}

// DefaultHSTS is how long browsers come by HTTPS alone: half a year.
const DefaultHSTS = 180 * 24 * time.Hour

// certFile tells the command line on this machine which certificate is ours.
const certFile = "server.crt"

// on reports whether anything is encrypted.
func (t TLS) on() bool { return t.Cert != "" || t.Key != "" || len(t.ACME.Domains) > 0 }

// check refuses what cannot be meant.
func (t TLS) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("tls: "+format+": %w", append(args, kaijutsu.ErrInvalid)...)
	}
	switch {
	case t.on() && (t.Cert == "") != (t.Key == ""):
		return bad("want both a certificate and its key")
	case t.Cert != "" && len(t.ACME.Domains) > 0:
		return bad("want a certificate from files or by ACME, not both")
	case !t.on() && t.Redirect != "":
		return bad("to send plain HTTP on to HTTPS there must be HTTPS: add a certificate")
	case !t.on() && t.HSTS != 0:
		return bad("HSTS needs HTTPS: add a certificate")
	case !t.on() && !t.ACME.isZero():
		return bad("ACME needs a domain")
	}
	return t.ACME.check()
}

// encryption is a server's TLS at work.
type encryption struct {
	hsts     string // the header; empty: none
	config   *tls.Config
	redirect *http.Server // nil: none
	rln      net.Listener
}

// openTLS reads or gets ready to get the certificate; nil when nothing is
// encrypted.
func (s *Server) openTLS() (*encryption, error) {
	cfg := s.cfg.TLS
	if !cfg.on() {
		s.warnOpen()
		return nil, nil
	}
	e := &encryption{config: &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}}
	if hsts := cmp.Or(cfg.HSTS, DefaultHSTS); hsts > 0 {
		e.hsts = fmt.Sprintf("max-age=%d", int64(hsts/time.Second))
	}
	plain := http.Handler(http.HandlerFunc(s.redirect))
	if cfg.Cert != "" {
		pair := &pair{cert: cfg.Cert, key: cfg.Key, log: s.log, changed: s.noteCertificate}
		if err := pair.load(); err != nil {
			return nil, err
		}
		e.config.GetCertificate = pair.get
	} else {
		m, err := openACME(cfg.ACME, s.cfg.Dir, s.log, s.noteCertificate)
		if err != nil {
			return nil, err
		}
		m.apply(e.config)
		plain = m.answering(plain)
	}
	if cfg.Redirect == "" {
		return e, nil
	}
	var err error
	if e.rln, err = net.Listen("tcp", cfg.Redirect); err != nil {
		return nil, fmt.Errorf("listen on %s for plain HTTP: %w", cfg.Redirect, err)
	}
	e.redirect = &http.Server{
		Handler: plain, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: s.http.ErrorLog,
	}
	go func() { _ = e.redirect.Serve(e.rln) }() // until close
	return e, nil
}

// warnOpen says that tokens and text travel in the open.
func (s *Server) warnOpen() {
	if host, _, err := net.SplitHostPort(s.cfg.Listen); err == nil && !isLoopback(host) {
		s.log.Warn("beyond this machine without TLS: who is on the way reads tokens and text; give --tls-cert and --tls-key, or put a proxy with TLS in front", "listen", s.cfg.Listen)
	}
}

// listener encrypts what is accepted; of a nil encryption, nothing.
func (e *encryption) listener(ln net.Listener) net.Listener {
	if e == nil {
		return ln
	}
	return tls.NewListener(ln, e.config)
}

// handler tells browsers to come by HTTPS alone.
func (e *encryption) handler(h http.Handler) http.Handler {
	if e == nil || e.hsts == "" {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", e.hsts)
		h.ServeHTTP(w, r)
	})
}

// close ends what sends plain HTTP on.
func (e *encryption) close() error {
	if e == nil || e.redirect == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if e.redirect.Shutdown(ctx) != nil {
		return e.redirect.Close()
	}
	return nil
}

// redirect sends plain HTTP on to HTTPS: only what asks, for a body has been
// sent in the open already.
func (s *Server) redirect(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "this server is reached by https alone", http.StatusForbidden)
		return
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	_, port, _ := net.SplitHostPort(s.ln.Addr().String())
	if port != "443" {
		host = net.JoinHostPort(host, port)
	}
	u := *r.URL
	u.Scheme, u.Host = "https", host
	private(w)
	http.Redirect(w, r, u.String(), http.StatusPermanentRedirect)
}

// scheme returns that of the server's address, with an "s" when encrypted.
func (s *Server) scheme(plain string) string {
	if s.cfg.TLS.on() {
		return plain + "s"
	}
	return plain
}

// noteCertificate writes the certificate where the command line on this machine
// finds it, which then knows the server by it, whatever its name.
func (s *Server) noteCertificate(leaf []byte) {
	path := filepath.Join(s.cfg.Dir, certFile)
	err := os.WriteFile(path+".new", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf}), 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		s.log.Warn("the certificate is not noted for the command line here", "err", err)
	}
}
