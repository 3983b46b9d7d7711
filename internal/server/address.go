package server

import (
	"fmt"
	"os"
	"path/filepath"
)

// addressFile tells the command line where the running server listens.
const addressFile = "server.url"

func (s *Server) writeAddress() error {
	path := filepath.Join(s.cfg.Dir, addressFile)
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(s.URL()+"\n"), 0o600); err != nil {
		return fmt.Errorf("write server address: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("write server address: %w", err)
	}
	return nil
}
