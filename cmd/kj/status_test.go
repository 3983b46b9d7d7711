package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/catalog"
)

// TestStatusSaysWhatIsWrong shows a node of several that has trouble.
func TestStatusSaysWhatIsWrong(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	self := catalog.NodeRow{ID: "0123456789abcdef", Name: "berlin", Self: true, Address: "http://127.0.0.1:7433", Version: "1", Documents: 3, Started: "2026-11-21T11:00:00Z"}
	s := catalog.NodeStatus{
		Kernel: "main", Node: self, Documents: 3, Records: 7, Seats: 2,
		NATS:   catalog.NATSStatus{Server: "nats://a:4222", Since: "2026-11-21T11:59:00Z"},
		Nodes:  []catalog.NodeRow{self, {ID: "fedcba9876543210", Name: "evil\x1b[2J", Seen: "2026-11-21T11:59:50Z"}},
		Outbox: catalog.OutboxStatus{Changes: 12, Bytes: 3400, OldestMS: 61000},
		Streams: []catalog.StreamRow{
			{Shard: 0, Received: 10, Stored: 10, CaughtUp: true},
			{Shard: 1, Received: 10, Stored: 4, Lag: 6, Resets: 1, Reason: "the stream is another"},
		},
		Drift:    catalog.DriftStatus{Staged: 3, Held: 1, Dead: 2, Links: []string{"lab"}},
		Traffic:  catalog.NodeTraffic{Refused: map[string]int64{"of another schema": 4}},
		Problems: []string{"NATS at nats://a:4222 has been away for 60 s: editing goes on"},
	}
	var out bytes.Buffer
	if err := printStatus(&out, s, now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"berlin (01234567)", "away since 1m0s ago: nats://a:4222", "12 changes, 3400 bytes, the oldest for 1m1s",
		"3 staged, 1 held for consent here, 2 dead letters; linked to lab",
		"2, of which 1 are behind, by 6 batches", "4: of another schema", "evil\uFFFD[2J (fedcba98)",
		"behind, read anew 1 times (the stream is another)", "what is wrong\n  - NATS at nats://a:4222 has been away",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("status does not say %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "nothing is wrong") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("status of a node with trouble:\n%s", out.String())
	}
}
