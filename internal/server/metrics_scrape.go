package server

import (
	"runtime"
	"strconv"

	"kaijutsu/internal/cluster"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/store"
	"kaijutsu/internal/telemetry"
)

// scrape tells the numbers that other parts keep. None of them has more labels
// than are written here, but for reasons, of which each part has a fixed few.
func (s *Server) scrape(m *telemetry.Scrape) {
	m.Gauge("kaijutsu_build_info", "1, with what runs.", 1, "version", s.cfg.Version, "go", runtime.Version())
	now := s.readiness()
	m.Gauge("kaijutsu_ready", "1 when edits are taken.", oneIf(now.ok()))
	m.Gauge("kaijutsu_start_seconds", "From the start of the server to its serving.", s.progress.readyAfter().Seconds())
	for _, st := range now.stages {
		m.Gauge("kaijutsu_start_stage_seconds", "How long each stage of the start took.", st.took.Seconds(), "stage", st.name)
	}
	s.scrapePeers(m, s.peers.Stats())
	disk := s.store.Stats()
	s.scrapeStore(m, disk)
	s.scrapeHealth(m, disk)
	s.scrapeMishaps(m)
	s.scrapeLimits(m)
	s.scrapeDocuments(m)
	s.scrapeDrift(m)
	s.scrapeCluster(m, s.cluster.Status())
}

func (s *Server) scrapePeers(m *telemetry.Scrape, p peer.Stats) {
	m.Gauge("kaijutsu_connections", "Connections of editors, joined or not.", float64(p.Connections))
	m.Gauge("kaijutsu_editors", "Editors that have joined.", float64(p.Peers))
	m.Counter("kaijutsu_messages_received_total", "Messages of editors.", float64(p.FramesIn))
	m.Counter("kaijutsu_messages_sent_total", "Messages to editors.", float64(p.FramesOut))
	for _, r := range []struct {
		reason string
		n      int64
	}{
		{"invalid_message", p.BadMessages}, {"ignored_message", p.Ignored}, {"document", p.Refused}, {"change", p.Denied},
		{"connection_replaced", p.Replaced}, {"connection_silent", p.TimedOut}, {"node_message", p.RelayedBad}, {"ephemeral", p.EphemeralsDropped},
	} {
		m.Counter("kaijutsu_refused_total", "What was not taken of editors, by what it was.", float64(r.n), "reason", r.reason)
	}
}

func (s *Server) scrapeStore(m *telemetry.Scrape, d store.Stats) {
	m.Gauge("kaijutsu_store_writable", "1 when the store takes writes.", oneIf(d.Trouble == nil))
	m.Counter("kaijutsu_store_writes_total", "Writes made durable.", float64(d.Commits))
	m.Counter("kaijutsu_store_commits_total", "Transactions, each with one wait for the disk.", float64(d.Batches))
	within := make([]float64, len(store.WriteBounds))
	for i, b := range store.WriteBounds {
		within[i] = b.Seconds()
	}
	m.Histogram("kaijutsu_store_commit_duration_seconds", "How long transactions took on disk.", within, d.WriteTimes[:], d.WriteTime.Seconds())
	m.Gauge("kaijutsu_store_commit_longest_seconds", "What the longest of them took.", d.LongestWrite.Seconds())
	m.Counter("kaijutsu_store_changes_total", "Changes in them.", float64(d.Changes))
	m.Counter("kaijutsu_store_change_bytes_total", "Bytes of those changes.", float64(d.Bytes))
	m.Counter("kaijutsu_store_snapshots_total", "Snapshots written.", float64(d.Snapshots))
	m.Counter("kaijutsu_store_refused_total", "Parts of writes that found the disk full or failing.", float64(d.Refused))
	m.Counter("kaijutsu_store_failures_total", "Writes and waits for the disk that failed.", float64(d.Failures))
	m.Counter("kaijutsu_store_reopened_total", "How often the database was opened again after a failure.", float64(d.Reopened))
	m.Gauge("kaijutsu_store_documents", "Documents stored.", float64(d.Documents))
	m.Gauge("kaijutsu_store_outbox_entries", "Entries of the journal.", float64(d.Outbox))
	m.Gauge("kaijutsu_store_disk_bytes", "What the store occupies.", float64(d.DiskBytes))
	m.Gauge("kaijutsu_store_free_bytes", "What is left on the disk.", float64(d.FreeBytes))
	bounds := make([]float64, len(d.BatchSizes)-1)
	for i := range bounds {
		bounds[i] = float64(uint64(2)<<i) - 1
	}
	m.Histogram("kaijutsu_store_commit_writes", "Writes that shared one transaction.", bounds, d.BatchSizes[:], float64(d.Commits))
}

// scrapeHealth tells what of the store is damaged, and what was done about it.
func (s *Server) scrapeHealth(m *telemetry.Scrape, d store.Stats) {
	m.Gauge("kaijutsu_store_ballast_bytes", "Size of the ballast file.", float64(d.BallastBytes))
	m.Gauge("kaijutsu_store_ballast_wanted_bytes", "What it is to be.", float64(d.BallastWant))
	m.Counter("kaijutsu_store_ballast_given_total", "How often the ballast was given back to a full disk.", float64(d.BallastGiven))
	m.Gauge("kaijutsu_documents_damaged", "Documents found damaged and not mended yet.", float64(d.Damaged))
	m.Counter("kaijutsu_documents_set_aside_total", "Damaged documents set aside.", float64(d.SetAside))
	m.Counter("kaijutsu_store_tables_repaired_total", "Damaged tables repaired.", float64(d.Repaired))
	m.Gauge("kaijutsu_store_scrubbing", "1 while everything is read and checked.", oneIf(d.Scrub != nil))
	if !d.Scrubbed.Ended.IsZero() {
		m.Gauge("kaijutsu_store_scrubbed_timestamp_seconds", "When everything was last read and checked.", float64(d.Scrubbed.Ended.Unix()))
	}
}

