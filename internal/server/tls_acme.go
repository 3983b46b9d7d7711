package server

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"kaijutsu"
)

// ACME says how the server gets certificates by itself (RFC 8555).
type ACME struct {
	// Domains are the names that the server is reached by.
	Domains []string
	// Email is told to the authority; may be empty.
	Email string
	// Directory is the address of the authority's directory; empty: that of
	// Let's Encrypt.
	Directory string
	// CA is a PEM file with the certificates that the directory's own may be
	// of; empty: the system's.
	CA string
}

func (a ACME) isZero() bool {
	return len(a.Domains) == 0 && a.Email == "" && a.Directory == "" && a.CA == ""
}

func (a ACME) check() error {
	for _, d := range a.Domains {
		if !strings.Contains(d, ".") || strings.ContainsAny(d, ":/* ") || net.ParseIP(d) != nil {
			return fmt.Errorf("tls: domain %.100q: %w: want a name that the authority can reach, such as kj.example.org", d, kaijutsu.ErrInvalid)
		}
	}
	return nil
}

// acmeDir is where certificates and the account's key are kept in the data
// directory.
const acmeDir = "acme"

// automatic gets certificates when they are asked for, and again 30 days before
// they end.
type automatic struct {
	m       *autocert.Manager
	domains []string
	log     *slog.Logger
	changed func(leaf []byte)

	mu   sync.Mutex
	seen [32]byte // guarded by mu; begins the leaf that was noted last
}

func openACME(cfg ACME, dir string, log *slog.Logger, changed func([]byte)) (*automatic, error) {
	cache := filepath.Join(dir, acmeDir)
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of certificates: %w", err)
	}
	client := &acme.Client{DirectoryURL: cfg.Directory, UserAgent: "kaijutsu"}
	if cfg.Directory == "" {
		client.DirectoryURL = autocert.DefaultACMEDirectory
	}
	if cfg.CA != "" {
		pem, err := os.ReadFile(cfg.CA)
		if err != nil {
			return nil, fmt.Errorf("read the authorities of the ACME directory: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("authorities of the ACME directory in %s: %w: there is no certificate", cfg.CA, kaijutsu.ErrInvalid)
		}
		client.HTTPClient = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, Proxy: http.ProxyFromEnvironment}}
	}
	return &automatic{domains: cfg.Domains, log: log, changed: changed, m: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(cache), Email: cfg.Email, Client: client,
		HostPolicy: autocert.HostWhitelist(cfg.Domains...),
	}}, nil
}

// apply has a listener use the certificates, and answer the challenge TLS-ALPN-01.
func (a *automatic) apply(cfg *tls.Config) {
	cfg.GetCertificate = a.get
	cfg.NextProtos = append(cfg.NextProtos, acme.ALPNProto)
}

// answering has plain HTTP answer the challenge HTTP-01.
func (a *automatic) answering(h http.Handler) http.Handler { return a.m.HTTPHandler(h) }

// get returns the certificate for a connection. A client that names no server,
// or a loopback one, is on this machine: it gets that of the first domain.
func (a *automatic) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if !strings.Contains(hello.ServerName, ".") {
		named := *hello
		named.ServerName = a.domains[0]
		hello = &named
	}
	c, err := a.m.GetCertificate(hello)
	if err != nil {
		a.log.Warn("no TLS certificate for a connection", "name", hello.ServerName, "err", err)
		return nil, err
	}
	challenge := len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acme.ALPNProto
	if len(c.Certificate) > 0 && !challenge {
		a.note(c.Certificate[0])
	}
	return c, nil
}

// note tells of a certificate that is another than the last.
func (a *automatic) note(leaf []byte) {
	parsed, err := x509.ParseCertificate(leaf)
	if err != nil {
		return
	}
	var mark [32]byte
	copy(mark[:], parsed.Signature)
	a.mu.Lock()
	again := mark == a.seen
	a.seen = mark
	a.mu.Unlock()
	if !again {
		a.changed(leaf)
		a.log.Info("TLS certificate", "names", parsed.DNSNames, "until", parsed.NotAfter)
	}
}
