package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type nodeStatusIn struct{}

// NodeStatus is how a node fares, and what it knows of the others.
type NodeStatus struct {
	Kernel    string       `json:"kernel" jsonschema:"The kernel's name."`
	Node      NodeRow      `json:"node" jsonschema:"The one that answers."`
	NATS      NATSStatus   `json:"nats"`
	Nodes     []NodeRow    `json:"nodes" jsonschema:"Those that live, the one that answers first."`
	Streams   []StreamRow  `json:"streams" jsonschema:"How far this node has read what the others send, by shard. Empty when it is alone."`
	Outbox    OutboxStatus `json:"outbox"`
	Journal   JournalRow   `json:"journal"`
	Traffic   NodeTraffic  `json:"traffic"`
	Healed    *HealRow     `json:"last_healed,omitempty" jsonschema:"The last time that comparing brought what had been missed."`
	Records   int          `json:"records" jsonschema:"What all nodes know of tokens, roles and contexts."`
	Documents int          `json:"documents" jsonschema:"Documents that this node holds."`
	Seats     int          `json:"seats" jsonschema:"Who is there, on every node, as far as the caller may know."`
	Drift     DriftStatus  `json:"drift"`
	Files     MountStatus  `json:"files"`
	Problems  []string     `json:"problems" jsonschema:"What is wrong, and how to mend it. Empty: nothing is."`
}

// NodeRow is a node.
type NodeRow struct {
	ID        string `json:"id" jsonschema:"The storage id of its disk."`
	Name      string `json:"name,omitempty" jsonschema:"What people call it."`
	Self      bool   `json:"self,omitempty" jsonschema:"It is the one that answers."`
	Address   string `json:"address,omitempty" jsonschema:"Where it can be reached, as it says."`
	Version   string `json:"version,omitempty" jsonschema:"Of its program."`
	Started   string `json:"started,omitempty"`
	Documents int    `json:"documents" jsonschema:"How many it holds."`
	Outbox    int    `json:"outbox" jsonschema:"How many of its changes wait to be sent."`
	Lag       int    `json:"lag" jsonschema:"How many batches of others it has read and not stored yet."`
	Seen      string `json:"seen,omitempty" jsonschema:"When it last said so."`
}

// NATSStatus is how a node fares with NATS.
type NATSStatus struct {
	Embedded  bool   `json:"embedded,omitempty" jsonschema:"It runs inside the server: the node is alone."`
	Connected bool   `json:"connected"`
	Server    string `json:"server,omitempty" jsonschema:"The one it talks to, or talked to last."`
	Cluster   string `json:"cluster,omitempty"`
	Since     string `json:"since,omitempty" jsonschema:"When it was connected, or lost."`
}

// StreamRow is one shard of what nodes send each other.
type StreamRow struct {
	Shard    int    `json:"shard"`
	Received uint64 `json:"received" jsonschema:"The last batch that was read."`
	Stored   uint64 `json:"stored" jsonschema:"The last one that is on disk, with all before it."`
	End      uint64 `json:"end" jsonschema:"The last one that there is."`
	Lag      uint64 `json:"lag" jsonschema:"How many there are that are not on disk here."`
	CaughtUp bool   `json:"caught_up" jsonschema:"All that there are have been read."`
	Resets   int    `json:"resets,omitempty" jsonschema:"How often it was read from its beginning again."`
	Reason   string `json:"reset_reason,omitempty"`
}

// OutboxStatus is what waits to be sent.
type OutboxStatus struct {
	Changes  int   `json:"changes"`
	Bytes    int64 `json:"bytes"`
	OldestMS int64 `json:"oldest_ms" jsonschema:"How long the oldest has waited, in milliseconds."`
	Skipped  int64 `json:"skipped,omitempty" jsonschema:"Batches that will not be sent: the other nodes get them by comparing."`
}

// JournalRow is the list of what was committed.
type JournalRow struct {
	First   uint64 `json:"first"`
	Last    uint64 `json:"last"`
	Relayed uint64 `json:"relayed" jsonschema:"Up to here everything has been sent."`
}

// NodeTraffic counts changes since the start.
type NodeTraffic struct {
	Sent       int64            `json:"sent" jsonschema:"Sent at once to nodes that listen."`
	Taken      int64            `json:"taken" jsonschema:"Of other nodes, put on disk."`
	Duplicates int64            `json:"duplicates" jsonschema:"Of other nodes, that were here already."`
	Healed     int64            `json:"healed" jsonschema:"Got by comparing."`
	Refused    map[string]int64 `json:"refused,omitempty" jsonschema:"Messages and changes that were not taken, by reason."`
}

// HealRow is what comparing brought.
type HealRow struct {
	Node      string `json:"node"`
	At        string `json:"at"`
	TookMS    int64  `json:"took_ms"`
	Documents int    `json:"documents"`
	Changes   int64  `json:"changes"`
}

func (o *operations) nodeStatus() *op.Op {
	return define(o, op.Spec{
		Name: "node_status", Title: "Show the node's status", Command: []string{"node", "status"},
		Summary:     "Say how this node fares, what it knows of the others, and what is wrong",
		Description: "Every node answers for itself. `problems` is in plain words; when it is empty, nothing needs to be done. kj status shows it as a table.",
		Scope:       op.OnKernel, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("node_status"),
	}, func(ctx context.Context, c op.Call, _ nodeStatusIn) (NodeStatus, error) {
		out, err := o.node(ctx)
		if err == nil {
			out.Seats = len(o.parts.Kernel.Seats(c, kaijutsu.DocumentID{}))
		}
		return out, err
	})
}

// node asks the server how its node fares.
func (o *operations) node(ctx context.Context) (NodeStatus, error) {
	if o.parts.Node == nil {
		return NodeStatus{}, fmt.Errorf("nobody tells of the node: %w", kaijutsu.ErrUnavailable)
	}
	return o.parts.Node(ctx), nil
}
