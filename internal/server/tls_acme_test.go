package server_test

import (
	"crypto/tls"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu/internal/server"
)

// TestACME gets a certificate from Pebble, the test server of Let's Encrypt: it
// runs when KJ_PEBBLE names its program.
func TestACME(t *testing.T) {
	program := os.Getenv("KJ_PEBBLE")
	if program == "" {
		t.Skip("KJ_PEBBLE does not name the program pebble: go install github.com/letsencrypt/pebble/v2/cmd/pebble@latest")
	}
	dir := t.TempDir()
	cert, key, _ := certificate(t, dir, "localhost")
	listen := freePort(t)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": freePort(t), "certificate": cert, "privateKey": key, "httpPort": 5002, "tlsPort": 5001,
		"profiles": map[string]any{"default": map[string]any{"description": "for tests", "validityPeriod": 7776000}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	pebble := exec.Command(program, "-config", path)
	pebble.Env = append(os.Environ(), "PEBBLE_VA_ALWAYS_VALID=1", "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=20")
	if err := pebble.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = pebble.Process.Kill()
		_ = pebble.Wait()
	})
	waitUntil(t, "Pebble", func() bool {
		c, err := tls.Dial("tcp", listen, &tls.Config{InsecureSkipVerify: true})
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	data := t.TempDir()
	serve := func(c *server.Config) {
		c.Dir, c.Auth = data, "token"
		c.TLS = server.TLS{ACME: server.ACME{Domains: []string{"kj.example.org"}, Directory: "https://127.0.0.1:" + listen[strings.LastIndexByte(listen, ':')+1:] + "/dir", CA: cert}}
	}
	s := start(t, serve)
	got := shown(t, s) // by an address, as from this machine
	if len(got.DNSNames) != 1 || got.DNSNames[0] != "kj.example.org" || !strings.Contains(got.Issuer.CommonName, "Pebble") {
		t.Errorf("certificate for %v by %s, want one for kj.example.org by Pebble", got.DNSNames, got.Issuer.CommonName)
	}
	if c, err := tls.Dial("tcp", strings.TrimPrefix(s.URL(), "https://"), &tls.Config{InsecureSkipVerify: true, ServerName: "other.example.org"}); err == nil {
		c.Close()
		t.Error("it shows a certificate for a name that is not its own")
	}
	if noted := readCertificate(t, filepath.Join(data, "server.crt")); !noted.Equal(got) {
		t.Error("server.crt is another certificate")
	}
}
