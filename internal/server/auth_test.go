package server_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/server"
)

// TestBeyondLoopbackWithoutTokens: whatever an address beyond this machine
// looks like, it is not served to those without tokens.
func TestBeyondLoopbackWithoutTokens(t *testing.T) {
	for _, listen := range []string{
		"0.0.0.0:0", ":0", "[::]:0", "[::ffff:0.0.0.0]:0", "192.0.2.1:0", "[2001:db8::1]:0", "[fe80::1%lo]:0",
		"kj.example.org:0", "localhost.example.org:0", "127.0.0.1.example.org:0", "0:0", "2130706433:0", "unix:/run/kj.sock", "/run/kj.sock", "127.0.0.1",
	} {
		t.Run(listen, func(t *testing.T) {
			s, err := server.Start(server.Config{Dir: t.TempDir(), Listen: listen, Auth: "local", Log: slog.New(slog.DiscardHandler)})
			if err == nil {
				_ = s.Close(context.Background())
				t.Fatalf("serves on %s without tokens", s.URL())
			}
			if !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("error = %v, want ErrInvalid", err)
			}
		})
	}
}

func TestModeOfAnAddress(t *testing.T) {
	for listen, want := range map[string]string{"127.0.0.1:0": "local", "127.0.0.2:0": "local", "localhost:0": "local", "0.0.0.0:0": "token", ":0": "token"} {
		s := start(t, func(c *server.Config) { c.Listen = listen })
		if got := s.Auth(); got != want {
			t.Errorf("mode on %s = %s, want %s", listen, got, want)
		}
	}
}

// TestOwnerTokenFile: a token that is rotated is in its file, for its owner alone.
func TestOwnerTokenFile(t *testing.T) {
	g := startGuarded(t, nil)
	path := filepath.Join(g.Dir(), "owner.token")
	secret := g.do("token_rotate", `{"token": "owner", "grace": "1h"}`)["token"].(string)
	b, err := os.ReadFile(path)
	if err != nil || strings.TrimSpace(string(b)) != secret {
		t.Errorf("owner.token = %q, %v, want the new one", b, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("owner.token = %v, %v, want mode 0600", info.Mode(), err)
	}
	for _, token := range []string{g.owner, secret} {
		if code, out := g.try(token, "whoami", `{}`); code != 200 || out["principal"] != "owner" {
			t.Errorf("whoami within the grace = %d %v, want owner", code, out)
		}
	}
	if code, out := g.try(g.token("amy", "editor"), "token_rotate", `{"token": "owner"}`); kindOf(code, out) != "denied" {
		t.Errorf("token_rotate of the owner's by an editor = %d %v, want denied", code, out)
	}
}

// TestOwnerTokenIsClosedToOthers: a token that others may read is closed to them
// by the start, which says so but not what it is, and is good as before.
func TestOwnerTokenIsClosedToOthers(t *testing.T) {
	dir, secret := t.TempDir(), strings.Repeat("x", 43)
	path := filepath.Join(dir, "owner.token")
	if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o664); err != nil {
		t.Fatal(err)
	}
	var log logbook
	s := start(t, func(c *server.Config) {
		c.Dir, c.Auth, c.Log = dir, "token", slog.New(slog.NewTextHandler(&log, nil))
	})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("owner.token = %v, %v, want mode 0600", info.Mode(), err)
	}
	if got := log.String(); !strings.Contains(got, "owner token was open to others") || !strings.Contains(got, "0664") || strings.Contains(got, secret) {
		t.Errorf("the log = %s, want that it was open, and not the token", got)
	}
	if code, body := request(t, "POST", s.URL()+"/v1/ops/whoami", "{}", map[string]string{"Authorization": "Bearer " + secret}); code != 200 {
		t.Errorf("whoami with it = %d %s, want 200", code, body)
	}
}
