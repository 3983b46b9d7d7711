package server

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strings"

	"kaijutsu"
)

const (
	authLocal = "local"
	authToken = "token"

	tokenFile = "owner.token"
)

var (
	localPrincipal = kaijutsu.Principal{Name: "local", Kind: kaijutsu.Person}
	ownerPrincipal = kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}
)

// authMode returns the mode to use on an address, refusing to serve strangers
// without tokens.
func authMode(mode, listen string) (string, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("listen address %q: %w: want host:port, such as %s", listen, kaijutsu.ErrInvalid, DefaultListen)
	}
	loopback := isLoopback(host)
	switch {
	case mode == "" && loopback:
		return authLocal, nil
	case mode == "":
		return authToken, nil
	case mode != authLocal && mode != authToken:
		return "", fmt.Errorf("auth mode %q: %w: want local or token", mode, kaijutsu.ErrInvalid)
	case mode == authLocal && !loopback:
		return "", fmt.Errorf("auth mode local on %s: %w: beyond loopback every connection needs a token; use --auth token", listen, kaijutsu.ErrInvalid)
	}
	return mode, nil
}

// checkBound refuses to serve without tokens where a name that should be this
// machine's own led somewhere else.
func checkBound(mode string, at net.Addr) error {
	if tcp, ok := at.(*net.TCPAddr); mode == authLocal && ok && !tcp.IP.IsLoopback() {
		return fmt.Errorf("auth mode local on %s: %w: that is beyond loopback, where every connection needs a token; use --auth token", at, kaijutsu.ErrInvalid)
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// ownerToken reads the token file, making it at the first start. The file is
// for its owner alone: where others may read it, it is closed to them, which is
// said, since one of them may have.
func ownerToken(path string, log *slog.Logger) (string, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeToken(path, log)
	}
	if err != nil {
		return "", fmt.Errorf("read owner token: %w", err)
	}
	removeTokens(path)
	if len(b) == 0 { // of a start that was killed; there was never a token in it
		if err := os.Remove(path); err != nil {
			return "", fmt.Errorf("make owner token: %w", err)
		}
		return makeToken(path, log)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read owner token: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return "", fmt.Errorf("owner token %s is open to others (mode %#o), and cannot be closed to them: %w: %w: run chmod 600 on it, or delete it for a new one", path, mode, err, kaijutsu.ErrDenied)
		}
		log.Warn("owner token was open to others, and is not any more", "path", path, "mode", fmt.Sprintf("%#o", mode), "hint", "kj token rotate owner makes another, should somebody have read it")
	}
	token := strings.TrimSpace(string(b))
	if len(token) < 32 {
		return "", fmt.Errorf("owner token %s is too short: %w: delete it for a new one", path, kaijutsu.ErrInvalid)
	}
	return token, nil
}
