package torture

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kaijutsu"
)

const (
	// convergeTimeout is how long the nodes may take, from the last edit, until
	// they have equal heads.
	convergeTimeout = 60 * time.Second
	// followTimeout is how long the followers may take from there.
	followTimeout = 30 * time.Second
)

// check holds the ledger, the nodes and the followers against each other, when
// all nodes run and nobody writes any more.
func (s *stage) check(ctx context.Context, r *Report) error {
	r.Followers, r.Nodes = len(s.followers), len(s.nodes)
	r.AckedByEditors, r.AckedByCallers = s.ledger.edits["editors"], s.ledger.edits["callers"]
	r.latencies(s.ledger)
	if r.AckedByEditors == 0 || r.AckedByCallers == 0 {
		r.problem("%d changes were acknowledged to editors and %d to callers: this run shows nothing", r.AckedByEditors, r.AckedByCallers)
	}
	began := time.Now()
	converging, cancel := context.WithTimeout(ctx, convergeTimeout)
	defer cancel()
	if err := s.await(converging, "all nodes have equal heads", func() error { return s.equalHeads(converging) }); err != nil {
		r.problem("%v", err)
	}
	r.Converged = time.Since(began)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, t := range s.targets {
		if err := s.checkContext(ctx, r, t); err != nil {
			return err
		}
	}
	if err := s.checkFollowers(ctx, r); err != nil {
		return err
	}
	s.checkRefusals(r)
	for _, n := range s.nodes {
		checkLog(r, n.name, n.log())
	}
	return nil
}

// checkLog finds in a node's log what no fault excuses, and notes its errors.
func checkLog(r *Report, name, log string) {
	failures := 0
	for line := range strings.Lines(log) {
		switch {
		case strings.Contains(line, "DATA RACE"), strings.HasPrefix(line, "panic:"), strings.HasPrefix(line, "fatal error:"),
			strings.Contains(line, "level=ERROR") && (strings.Contains(line, "panic") || strings.Contains(line, "broke down")):
			r.problem("the log of node %s has: %.300s", name, strings.TrimSpace(line))
		case strings.Contains(line, "level=ERROR"):
			if failures++; failures == 1 {
				r.note("the log of node %s has errors, the first: %.300s", name, strings.TrimSpace(line))
			}
		}
	}
}

// equalHeads says which nodes differ.
func (s *stage) equalHeads(ctx context.Context) error {
	for _, t := range s.targets {
		var first state
		for i, n := range s.nodes {
			st, err := n.api().context(ctx, t.id)
			if err != nil {
				return fmt.Errorf("node %s: %w", n.name, err)
			}
			slices.Sort(st.Heads)
			if i == 0 {
				first = st
			} else if !slices.Equal(st.Heads, first.Heads) {
				return fmt.Errorf("context %s: node %s has %d changes, node %s has %d: %w", t.id, s.nodes[0].name, first.Version, n.name, st.Version, kaijutsu.ErrConflict)
			}
		}
	}
	return nil
}

// checkContext counts what is missing of a context at each node.
func (s *stage) checkContext(ctx context.Context, r *Report, t *target) error {
	var first map[kaijutsu.ChangeHash]struct{}
	for _, n := range s.nodes {
		changes, err := n.api().export(ctx, t.doc)
		if err != nil {
			return fmt.Errorf("node %s: %w", n.name, err)
		}
		have := make(map[kaijutsu.ChangeHash]struct{}, len(changes))
		for _, c := range changes {
			have[c.Hash] = struct{}{}
		}
		if first == nil {
			first = have
			r.Changes += len(have)
		} else if !maps.Equal(have, first) {
			r.problem("context %s: node %s exports %d changes, node %s %d, or others", t.id, s.nodes[0].name, len(first), n.name, len(have))
		}
		lost, example := missing(s.ledger.acked[t.doc], have)
		r.Lost[n.name] += lost
		if lost > 0 {
			r.problem("context %s: node %s lacks %d of %d acknowledged changes, such as %s", t.id, n.name, lost, len(s.ledger.acked[t.doc]), example)
		}
		if err := s.checkMarks(ctx, r, n, t); err != nil {
			return err
		}
	}
	for _, acked := range s.ledger.marks[t.doc] {
		if acked {
			r.Marks++
		}
	}
	return nil
}

