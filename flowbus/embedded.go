package flowbus

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"kaijutsu"
)

// embeddedMemory is the most that the server inside the process keeps: the
// bucket and its limits twice over.
const embeddedMemory = 2 * bucketBytes

// embed starts a NATS server inside the process. It opens no port, handles no
// signals and stores in memory only; JetStream wants a directory all the same,
// to which it writes nothing that is needed later.
func (b *Bus) embed() error {
	dir, err := b.scratch()
	if err != nil {
		return err
	}
	b.clean = func() { os.RemoveAll(dir) }
	s, err := server.NewServer(&server.Options{
		ServerName:             b.cfg.Node,
		DontListen:             true,
		NoSigs:                 true,
		NoLog:                  true,
		JetStream:              true,
		DisableJetStreamBanner: true,
		JetStreamMaxMemory:     embeddedMemory,
		JetStreamMaxStore:      1 << 20,
		StoreDir:               dir,
	})
	if err != nil {
		return fmt.Errorf("start NATS in the process: %w", err)
	}
	b.server = s
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		return fmt.Errorf("start NATS in the process: not ready after 10 s: %w", kaijutsu.ErrUnavailable)
	}
	return nil
}

func (b *Bus) scratch() (string, error) {
	if b.cfg.Dir == "" {
		dir, err := os.MkdirTemp("", "kaijutsu-nats-")
		if err != nil {
			return "", fmt.Errorf("make a scratch directory for NATS: %w", err)
		}
		return dir, nil
	}
	// What a killed process left is of no use.
	dir := filepath.Join(b.cfg.Dir, "nats-scratch")
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("clear the scratch directory of NATS: %w", err)
	}
	return dir, nil
}
