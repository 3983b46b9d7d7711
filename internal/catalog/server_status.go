package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type serverStatusIn struct{}

// Status is what a server holds now.
type Status struct {
	Version       string `json:"version" jsonschema:"Of the server's program."`
	URL           string `json:"url"`
	Kernel        string `json:"kernel" jsonschema:"The kernel's name."`
	Auth          string `json:"auth" jsonschema:"How callers are told apart."`
	StorageID     string `json:"storage_id" jsonschema:"The id by which Automerge peers know its disk."`
	Peers         int    `json:"peers" jsonschema:"Editors connected now."`
	OpenDocuments int    `json:"open_documents"`
	OpenBytes     int64  `json:"open_document_bytes"`
	Opened        int64  `json:"documents_opened" jsonschema:"Since the start."`
	Evicted       int64  `json:"documents_closed" jsonschema:"Since the start."`
	Snapshots     int64  `json:"snapshots_written" jsonschema:"Since the start."`
	Commits       uint64 `json:"commits" jsonschema:"Groups of changes written to disk since the start."`
	Changes       uint64 `json:"changes_stored" jsonschema:"Since the start."`
	DiskBytes     int64  `json:"disk_bytes"`

	Drift DriftStatus `json:"drift"`
	Files MountStatus `json:"files"`
}

func (o *operations) serverStatus() *op.Op {
	return op.Define(op.Spec{
		Name: "server_status", Title: "Show the server's status", Command: []string{"server", "status"},
		Summary:     "Say what the server holds and does now",
		Description: "Counters begin at the start of the server. How it fares with other nodes says node_status.",
		Scope:       op.OnKernel, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("server_status"),
	}, func(ctx context.Context, _ op.Call, _ serverStatusIn) (Status, error) {
		if o.parts.Status == nil {
			return Status{}, fmt.Errorf("nobody tells of the server: %w", kaijutsu.ErrUnavailable)
		}
		return o.parts.Status(ctx), nil
	})
}
