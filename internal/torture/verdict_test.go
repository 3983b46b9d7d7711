package torture

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// sound is a history in which all is as it should be.
func sound() []Entry {
	return []Entry{
		{At: 0, Says: saysRun, Format: historyFormat, N: 1, Memory: 100},
		{At: 0.1, Says: saysWho, Who: "amy", Name: "amy", Role: "editor", Node: "A", What: doorSync},
		{At: 0.1, Says: saysWho, Who: "carl", Name: "carl", Role: "commenter", Node: "A", What: doorSync},
		{At: 0.1, Says: saysWho, Who: "vic by sync", Name: "vic", Role: "editor", Node: "A", What: doorSync},
		{At: 1, Says: saysTry, Who: "amy", Doc: "d", Hash: "h1", Mark: "⟦a1⟧"},
		{At: 1.01, Says: saysAck, Who: "amy", Doc: "d", Hash: "h1", Mark: "⟦a1⟧", Ms: 10},
		{At: 1.1, Says: saysTry, Who: "carl", Doc: "d", Hash: "h2", Mark: "⟦c1⟧"},
		{At: 1.2, Says: saysTry, Who: "vic by sync", Doc: "d", Hash: "h3", Mark: "⟦v1⟧"},
		{At: 1.21, Says: saysAck, Who: "vic by sync", Doc: "d", Hash: "h3", Mark: "⟦v1⟧", Ms: 10},
		{At: 1.29, Says: saysRevoke, Name: "vic", Node: "A"},
		{At: 1.30, Says: saysRevoked, Name: "vic", Node: "A"},
		{At: 1.305, Says: saysCut, Who: "vic by sync", What: doorSync},
		{At: 2, Says: saysStrike, N: 1, What: "kill", Node: "A"},
		{At: 2.1, Says: saysDown, Node: "A"},
		{At: 2.5, Says: saysUp, Node: "A", Ms: 300},
		{At: 2.6, Says: saysHas, Node: "A", Doc: "d", Add: []string{"h1", "h3"}, Ms: 10},
		{At: 2.7, Says: saysOver, N: 1, What: "kill", Node: "A"},
		{At: 8, Says: saysMemory, Node: "A", N: 90},
		{At: 8.1, Says: saysShows, Node: "A", Doc: "d", Heads: "x", Digest: "1", Want: "1"},
		{At: 9, Says: saysHas, Node: "A", Doc: "d", Ms: 10, Final: true},
		{At: 9.1, Says: saysText, Node: "A", Doc: "d", Runs: []byWhom{{By: "amy", Text: "¶⟦a1⟧"}, {By: "vic", Text: "⟦v1⟧"}}},
		{At: 9.2, Says: saysEnd},
	}
}

// with returns the sound history with further entries before its end, which is
// that of a run.
func with(more ...Entry) []Entry {
	all := sound()
	return slices.Insert(all, len(all)-3, more...)
}

// changed returns the sound history with one entry changed.
func changed(says string, n int, f func(*Entry)) []Entry {
	all := sound()
	for i := range all {
		if all[i].Says != says {
			continue
		}
		if n == 0 {
			f(&all[i])
			break
		}
		n--
	}
	return all
}

