package flowbus

import (
	"crypto/tls"
	"fmt"
	"net/url"
	"os"
	"strconv"

	"kaijutsu"
)

const maxNameChars = 64

// name reports whether s can be a token of a subject and of a stream's name.
func name(s string) bool {
	if s == "" || len(s) > maxNameChars {
		return false
	}
	for _, c := range []byte(s) {
		if !letter(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// check refuses what cannot work, before anything is opened.
func (c *Config) check() error {
	if !name(c.Kernel) {
		return fmt.Errorf("kernel name %q: want 1 to %d letters, digits, '-' and '_': %w", c.Kernel, maxNameChars, kaijutsu.ErrInvalid)
	}
	if !name(c.Node) {
		return fmt.Errorf("node id %q: want 1 to %d letters, digits, '-' and '_': %w", c.Node, maxNameChars, kaijutsu.ErrInvalid)
	}
	for _, s := range c.Servers {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" {
			return fmt.Errorf("NATS server %q: want nats://host:port or tls://host:port: %w", s, kaijutsu.ErrInvalid)
		}
		if port := u.Port(); port != "" {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return fmt.Errorf("NATS server %q: port %s is none: want 1 to 65535: %w", u.Redacted(), port, kaijutsu.ErrInvalid)
			}
		}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return fmt.Errorf("NATS server %q: scheme %q is not nats, tls, ws or wss: %w", u.Redacted(), u.Scheme, kaijutsu.ErrInvalid)
		}
	}
	return c.checkFiles()
}

func (c *Config) checkFiles() error {
	if len(c.Servers) == 0 && (c.Credentials != "" || c.CA != "" || c.Cert != "" || c.Key != "") {
		return fmt.Errorf("NATS credentials and certificates are for a cluster, and no server is named: %w", kaijutsu.ErrInvalid)
	}
	if (c.Cert == "") != (c.Key == "") {
		return fmt.Errorf("a NATS certificate needs its key, and a key its certificate: %w", kaijutsu.ErrInvalid)
	}
	for _, f := range []struct{ what, path string }{{"NATS credentials", c.Credentials}, {"NATS authorities", c.CA}} {
		if f.path == "" {
			continue
		}
		if _, err := os.ReadFile(f.path); err != nil {
			return fmt.Errorf("read %s: %w: %v", f.what, kaijutsu.ErrInvalid, err)
		}
	}
	if c.Cert != "" {
		if _, err := tls.LoadX509KeyPair(c.Cert, c.Key); err != nil {
			return fmt.Errorf("read NATS certificate and key: %w: %v", kaijutsu.ErrInvalid, err)
		}
	}
	return nil
}
