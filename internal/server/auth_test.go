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

// TestOwnerTokenFile: a token that others can read is not used, and one that is
// rotated is in its file, for its owner alone.
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

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "owner.token"), []byte(strings.Repeat("x", 43)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Start(server.Config{Dir: dir, Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}); !errors.Is(err, kaijutsu.ErrDenied) || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("Start with a token that all can read = %v, want ErrDenied and how to mend it", err)
	}
}