func TestVerdict(t *testing.T) {
	tests := []struct {
		name    string
		history []Entry
		want    string // the check that finds it; "": none does
	}{
		{"sound", sound(), ""},
		{"missing after a kill", changed(saysHas, 0, func(e *Entry) { e.Add = []string{"h3"} }), checkSaved},
		{"missing at the end", changed(saysHas, 1, func(e *Entry) { e.Gone = []string{"h1"} }), checkLost},
		{"missing in the text", changed(saysText, 0, func(e *Entry) { e.Runs = e.Runs[1:] }), checkLost},
		{"twice in the text", changed(saysText, 0, func(e *Entry) { e.Runs[0].Text += "⟦a1⟧" }), checkDoubled},
		{"booked on another", changed(saysText, 0, func(e *Entry) { e.Runs[0].By = "vic" }), checkBy},
		{"booked on several", changed(saysText, 0, func(e *Entry) {
			e.Runs = []byWhom{{By: "amy", Text: "⟦a"}, {By: "vic", Text: "1⟧⟦v1⟧"}}
		}), checkBy},
		{"came through somebody", changed(saysText, 0, func(e *Entry) { e.Runs[0].Via = "bridge" }), checkBy},
		{"a commenter's change", changed(saysHas, 1, func(e *Entry) { e.Add = []string{"h2"} }), checkDenied},
		{"a commenter's text", changed(saysText, 0, func(e *Entry) { e.Runs[0].Text += "⟦c1⟧" }), checkDenied},
		{"shows something else", changed(saysShows, 0, func(e *Entry) { e.Digest = "2" }), checkSame},
		{"another shows something else", with(Entry{At: 8.5, Says: saysShows, Node: "B", Doc: "d", Heads: "x", Digest: "2", Want: "2"}), checkSame},
		{"another has less", with(Entry{At: 8.5, Says: saysHas, Node: "B", Doc: "d", Add: []string{"h1"}, Final: true}), checkLost},
		{"sent after the revocation", with(
			Entry{At: 1.45, Says: saysTry, Who: "vic by sync", Doc: "d", Hash: "h1x"},
			Entry{At: 1.46, Says: saysAck, Who: "vic by sync", Doc: "d", Hash: "h1x", Ms: 10}), checkRevoked},
		{"served after the revocation", with(Entry{At: 1.6, Says: saysServed, Who: "vic by sync", Ms: 50}), checkRevoked},
		{"asked before it", with(Entry{At: 1.6, Says: saysServed, Who: "vic by sync", Ms: 250}), ""},
		{"connected after the revocation", changed(saysCut, 0, func(e *Entry) { e.At = 3.9 }), checkRevoked},
		{"waited for long in peace", with(Entry{At: 7.9, Says: saysLate, Who: "amy", Doc: "d", Hash: "h9", Ms: 5000}), checkLatency},
		{"waited for long under attack", with(
			Entry{At: 7, Says: saysStrike, N: 2, What: "garbage", Node: "A"}, Entry{At: 9, Says: saysOver, N: 2, What: "garbage", Node: "A"},
			Entry{At: 8.9, Says: saysLate, Who: "amy", Doc: "d", Hash: "h9", Ms: 5000}), checkLatency},
		{"waited for long while it stood still", with(
			Entry{At: 7, Says: saysStrike, N: 2, What: "stop", Node: "A"}, Entry{At: 9, Says: saysOver, N: 2, What: "stop", Node: "A"},
			Entry{At: 8.9, Says: saysLate, Who: "amy", Doc: "d", Hash: "h9", Ms: 5000}), ""},
		{"out of order", with(Entry{At: 7.9, Says: saysLate, Who: "amy", Doc: "d", Hash: "h9", Ms: 5000, What: shuffled}), checkOrder},
		{"ended by itself", with(Entry{At: 8, Says: saysDied, Node: "A", What: "panic"}), checkCrash},
		{"a panic in the log", with(Entry{At: 8, Says: saysLog, Node: "A", What: "panic"}), checkCrash},
		{"too much memory", with(Entry{At: 8, Says: saysMemory, Node: "A", N: 101}), checkMemory},
		{"events with a gap", with(Entry{At: 8, Says: saysWrong, Check: checkEvents, What: "gap"}), checkEvents},
		{"broken off", sound()[:20], checkWhole},
		{"empty", []Entry{{Says: saysRun}, {Says: saysEnd}}, checkWhole},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := decide(tt.history)
			switch {
			case tt.want == "" && !v.OK():
				t.Errorf("found %v, want nothing", v.Findings)
			case tt.want != "" && !slices.Contains(v.By(), tt.want):
				t.Errorf("found %v, want something by %s", v.Findings, tt.want)
			}
		})
	}
}

func TestHistoryIsReadAsItWasWritten(t *testing.T) {
	path := t.TempDir() + "/history.jsonl"
	h, err := createHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range sound() {
		h.note(e)
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	// Times are those of the writing; all in a moment, it is still sound but
	// for the revocation, which needs a span.
	v, err := Check(path)
	if err != nil {
		t.Fatal(err)
	}
	if by := v.By(); len(by) > 0 {
		t.Errorf("found %v, want nothing", v.Findings)
	}
}

func TestHistoriesThatAreNone(t *testing.T) {
	newer, err := json.Marshal(Entry{Says: saysRun, Format: historyFormat + 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"empty": "", "no JSON": "hello\n", "another beginning": `{"says":"ack"}` + "\n", "newer": string(newer)} {
		t.Run(name, func(t *testing.T) {
			if all, err := readHistory(strings.NewReader(text)); err == nil {
				t.Errorf("read as %v, want an error", all)
			}
		})
	}
}

func TestPlanFollowsTheSeed(t *testing.T) {
	can := func(strikeKind) bool { return true }
	for _, nodes := range []int{1, 3} {
		a, b := plan(7, time.Minute, nodes, nil, can), plan(7, time.Minute, nodes, nil, can)
		if !slices.Equal(a, b) {
			t.Errorf("%d nodes: the same seed made two schedules", nodes)
		}
		if slices.Equal(a, plan(8, time.Minute, nodes, nil, can)) {
			t.Errorf("%d nodes: another seed made the same schedule", nodes)
		}
		if len(a) < 20 {
			t.Errorf("%d nodes: %d strikes in a minute, want some", nodes, len(a))
		}
		for _, k := range a {
			if k.node >= nodes || k.at >= time.Minute {
				t.Errorf("%d nodes: strike %+v is out of bounds", nodes, k)
			}
		}
	}
	for _, k := range plan(1, time.Minute, 1, []string{"kill"}, can) {
		if k.what != "kill" {
			t.Errorf("%s is planned, want nothing but kill", k.what)
		}
	}
}

func TestEveryStrikeIsKnown(t *testing.T) {
	for _, s := range sorts {
		if _, known := villainies[s.what]; s.attack && !known && s.what != "revoke" && s.what != "backup" {
			t.Errorf("nobody knows how to do the attack %s", s.what)
		}
	}
}

// TestBomb holds the bomb against what it is meant to be.
func TestBomb(t *testing.T) {
	bomb := zeros()
	if len(bomb) > 4<<20 {
		t.Errorf("the bomb has %d bytes, want few", len(bomb))
	}
	n, err := io.Copy(io.Discard, flate.NewReader(bytes.NewReader(bomb)))
	if err != nil || n < 1<<30 {
		t.Errorf("it inflates to %d bytes and %v, want more than a GiB", n, err)
	}
}
