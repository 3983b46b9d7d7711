package flowbus_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"kaijutsu/flowbus"
)

// pki is an authority and a certificate of it for 127.0.0.1, as PEM files.
type pki struct{ ca, cert, key string }

func newPKI(t *testing.T) pki {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	issue := func(name string, ca *x509.Certificate, caKey *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		c := &x509.Certificate{
			SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: ca == nil, BasicConstraintsValid: true,
			KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		}
		if ca == nil {
			ca, caKey = c, key
		}
		der, err := x509.CreateCertificate(rand.Reader, c, ca, &key.PublicKey, caKey)
		if err != nil {
			t.Fatal(err)
		}
		return der, key
	}
	caDER, caKey := issue("authority", nil, nil)
	ca, err := x509.ParseCertificate(caDER)
	if err != nil {
		t.Fatal(err)
	}
	der, key := issue("server", ca, caKey)
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pki{write("ca.pem", "CERTIFICATE", caDER), write("cert.pem", "CERTIFICATE", der), write("key.pem", "EC PRIVATE KEY", keyDER)}
}

func TestTLSWithCertificates(t *testing.T) {
	p := newPKI(t)
	pair, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	data, err := os.ReadFile(p.ca)
	if err != nil || !pool.AppendCertsFromPEM(data) {
		t.Fatal(err)
	}
	opts := serverOptions()
	opts.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	s := startNATS(t, opts)
	for _, c := range []struct {
		name string
		cfg  flowbus.Config
		want bool
	}{
		{"authority and certificate", flowbus.Config{CA: p.ca, Cert: p.cert, Key: p.key}, true},
		{"no certificate", flowbus.Config{CA: p.ca}, false},
		{"an authority that is not trusted", flowbus.Config{Cert: p.cert, Key: p.key}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.Log, c.cfg.Kernel, c.cfg.Node = slog.New(slog.DiscardHandler), "test", "n1"
			c.cfg.Servers = []string{strings.Replace(s.ClientURL(), "nats://", "tls://", 1)}
			b, err := flowbus.Open(t.Context(), c.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if got := b.State(); got.Connected != c.want || (len(got.Problems) > 0) == c.want {
				t.Errorf("connected %v, problems %q; want %v", got.Connected, got.Problems, c.want)
			}
			if !c.want {
				return
			}
			if _, err := b.Put(t.Context(), "k", nil, 0); err != nil {
				t.Error(err)
			}
		})
	}
}

// credentials writes the file of a user of the account.
func credentials(t *testing.T, account nkeys.KeyPair, publish ...string) string {
	t.Helper()
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := user.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.NewUserClaims(public)
	claims.Permissions.Pub.Allow = publish
	token, err := claims.Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	file, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "user.creds")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCredentials(t *testing.T) {
	operator, _ := nkeys.CreateOperator()
	account, _ := nkeys.CreateAccount()
	stranger, _ := nkeys.CreateAccount()
	operatorKey, _ := operator.PublicKey()
	accountKey, err := account.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.NewAccountClaims(accountKey).Encode(operator)
	if err != nil {
		t.Fatal(err)
	}
	resolver := &server.MemAccResolver{}
	if err := resolver.Store(accountKey, token); err != nil {
		t.Fatal(err)
	}
	opts := serverOptions()
	opts.TrustedKeys, opts.AccountResolver = []string{operatorKey}, resolver
	opts.Host, opts.Port, opts.NoSigs, opts.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	s := &natsServer{t: t, opts: opts}
	s.start()
	defer s.stop()
	for _, c := range []struct {
		name, file, problem string
		connects            bool
	}{
		{"a user of the account", credentials(t, account), "", true},
		{"a stranger", credentials(t, stranger), "NATS refuses this node", false},
		{"nobody", "", "NATS refuses this node", false},
		{"a user who may not publish there", credentials(t, account, "elsewhere"), "does not let this node use a subject", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := flowbus.Open(t.Context(), flowbus.Config{
				Log: slog.New(slog.DiscardHandler), Kernel: "test", Node: "n1", Servers: []string{s.ClientURL()}, Credentials: c.file,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if b.State().Connected != c.connects {
				t.Fatalf("connected %v, want %v", b.State().Connected, c.connects)
			}
			b.Publish("ctx.a", nil)
			until(t, "the problem is told", func() bool {
				return strings.Contains(strings.Join(b.State().Problems, "\n"), c.problem)
			})
		})
	}
}

func TestTwoNodesOfOneName(t *testing.T) {
	s := startNATS(t, serverOptions())
	a := openBus(t, "same", s.ClientURL())
	a.Settled()
	got := make(chan flowbus.Message, 1)
	if _, err := a.Subscribe("ctx.>", func(m flowbus.Message) { got <- m }, func(int) {}); err != nil {
		t.Fatal(err)
	}
	twin := openBus(t, "same", s.ClientURL())
	until(t, "the problem is told", func() bool {
		twin.Publish("ctx.a", nil)
		return strings.Contains(strings.Join(a.State().Problems, "\n"), "another server uses this node's id")
	})
	if len(got) > 0 {
		t.Errorf("took %+v of the twin", <-got)
	}
}

// TestOwnRecords reads what the node itself has put into the feed.
func TestOwnRecords(t *testing.T) {
	s := startNATS(t, serverOptions())
	a := openBus(t, "same", s.ClientURL())
	r := consume(t, a, 3, flowbus.Cursor{}) // makes the stream
	a.Settled()
	appendAll(t, a, 3, "own", 0, 1)
	r.upTo("own0")
	if got := a.State().Problems; len(got) > 0 {
		t.Errorf("problems %q after an own record was read, want none", got)
	}
}
