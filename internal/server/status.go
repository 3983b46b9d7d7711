package server

import (
	"context"

	"kaijutsu"
)

type serverStatusIn struct{}

// statusOut is what the server holds now.
type statusOut struct {
	Version       string `json:"version"`
	URL           string `json:"url"`
	Auth          string `json:"auth"`
	StorageID     string `json:"storage_id"`
	Peers         int    `json:"peers"`
	OpenDocuments int    `json:"open_documents"`
	OpenBytes     int64  `json:"open_document_bytes"`
	Opened        int64  `json:"documents_opened"`
	Evicted       int64  `json:"documents_closed"`
	Snapshots     int64  `json:"snapshots_written"`
	Commits       uint64 `json:"commits"`
	Changes       uint64 `json:"changes_stored"`
	DiskBytes     int64  `json:"disk_bytes"`
}

func (s *Server) serverStatus(context.Context, kaijutsu.Principal, serverStatusIn) (statusOut, error) {
	open, disk, peers := s.repo.Stats(), s.store.Stats(), s.peers.Stats()
	return statusOut{
		Version: s.cfg.Version, URL: s.URL(), Auth: s.Auth(), StorageID: s.StorageID(),
		Peers: peers.Peers, OpenDocuments: open.Open, OpenBytes: open.Bytes,
		Opened: open.Opened, Evicted: open.Evicted, Snapshots: open.Snapshots,
		Commits: disk.Batches, Changes: disk.Changes, DiskBytes: disk.DiskBytes,
	}, nil
}
