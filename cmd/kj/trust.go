package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// trust has every request of the process take two more certificates than the
// system does: those of authorities in the file of --ca or $KJ_CA, and, of a
// server on this machine, the very one that it left in its data directory,
// whatever name that is for.
func (c *connection) trust() {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.ca == "" {
		c.ca = os.Getenv("KJ_CA")
	}
	if c.ca != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if b, err := os.ReadFile(c.ca); err != nil || !pool.AppendCertsFromPEM(b) {
			fmt.Fprintf(os.Stderr, "kj: --ca %s: no certificate can be read from it; going on without\n", c.ca)
		}
		cfg.RootCAs = pool
	}
	if own := filepath.Join(c.data, "server.crt"); c.onThisMachine() && exists(own) {
		roots := cfg.RootCAs
		cfg.InsecureSkipVerify = true // VerifyConnection does it
		cfg.VerifyConnection = func(cs tls.ConnectionState) error { return verify(cs, roots, own) }
	}
	t.TLSClientConfig = cfg
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// verify accepts a server whose certificate is the one in a file, or valid.
func verify(cs tls.ConnectionState, roots *x509.CertPool, own string) error {
	if len(cs.PeerCertificates) == 0 {
		return errors.New("the server shows no certificate")
	}
	leaf := cs.PeerCertificates[0]
	if b, err := os.ReadFile(own); err == nil {
		if block, _ := pem.Decode(b); block != nil && bytes.Equal(block.Bytes, leaf.Raw) {
			return nil
		}
	}
	opts := x509.VerifyOptions{Roots: roots, DNSName: cs.ServerName, Intermediates: x509.NewCertPool()}
	for _, c := range cs.PeerCertificates[1:] {
		opts.Intermediates.AddCert(c)
	}
	_, err := leaf.Verify(opts)
	return err
}