func (s *Server) scrapeDocuments(m *telemetry.Scrape) {
	open := s.repo.Stats()
	m.Gauge("kaijutsu_documents_open", "Documents open now.", float64(open.Open))
	m.Gauge("kaijutsu_documents_open_bytes", "Estimate of the memory of open documents.", float64(open.Bytes))
	m.Counter("kaijutsu_documents_opened_total", "Documents opened.", float64(open.Opened))
	m.Counter("kaijutsu_documents_evicted_total", "Documents closed because nobody used them.", float64(open.Evicted))
	m.Gauge("kaijutsu_contexts", "Contexts that this node knows.", float64(s.kernel.Documents()))
	events := s.hub.Stats()
	m.Gauge("kaijutsu_followers", "Who follows events.", float64(events.Followers))
	m.Gauge("kaijutsu_followed_topics", "What they follow, different ones.", float64(events.Topics))
	m.Gauge("kaijutsu_events_kept", "Events kept for followers.", float64(events.Events))
	m.Gauge("kaijutsu_events_kept_bytes", "Bytes of those events.", float64(events.Bytes))
	index := s.search.Stats()
	m.Gauge("kaijutsu_search_blocks", "Blocks in the search index.", float64(index.Blocks))
	m.Gauge("kaijutsu_search_waiting", "Documents that the search index has yet to read.", float64(index.Waiting))
	m.Gauge("kaijutsu_mounts_failed", "Mounts of this node that are not open.", float64(len(s.mounts.Failed())))
	m.Gauge("kaijutsu_records_unread", "Records that this release cannot read, by what they are.", float64(s.access.Unread()), "kind", "access")
	m.Gauge("kaijutsu_records_unread", "Records that this release cannot read, by what they are.", float64(s.kernel.Unread()), "kind", "context")
}

// scrapeMishaps tells what was kept away from everything else.
func (s *Server) scrapeMishaps(m *telemetry.Scrape) {
	listed, refused := s.quarantine.Count()
	m.Gauge("kaijutsu_quarantined", "Changes in quarantine.", float64(listed))
	m.Counter("kaijutsu_changes_invalid_total", "Changes that the validator refused.", float64(refused))
	m.Counter("kaijutsu_panics_total", "Panics that were contained.", float64(guard.Total()))
}

// scrapeLimits tells the limits, and how often each was met.
func (s *Server) scrapeLimits(m *telemetry.Scrape) {
	for _, row := range s.limits.Stats() {
		name := string(row.Name)
		m.Gauge("kaijutsu_limit", "What each limit is set to.", float64(row.Value), "limit", name)
		m.Counter("kaijutsu_limit_hits_total", "How often somebody was slowed or refused by a limit.", float64(row.Hits), "limit", name)
		m.Counter("kaijutsu_limit_waited_seconds_total", "For how long those who were slowed waited, all together.", row.Waited.Seconds(), "limit", name)
	}
}

func (s *Server) scrapeDrift(m *telemetry.Scrape) {
	n := s.courier.Stats()
	for _, q := range []struct {
		state string
		n     int
	}{{"staged", n.Staged}, {"held", n.Held}, {"offered", n.Offered}, {"dead", n.Dead}, {"unread", n.Unread}} {
		m.Gauge("kaijutsu_drifts", "Drifts in the queue, by their state.", float64(q.n), "state", q.state)
	}
}

func (s *Server) scrapeCluster(m *telemetry.Scrape, c cluster.Status) {
	connected := c.Embedded || c.Connected
	m.Gauge("kaijutsu_bus_connected", "1 when the bus answers; always, when it is inside the process.", oneIf(connected))
	m.Gauge("kaijutsu_problems", "What kj status names as wrong with this node and between nodes.", float64(len(s.problems(c))))
	if c.Embedded {
		return
	}
	var lag uint64
	for _, st := range c.Streams {
		lag += st.End - min(st.Stored, st.End)
	}
	m.Gauge("kaijutsu_nodes", "Nodes of the kernel that are known, this one included.", float64(len(c.Nodes)))
	m.Gauge("kaijutsu_feed_lag_batches", "Batches of other nodes that are not on disk here yet.", float64(lag))
	m.Gauge("kaijutsu_outbox_changes", "Changes of this node that the feed does not hold yet.", float64(c.Outbox.Changes))
	m.Gauge("kaijutsu_outbox_bytes", "Bytes of those.", float64(c.Outbox.Bytes))
	m.Gauge("kaijutsu_outbox_oldest_seconds", "For how long the oldest of those has waited.", c.Outbox.Oldest.Seconds())
	m.Counter("kaijutsu_node_changes_total", "Changes between nodes, by what became of them.", float64(c.Counts.LiveSent), "what", "sent")
	m.Counter("kaijutsu_node_changes_total", "Changes between nodes, by what became of them.", float64(c.Counts.Taken), "what", "taken")
	m.Counter("kaijutsu_node_changes_total", "Changes between nodes, by what became of them.", float64(c.Counts.Duplicates), "what", "duplicate")
	m.Counter("kaijutsu_node_changes_total", "Changes between nodes, by what became of them.", float64(c.Counts.Healed), "what", "healed")
	for reason, n := range c.Refused {
		m.Counter("kaijutsu_node_refused_total", "Messages and changes of other nodes that were not taken, by reason.", float64(n), "reason", reason)
	}
	for _, st := range c.Streams {
		m.Counter("kaijutsu_feed_resets_total", "How often a shard of the feed was read again from its beginning.", float64(st.Resets), "shard", strconv.Itoa(st.Shard))
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