// missing counts the acknowledged changes that are not there and names one.
func missing(acked map[kaijutsu.ChangeHash]string, have map[kaijutsu.ChangeHash]struct{}) (n int, example string) {
	for h, by := range acked {
		if _, ok := have[h]; !ok {
			n++
			example = h.String() + " of " + by
		}
	}
	return n, example
}

// checkMarks looks for every mark in the texts of a node.
func (s *stage) checkMarks(ctx context.Context, r *Report, n *node, t *target) error {
	st, err := n.api().context(ctx, t.id)
	if err != nil {
		return fmt.Errorf("node %s: %w", n.name, err)
	}
	var texts []string
	for _, b := range st.Blocks {
		texts = append(texts, b.Content)
	}
	lost, doubled := countMarks(s.ledger.marks[t.doc], texts)
	r.LostMarks[n.name] += lost
	r.Doubled[n.name] += doubled
	if lost > 0 || doubled > 0 {
		r.problem("context %s: in the texts of node %s %d acknowledged marks are missing and %d marks stand twice", t.id, n.name, lost, doubled)
	}
	return nil
}

// countMarks counts acknowledged marks that are not in the texts and marks that
// are there more than once.
func countMarks(marks map[string]bool, texts []string) (lost, doubled int) {
	found := make(map[string]int)
	for _, text := range texts {
		for rest := text; ; {
			_, behind, ok := strings.Cut(rest, "⟦")
			if !ok {
				break
			}
			name, after, ok := strings.Cut(behind, "⟧")
			if !ok {
				break
			}
			found["⟦"+name+"⟧"]++
			rest = after
		}
	}
	for mark, acked := range marks {
		switch n := found[mark]; {
		case n == 0 && acked:
			lost++
		case n > 1:
			doubled++
		}
	}
	return lost, doubled
}

// checkFollowers waits until the followers have all there is, and holds the
// mirrors against the nodes.
func (s *stage) checkFollowers(ctx context.Context, r *Report) error {
	waiting, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	for _, f := range s.followers {
		for _, t := range s.targets {
			if f.target != nil && f.target != t {
				continue
			}
			st, err := f.node.api().context(ctx, t.id)
			if err != nil {
				return fmt.Errorf("node %s: %w", f.node.name, err)
			}
			if !f.await(waiting, t.id, st.Version) {
				r.problem("%s: version %d of context %s has not come", f.name, st.Version, t.id)
				continue
			}
			s.checkFollower(r, f, t, st)
		}
		f.report(r)
	}
	return nil
}

// await waits until the follower has a version.
func (f *follower) await(ctx context.Context, id string, version uint64) bool {
	for {
		ok, moved := f.reached(id, version)
		if ok {
			return true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}

// checkFollower holds what a follower saw of a context against the context.
func (s *stage) checkFollower(r *Report, f *follower, t *target, st state) {
	f.mu.Lock()
	defer f.mu.Unlock()
	track := f.tracks[t.id]
	if track.version > st.Version {
		f.problemLocked("context %s: version %d came, the node is at %d", t.id, track.version, st.Version)
	}
	if got, want := uint64(len(track.changes)), track.version-track.base; got != want {
		f.problemLocked("context %s: %d changes came with versions %d to %d, want %d", t.id, got, track.base+1, track.version, want)
	}
	if len(f.resets) > 0 {
		return // what was before the reset is not in the track
	}
	unseen := 0
	for h := range s.ledger.acked[t.doc] {
		if _, ok := track.changes[h.String()]; !ok {
			unseen++
		}
	}
	if unseen > 0 && !f.late {
		f.problemLocked("context %s: no event came of %d acknowledged changes", t.id, unseen)
	}
	if f.target == nil {
		return
	}
	if diff := f.mirror.difference(st.Blocks); diff != "" {
		f.problemLocked("the mirror is not what the node lists: %s", diff)
	} else {
		r.Mirrors++
	}
}

// report adds what the follower saw to the report.
func (f *follower) report(r *Report) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r.Events += f.events
	r.Reconnects += max(0, f.connects-1)
	r.Resets += len(f.resets)
	for why, n := range f.cuts {
		r.Cuts[why] += n
	}
	r.Problems = append(r.Problems, f.problems...)
}

// checkRefusals notes what operations were answered with when not with 200.
func (s *stage) checkRefusals(r *Report) {
	kinds := make(map[string]int)
	for _, c := range s.callers {
		for answer, n := range c.refused {
			kind, _, _ := strings.Cut(answer, ":")
			kinds[kind] += n
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		r.note("%d calls were answered with %s", kinds[kind], kind)
	}
}
