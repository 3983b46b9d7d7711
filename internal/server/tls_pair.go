package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"kaijutsu"
)

// pairEvery is how often files are looked at, when somebody connects.
const pairEvery = time.Second

// pair is a certificate in files, read again when they change. It is safe for
// concurrent use.
type pair struct {
	cert, key string
	log       *slog.Logger
	changed   func(leaf []byte)

	mu     sync.Mutex
	now    *tls.Certificate // guarded by mu
	stamp  [2]fileStamp     // guarded by mu; of the files that were read last
	looked time.Time        // guarded by mu
}

// fileStamp says which state of a file was read.
type fileStamp struct {
	size int64
	at   time.Time
}

// load reads the files. The error wraps kaijutsu.ErrInvalid when they are no
// pair.
func (p *pair) load() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	stamp, err := p.stamps()
	if err == nil {
		err = p.loadLocked(stamp)
	}
	return err
}

func (p *pair) loadLocked(stamp [2]fileStamp) error {
	p.looked, p.stamp = time.Now(), stamp
	next, err := tls.LoadX509KeyPair(p.cert, p.key)
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("read the TLS certificate: %w", err)
	}
	if err != nil {
		return fmt.Errorf("read the TLS certificate of %s and %s: %w: %w", p.cert, p.key, err, kaijutsu.ErrInvalid)
	}
	if err := checkDates(next.Leaf.NotBefore, next.Leaf.NotAfter, time.Now()); err != nil {
		p.log.Warn("the TLS certificate is out of its time: clients will refuse it", "file", p.cert, "err", err)
	}
	p.now = &next
	p.changed(next.Certificate[0])
	return nil
}

func checkDates(from, to, now time.Time) error {
	switch {
	case now.Before(from):
		return fmt.Errorf("it begins at %s", from.UTC().Format(time.RFC3339))
	case now.After(to):
		return fmt.Errorf("it ended at %s", to.UTC().Format(time.RFC3339))
	}
	return nil
}

// stamps looks at the files.
func (p *pair) stamps() (out [2]fileStamp, err error) {
	for i, name := range []string{p.cert, p.key} {
		info, err := os.Stat(name)
		if err != nil {
			return out, fmt.Errorf("read the TLS certificate: %w", err)
		}
		out[i] = fileStamp{info.Size(), info.ModTime()}
	}
	return out, nil
}

// get returns the certificate for a connection. Files that changed and are no
// pair, as in the midst of being replaced, leave the former one in use.
func (p *pair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) < pairEvery {
		return p.now, nil
	}
	p.looked = time.Now()
	stamp, err := p.stamps()
	if err == nil && stamp == p.stamp {
		return p.now, nil
	}
	if err == nil {
		err = p.loadLocked(stamp)
	}
	if err != nil {
		p.log.Warn("the TLS certificate changed and cannot be read: the former one stays", "err", err)
	} else {
		p.log.Info("TLS certificate read again", "file", p.cert, "until", p.now.Leaf.NotAfter)
	}
	return p.now, nil
}
