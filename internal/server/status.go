package server

import (
	"context"
	"fmt"
	"maps"
	"time"

	"kaijutsu/internal/catalog"
	"kaijutsu/internal/cluster"
	"kaijutsu/internal/store"
)

// status is what the server holds now.
func (s *Server) status(ctx context.Context) catalog.Status {
	open, disk, peers := s.repo.Stats(), s.store.Stats(), s.peers.Stats()
	return catalog.Status{
		Version: s.cfg.Version, URL: s.URL(), Kernel: s.cfg.Kernel, Auth: s.Auth(), StorageID: s.StorageID(),
		Peers: peers.Peers, OpenDocuments: open.Open, OpenBytes: open.Bytes,
		Opened: open.Opened, Evicted: open.Evicted, Snapshots: open.Snapshots,
		Commits: disk.Batches, Changes: disk.Changes, DiskBytes: disk.DiskBytes,
		Started: timeText(s.began), Storage: storageStatus(disk, storage{s}.Check()),
		Drift: s.driftStatus(), Files: s.mountStatus(ctx),
	}
}

func storageStatus(disk store.Stats, check catalog.StorageCheck) catalog.StorageStatus {
	out := catalog.StorageStatus{
		FreeBytes: disk.FreeBytes, Documents: disk.Documents, Changes: disk.Bytes, Refused: disk.Refused,
		WriteMicros: disk.WriteTime.Microseconds(), LongestMicros: disk.LongestWrite.Microseconds(),
		StorageCheck: check,
	}
	if disk.Trouble != nil {
		out.Trouble = disk.Trouble.Error()
	}
	return out
}

// connections are the editors that are worst off, and how many are behind.
func (s *Server) connections(worst int) ([]catalog.ConnectionRow, int) {
	all, behind := s.peers.Connections(worst)
	rows := make([]catalog.ConnectionRow, 0, len(all))
	for _, c := range all {
		rows = append(rows, catalog.ConnectionRow{
			Principal: c.Principal.Name, Kind: string(c.Principal.Kind), PeerID: c.PeerID, Since: timeText(c.Since), Documents: c.Documents,
			DocumentsWaiting: c.DocumentsWaiting, MessagesWaiting: c.MessagesWaiting, BytesWaiting: c.BytesWaiting,
			Wrote: timeText(c.Wrote), Behind: timeText(c.Behind),
		})
	}
	return rows, behind
}

// node is how this node fares, and what it knows of the others.
func (s *Server) node(ctx context.Context) catalog.NodeStatus {
	c, bus := s.cluster.Status(), s.bus.State()
	out := catalog.NodeStatus{
		Kernel: s.cfg.Kernel,
		NATS: catalog.NATSStatus{
			Embedded: c.Embedded, Connected: bus.Connected, Server: bus.Server, Cluster: bus.Cluster, Since: timeText(bus.Since),
		},
		Nodes:   make([]catalog.NodeRow, 0, len(c.Nodes)),
		Streams: make([]catalog.StreamRow, 0, len(c.Streams)),
		Outbox: catalog.OutboxStatus{
			Changes: c.Outbox.Changes, Bytes: c.Outbox.Bytes, OldestMS: c.Outbox.Oldest.Milliseconds(), Skipped: c.Outbox.Skipped,
		},
		Journal: catalog.JournalRow(c.Journal),
		Traffic: catalog.NodeTraffic{
			Sent: c.Counts.LiveSent, Taken: c.Counts.Taken, Duplicates: c.Counts.Duplicates, Healed: c.Counts.Healed,
			Refused: c.Refused,
		},
		Records: s.records.Stats().Records, Documents: s.kernel.Documents(),
		Drift: s.driftStatus(), Files: s.mountStatus(ctx), Problems: s.problems(c),
	}
	out.Problems = append(out.Problems, s.driftProblems(out.Drift)...)
	out.Problems = append(out.Problems, s.mountProblems()...)
	out.Problems = append(out.Problems, s.diskProblems()...)
	for _, n := range c.Nodes {
		out.Nodes = append(out.Nodes, nodeRow(n))
	}
	if len(out.Nodes) == 0 { // it is alone
		out.Nodes = []catalog.NodeRow{{
			ID: s.StorageID(), Name: s.cfg.NodeName, Self: true, Address: s.URL(), Version: s.cfg.Version, Started: timeText(s.began),
		}}
	}
	out.Nodes[0].Documents = out.Documents
	out.Node = out.Nodes[0]
	for _, st := range c.Streams {
		out.Streams = append(out.Streams, catalog.StreamRow{
			Shard: st.Shard, Received: st.Received, Stored: st.Stored, End: st.End, Lag: st.End - min(st.Stored, st.End), CaughtUp: st.CaughtUp, Resets: st.Resets, Reason: st.Reason,
		})
	}
	if h := c.LastHeal; !h.At.IsZero() {
		out.Healed = &catalog.HealRow{Node: h.Node, At: timeText(h.At), TookMS: h.Took.Milliseconds(), Documents: h.Documents, Changes: h.Changes}
	}
	for node, n := range bus.Refused {
		if out.Traffic.Refused == nil {
			out.Traffic.Refused = make(map[string]int64)
		}
		out.Traffic.Refused = maps.Clone(out.Traffic.Refused)
		out.Traffic.Refused["message of node "+node] += n
	}
	return out
}

// problems are what is wrong with this node and between it and the others.
func (s *Server) problems(c cluster.Status) []string {
	all := append([]string{}, c.Problems...)
	if err := s.store.Trouble(); err != nil {
		all = append(all, fmt.Sprintf("edits are refused: %v", err))
	}
	if n := s.access.Unread(); n > 0 {
		all = append(all, fmt.Sprintf("%d records of who has access cannot be read, and give no right: another node runs a newer release; run that here too (the log names them)", n))
	}
	if n := s.kernel.Unread(); n > 0 {
		all = append(all, fmt.Sprintf("%d contexts are closed, because what is known of them cannot be read: another node runs a newer release; run that here too (the log names them)", n))
	}
	if n := s.records.Stats().Refused; n > 0 {
		all = append(all, fmt.Sprintf("%d operations in the kernel's records are none that a node makes, and are passed over: somebody else writes to this kernel's subjects; see who has credentials for NATS", n))
	}
	return all
}

func nodeRow(n cluster.Node) catalog.NodeRow {
	return catalog.NodeRow{
		ID: n.ID, Name: n.Name, Self: n.Self, Address: n.Addr, Version: n.Version, Started: timeText(n.Started),
		Documents: n.Documents, Outbox: n.Outbox, Lag: n.Lag, Seen: timeText(n.Seen),
	}
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
