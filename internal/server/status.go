package server

import (
	"context"

	"kaijutsu/internal/catalog"
)

// status is what the server holds now.
func (s *Server) status(context.Context) catalog.Status {
	open, disk, peers := s.repo.Stats(), s.store.Stats(), s.peers.Stats()
	return catalog.Status{
		Version: s.cfg.Version, URL: s.URL(), Auth: s.Auth(), StorageID: s.StorageID(),
		Peers: peers.Peers, OpenDocuments: open.Open, OpenBytes: open.Bytes,
		Opened: open.Opened, Evicted: open.Evicted, Snapshots: open.Snapshots,
		Commits: disk.Batches, Changes: disk.Changes, DiskBytes: disk.DiskBytes,
	}
}
