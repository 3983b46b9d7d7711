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
	DiskBytes     int64  `json:"disk_bytes" jsonschema:"What the documents occupy."`
	Started       string `json:"started,omitempty"`

	Storage StorageStatus `json:"storage"`
	Drift   DriftStatus   `json:"drift"`
	Files   MountStatus   `json:"files"`

	Behind      int             `json:"peers_behind,omitempty" jsonschema:"Editors that take what they are sent slower than they should. Owners of the kernel are told."`
	Connections []ConnectionRow `json:"connections,omitempty" jsonschema:"The editors that are worst off, at most 20, the worst first. Owners of the kernel are told."`
}

// StorageStatus is how a server's disk fares.
type StorageStatus struct {
	FreeBytes     int64  `json:"free_bytes,omitempty" jsonschema:"Left on the disk. Absent: nobody knows."`
	Documents     uint64 `json:"documents" jsonschema:"Documents that are stored, those of the server itself among them."`
	Changes       uint64 `json:"changes_bytes" jsonschema:"Bytes of the changes that were stored since the start."`
	Refused       uint64 `json:"refused,omitempty" jsonschema:"Writes that the disk did not take, since the start."`
	WriteMicros   int64  `json:"write_us" jsonschema:"What all waits for the disk took together since the start, in microseconds. There were as many as commits."`
	LongestMicros int64  `json:"longest_write_us" jsonschema:"What the longest of them took."`
	StorageCheck

	Trouble string `json:"trouble,omitempty" jsonschema:"Why edits are refused. Absent: they are not."`
}

// ConnectionRow is an editor that is connected.
type ConnectionRow struct {
	Principal        string `json:"principal"`
	Kind             string `json:"kind"`
	PeerID           string `json:"peer_id" jsonschema:"What its program calls itself."`
	Since            string `json:"since"`
	Documents        int    `json:"documents" jsonschema:"That it has open."`
	DocumentsWaiting int    `json:"documents_waiting,omitempty" jsonschema:"Documents with changes that it has not been sent."`
	MessagesWaiting  int    `json:"messages_waiting,omitempty" jsonschema:"Messages that are ready and not taken, the one that is being written among them."`
	BytesWaiting     int64  `json:"bytes_waiting,omitempty" jsonschema:"The size of those messages."`
	Wrote            string `json:"last_write,omitempty" jsonschema:"When it last took a whole message. Absent: never."`
	Behind           string `json:"behind_since,omitempty" jsonschema:"Since when it takes longer than it should. Absent: it keeps up."`
}

// worstConnections is how many connections are shown.
const worstConnections = 20

func (o *operations) serverStatus() *op.Op {
	return op.Define(op.Spec{
		Name: "server_status", Title: "Show the server's status", Command: []string{"server", "status"},
		Summary:     "Say what the server holds and does now",
		Description: "Counters begin at the start of the server. How it fares with other nodes says node_status.",
		Scope:       op.OnKernel, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("server_status"),
	}, func(ctx context.Context, c op.Call, _ serverStatusIn) (Status, error) {
		if o.parts.Status == nil {
			return Status{}, fmt.Errorf("nobody tells of the server: %w", kaijutsu.ErrUnavailable)
		}
		out := o.parts.Status(ctx)
		if o.parts.Connections != nil && c.Right >= kaijutsu.RightOwn {
			out.Connections, out.Behind = o.parts.Connections(worstConnections)
		}
		return out, nil
	})
}
