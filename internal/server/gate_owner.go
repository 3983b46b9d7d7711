package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"log/slog"
	"sync"
	"time"
)

// ownerTokenID names the owner's token in calls and in the audit log.
const ownerTokenID = "owner"

// ownerKey is the owner's token, in its file. It is safe for concurrent use.
type ownerKey struct {
	path string

	rotating sync.Mutex // one at a time; held over I/O
	mu       sync.Mutex
	hash     [sha256.Size]byte // guarded by mu
	former   [sha256.Size]byte // guarded by mu; good until then
	until    time.Time         // guarded by mu
	watches  map[*ownerWatch]struct{}
}

// ownerWatch is somebody who wants to know when the secret ends that they came
// with.
type ownerWatch struct {
	hash  [sha256.Size]byte
	once  sync.Once
	f     func()
	timer *time.Timer // guarded by ownerKey.mu
}

func (w *ownerWatch) end() { w.once.Do(w.f) }

// openOwnerKey reads the token's file, making it at the first start.
func openOwnerKey(path string, log *slog.Logger) (*ownerKey, error) {
	secret, err := ownerToken(path, log)
	if err != nil {
		return nil, err
	}
	return &ownerKey{path: path, hash: sha256.Sum256([]byte(secret)), watches: make(map[*ownerWatch]struct{})}, nil
}

// is reports whether a secret is the owner's, and returns its hash. It takes
// the same time however near a guess is.
func (k *ownerKey) is(secret string) (hash [sha256.Size]byte, ok bool) {
	hash = sha256.Sum256([]byte(secret))
	k.mu.Lock()
	defer k.mu.Unlock()
	return hash, k.goodLocked(hash)
}

func (k *ownerKey) goodLocked(hash [sha256.Size]byte) bool {
	now := subtle.ConstantTimeCompare(hash[:], k.hash[:])
	before := subtle.ConstantTimeCompare(hash[:], k.former[:])
	return now == 1 || before == 1 && time.Now().Before(k.until)
}

// watch calls f, once, when the secret of this hash ends; at once when it is no
// more. f must return at once.
func (k *ownerKey) watch(hash [sha256.Size]byte, f func()) (stop func()) {
	w := &ownerWatch{hash: hash, f: f}
	k.mu.Lock()
	if !k.goodLocked(hash) {
		k.mu.Unlock()
		w.end()
		return func() {}
	}
	if hash != k.hash {
		w.timer = time.AfterFunc(time.Until(k.until), w.end)
	}
	k.watches[w] = struct{}{}
	k.mu.Unlock()
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.watches, w)
		if w.timer != nil {
			w.timer.Stop()
		}
	}
}

// rotate puts a new secret into the file and returns it. The former one is good
// for grace, on disk for nobody: it ends with the server too.
func (k *ownerKey) rotate(grace time.Duration) (string, error) {
	k.rotating.Lock()
	defer k.rotating.Unlock()
	raw := make([]byte, 32)
	rand.Read(raw)
	secret := base64.RawURLEncoding.EncodeToString(raw)
	if err := replaceToken(k.path, secret); err != nil {
		return "", err
	}
	var ended []func()
	k.mu.Lock()
	k.former, k.hash, k.until = k.hash, sha256.Sum256([]byte(secret)), time.Now().Add(grace)
	for w := range k.watches {
		switch {
		case w.hash == k.former && grace > 0:
			w.timer = time.AfterFunc(grace, w.end)
		case w.hash != k.hash:
			ended = append(ended, w.end)
		}
	}
	k.mu.Unlock()
	for _, f := range ended {
		f()
	}
	return secret, nil
}

// rotateOwner gives the owner's token another secret.
func (s *Server) rotateOwner(grace time.Duration) (string, error) { return s.gate.owner.rotate(grace) }
