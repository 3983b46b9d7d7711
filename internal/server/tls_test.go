package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/server"
)

// certificate writes one for a name, signed by itself, and its key.
func certificate(t *testing.T, dir, name string) (cert, key string, leaf *x509.Certificate) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	if leaf, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(path+".new", pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, leaf
}

// shown returns the certificate that a server shows.
func shown(t *testing.T, s *server.Server) *x509.Certificate {
	t.Helper()
	c, err := tls.Dial("tcp", strings.TrimPrefix(s.URL(), "https://"), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0]
}

// trusting is a client that trusts one certificate and follows no redirect.
func trusting(t *testing.T, leaf *x509.Certificate) *http.Client {
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key, first := certificate(t, dir, "kj.example.org")
	redirect := freePort(t)
	s := start(t, func(c *server.Config) {
		c.Auth, c.TLS = "token", server.TLS{Cert: cert, Key: key, Redirect: redirect}
	})
	if !strings.HasPrefix(s.URL(), "https://") || !strings.HasPrefix(s.SyncURL(), "wss://") {
		t.Fatalf("addresses = %s and %s, want https and wss", s.URL(), s.SyncURL())
	}
	client := trusting(t, first)
	b, err := os.ReadFile(filepath.Join(s.Dir(), "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Post(s.URL()+"/login", "application/json", strings.NewReader(`{"token": "`+strings.TrimSpace(string(b))+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if cookies := resp.Cookies(); len(cookies) != 1 || !cookies[0].Secure || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Errorf("cookies = %v, want one that is Secure, HttpOnly and Strict", cookies)
	}
	if got := resp.Header.Get("Strict-Transport-Security"); got != "max-age=15552000" {
		t.Errorf("Strict-Transport-Security = %q, want half a year", got)
	}
	if c, err := tls.Dial("tcp", strings.TrimPrefix(s.URL(), "https://"), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		c.Close()
		t.Error("it speaks TLS 1.1")
	}

	// Plain HTTP is sent on; a body has travelled in the open already.
	resp, err = client.Get("http://" + redirect + "/docs/x?q=1")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if to := resp.Header.Get("Location"); resp.StatusCode != http.StatusPermanentRedirect || to != s.URL()+"/docs/x?q=1" {
		t.Errorf("plain HTTP = %d to %q, want 308 to %s", resp.StatusCode, to, s.URL())
	}
	if resp, err = client.Post("http://"+redirect+"/v1/ops/whoami", "application/json", strings.NewReader("{}")); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a call over plain HTTP = %d, want 403", resp.StatusCode)
	}

	// The command line finds the certificate, and another takes its place while
	// the server runs.
	if noted := readCertificate(t, filepath.Join(s.Dir(), "server.crt")); !noted.Equal(first) {
		t.Error("server.crt is another certificate")
	}
	_, _, second := certificate(t, dir, "kj.example.org")
	waitUntil(t, "the new certificate", func() bool { return shown(t, s).Equal(second) })
	if noted := readCertificate(t, filepath.Join(s.Dir(), "server.crt")); !noted.Equal(second) {
		t.Error("server.crt is the former certificate")
	}
	// Files that are no pair leave the last good one in use.
	if err := os.WriteFile(key, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if !shown(t, s).Equal(second) {
			t.Error("a broken key file takes the certificate away")
		}
	}
}

func readCertificate(t *testing.T, path string) *x509.Certificate {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(b)
	if block == nil {
		t.Fatalf("%s holds no certificate", path)
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// waitUntil looks until something is so.
func waitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	look, late := time.NewTicker(50*time.Millisecond), time.After(time.Minute)
	defer look.Stop()
	for !is() {
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("%s has not come", what)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func TestTLSRefuses(t *testing.T) {
	dir := t.TempDir()
	cert, key, _ := certificate(t, dir, "kj.example.org")
	other := t.TempDir()
	_, stranger, _ := certificate(t, other, "kj.example.org")
	for name, cfg := range map[string]server.TLS{
		"a certificate without a key":     {Cert: cert},
		"a key without a certificate":     {Key: key},
		"the key of another":              {Cert: cert, Key: stranger},
		"files and ACME":                  {Cert: cert, Key: key, ACME: server.ACME{Domains: []string{"kj.example.org"}}},
		"a redirect to nothing":           {Redirect: "127.0.0.1:0"},
		"ACME for an address":             {ACME: server.ACME{Domains: []string{"192.0.2.1"}}},
		"ACME for a name of one's own":    {ACME: server.ACME{Domains: []string{"localhost"}}},
		"ACME for every name of a domain": {ACME: server.ACME{Domains: []string{"*.example.org"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := server.Start(server.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), TLS: cfg})
			if err == nil {
				_ = s.Close(t.Context())
			}
			if !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("Start = %v, want ErrInvalid", err)
			}
		})
	}
}
