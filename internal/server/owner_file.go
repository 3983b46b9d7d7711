package server

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// makeToken makes the token file, whole and durably or not at all: a start that
// is killed leaves none, or one that is good. It returns the secret that is in
// the file in the end, which may be that of another start at the same moment.
func makeToken(path string, log *slog.Logger) (string, error) {
	raw := make([]byte, 32)
	rand.Read(raw)
	secret := base64.RawURLEncoding.EncodeToString(raw)
	tmp, err := writeToken(path, secret)
	if err != nil {
		return "", fmt.Errorf("make owner token: %w", err)
	}
	defer os.Remove(tmp)
	err = os.Link(tmp, path)
	if _, there := os.Stat(path); there == nil && err != nil {
		return ownerToken(path, log)
	}
	if err != nil { // a file system without links
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return "", fmt.Errorf("make owner token: %w", err)
	}
	syncNames(path)
	return secret, nil
}

// replaceToken puts another secret into the file, whole or not at all.
func replaceToken(path, secret string) error {
	tmp, err := writeToken(path, secret)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("write owner token: %w", err)
	}
	syncNames(path) // the name is there either way; a power cut may bring the former secret back
	return nil
}

// writeToken writes and syncs a file beside path that holds a secret.
func writeToken(path, secret string) (tmp string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new*")
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintln(f, secret)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// removeTokens deletes what starts left beside path that were killed.
func removeTokens(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path)) // they are in nobody's way
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+".new") {
			_ = os.Remove(filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
}

func syncNames(path string) {
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}
