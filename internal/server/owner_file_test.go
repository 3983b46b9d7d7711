package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestOwnerTokenIsMadeWhole: whatever a killed start left, the next one has a
// token that is in its file, and nothing else of it lies about.
func TestOwnerTokenIsMadeWhole(t *testing.T) {
	old := strings.Repeat("x", 43)
	tests := []struct {
		name  string
		files map[string]string
		want  string // or any
	}{
		{"first start", nil, ""},
		{"killed after it was made", map[string]string{"owner.token": ""}, ""},
		{"killed while it was written", map[string]string{"owner.token.new1": "abc"}, ""},
		{"killed before the other name went", map[string]string{"owner.token": old, "owner.token.new1": old}, old},
		{"there", map[string]string{"owner.token": old + "\n"}, old},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range test.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, tokenFile)
			for range 2 {
				secret, err := ownerToken(path, slog.New(slog.DiscardHandler))
				if err != nil || len(secret) < 32 || test.want != "" && secret != test.want {
					t.Fatalf("ownerToken = %q, %v, want %q", secret, err, test.want)
				}
				if b, err := os.ReadFile(path); err != nil || strings.TrimSpace(string(b)) != secret {
					t.Errorf("the file holds %q, %v, want %q", b, err, secret)
				}
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
				}
				test.want = secret
			}
			if names, err := filepath.Glob(path + ".*"); err != nil || len(names) > 0 {
				t.Errorf("there are %v, %v, want nothing beside the token", names, err)
			}
		})
	}
}

// TestOwnerTokenIsMadeOnce: starts at the same moment agree about the token.
func TestOwnerTokenIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), tokenFile)
	var wg sync.WaitGroup
	secrets := make([]string, 8)
	for i := range secrets {
		wg.Go(func() {
			var err error
			if secrets[i], err = ownerToken(path, slog.New(slog.DiscardHandler)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, secret := range secrets {
		if secret == "" || secret != secrets[0] {
			t.Fatalf("the starts have %q, want one token", secrets)
		}
	}
}
