package torture

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// watch records how much memory nodes take, until ctx ends, and looks at what
// they have now and then.
func (m *mixed) watch(ctx context.Context) {
	for n := 0; m.rest(ctx, 500*time.Millisecond) == nil; n++ {
		for _, node := range m.nodes {
			p := node.process()
			if p == nil {
				continue
			}
			if mib, err := resident(p.PID()); err == nil {
				m.h.note(Entry{Says: saysMemory, Node: node.name, N: mib})
			}
		}
		if n%6 == 5 {
			looking, cancel := context.WithTimeout(ctx, 2*time.Second)
			_ = m.look(looking, m.nodes[n/6%len(m.nodes)], m.docs[n/6%len(m.docs)], false) // it may be down
			cancel()
		}
	}
}

// resident returns how much memory a process has had resident at most since it
// was asked last, in MiB; where the system does not tell, it is an error.
func resident(pid int) (mib int, err error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	defer func() { _ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0) }() // the peak begins anew
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			return kb >> 10, err
		}
	}
	return 0, fmt.Errorf("no VmHWM of process %d", pid)
}

// finish records what all nodes have at the end: when they have come to equal
// heads, and once more after all of them were killed.
func (m *mixed) finish(ctx context.Context, r *Report) error {
	for _, n := range m.nodes {
		m.noteDeath(n)
		if n.process() == nil {
			if err := m.up(ctx, n); err != nil {
				return err
			}
		}
	}
	if m.opt.rival != nil {
		return m.finishRival(ctx, r)
	}
	began := time.Now()
	converging, cancel := context.WithTimeout(ctx, convergeTimeout)
	defer cancel()
	if err := m.await(converging, "all nodes have equal heads", func() error { return m.equalHeads(converging) }); err != nil {
		m.wrong(checkSame, "%v", err)
	}
	r.Converged = time.Since(began)
	for _, n := range m.nodes {
		for _, t := range m.docs {
			if err := m.look(ctx, n, t, false); err != nil {
				return err
			}
			if err := m.noteTexts(ctx, n, t); err != nil {
				return err
			}
		}
	}
	if err := m.finishFollowers(ctx, r); err != nil {
		return err
	}
	for _, n := range m.nodes {
		m.down(n, "")
		n.kill()
	}
	for _, n := range m.nodes {
		if err := m.up(ctx, n); err != nil {
			return err
		}
	}
	for _, n := range m.nodes {
		if err := m.lookAll(ctx, n, true); err != nil {
			return err
		}
		logs := &Report{}
		checkLog(logs, n.name, n.log())
		for _, p := range logs.Problems {
			m.h.note(Entry{Says: saysLog, Node: n.name, What: p})
		}
		r.Notes = append(r.Notes, logs.Notes...)
	}
	m.count(r)
	return nil
}

// finishRival records what a rival has at the end, once more after it was killed,
// if it can be.
func (m *mixed) finishRival(ctx context.Context, r *Report) error {
	n := m.nodes[0]
	if err := m.lookAll(ctx, n, n.command == nil); err != nil {
		return err
	}
	if n.command != nil {
		if err := m.killFor(ctx, n, 0); err != nil {
			return err
		}
		if err := m.lookAll(ctx, n, true); err != nil {
			return err
		}
	}
	m.count(r)
	return nil
}

// finishFollowers records what the followers found.
func (m *mixed) finishFollowers(ctx context.Context, r *Report) error {
	found := &Report{Cuts: r.Cuts}
	if err := m.checkFollowers(ctx, found); err != nil {
		return err
	}
	for _, p := range found.Problems {
		m.wrong(checkEvents, "%s", p)
	}
	r.Events, r.Reconnects, r.Resets, r.Mirrors, r.Followers = found.Events, found.Reconnects, found.Resets, found.Mirrors, len(m.followers)
	m.stopFollowing()
	return nil
}

// count fills in the report what was counted.
func (m *mixed) count(r *Report) {
	r.Nodes = len(m.nodes)
	r.AckedByEditors, r.AckedByCallers = m.ledger.edits["editors"], m.ledger.edits["callers"]
	r.latencies(m.ledger)
	m.checkRefusals(r)
	for _, marks := range m.ledger.marks {
		for _, acked := range marks {
			if acked {
				r.Marks++
			}
		}
	}
	for at, has := range m.recorded {
		if at.node == m.nodes[0].name {
			r.Changes += len(has)
		}
	}
}
