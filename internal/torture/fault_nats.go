package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"kaijutsu"
)

// editingGoesOn notes how many edits each node acknowledged in a stretch of
// time, and that none may have acknowledged nothing.
func (s *stage) editingGoesOn(r *Report, what string, from time.Time) {
	counts, longest := s.ledger.between(from, time.Now())
	line := what + ": acknowledged meanwhile"
	for _, n := range s.nodes {
		if n.process() == nil {
			continue
		}
		line += fmt.Sprintf(" %s %d", n.name, counts[n.name])
		if counts[n.name] == 0 {
			r.problem("%s: node %s acknowledged nothing in %s: editing must go on", what, n.name, time.Since(from).Round(100*time.Millisecond))
		}
	}
	r.note("%s; the longest wait was %s", line, ms(longest))
}

// killNATS kills the server and starts it again on its data.
func killNATS(ctx context.Context, s *stage, _ int, opt Options, r *Report) error {
	n := s.servers[0]
	if err := s.pause(ctx, s.somewhere(500*time.Millisecond, 1500*time.Millisecond)); err != nil {
		return err
	}
	n.kill()
	from, down := time.Now(), opt.long(3*time.Second)
	s.say("  ✗ kill -9 of the nats-server, down for %s", down)
	if err := s.pause(ctx, down); err != nil {
		return err
	}
	s.editingGoesOn(r, "nats-server down", from)
	if err := n.start(ctx); err != nil {
		return err
	}
	return s.pause(ctx, opt.long(2*time.Second))
}

// stopNATS lets the server hang: its connections stand and say nothing.
func stopNATS(ctx context.Context, s *stage, _ int, opt Options, r *Report) error {
	n := s.servers[0]
	if err := s.pause(ctx, s.somewhere(500*time.Millisecond, 1500*time.Millisecond)); err != nil {
		return err
	}
	if err := n.proc.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	from, hang := time.Now(), opt.long(6*time.Second)
	s.say("  ✗ SIGSTOP of the nats-server, for %s", hang)
	err := s.pause(ctx, hang)
	s.editingGoesOn(r, "nats-server stopped", from)
	if cont := n.proc.Signal(syscall.SIGCONT); err == nil {
		err = cont
	}
	if err != nil {
		return err
	}
	return s.pause(ctx, opt.long(2*time.Second))
}

// wipeNATS takes a node down, lets the others write, and gives the server an
// empty directory before the node comes back.
func wipeNATS(ctx context.Context, s *stage, round int, opt Options, r *Report) error {
	away, n := s.nodes[(round+2)%len(s.nodes)], s.servers[0]
	away.kill()
	s.say("  ✗ kill -9 of node %s", away.name)
	if err := s.pause(ctx, opt.long(3*time.Second)); err != nil {
		return err
	}
	from := time.Now()
	n.kill()
	if err := os.RemoveAll(n.cfg.Store()); err != nil {
		return err
	}
	s.say("  ✗ kill -9 of the nats-server, and all of its data is removed")
	if err := s.pause(ctx, opt.long(1500*time.Millisecond)); err != nil {
		return err
	}
	s.editingGoesOn(r, "nats-server down", from)
	if err := n.start(ctx); err != nil {
		return err
	}
	if err := s.pause(ctx, opt.long(3*time.Second)); err != nil {
		return err
	}
	if err := away.start(ctx); err != nil {
		return err
	}
	s.say("  node %s is back", away.name)
	return s.pause(ctx, opt.long(2*time.Second))
}

// loseTail gives the server an older copy of its streams, as a crash of its
// machine may, while one node is away that has read beyond it. What is
// published then takes sequence numbers that this node has seen.
func loseTail(ctx context.Context, s *stage, round int, opt Options, r *Report) error {
	away, n := s.nodes[(round+2)%len(s.nodes)], s.servers[0]
	older := filepath.Join(s.dir, "older")
	n.kill()
	if err := os.RemoveAll(older); err != nil {
		return err
	}
	if err := os.CopyFS(older, os.DirFS(n.cfg.Store())); err != nil {
		return err
	}
	if err := n.start(ctx); err != nil {
		return err
	}
	before, err := n.lastSeqs(ctx)
	if err != nil {
		return err
	}
	if err := s.pause(ctx, opt.long(6*time.Second)); err != nil {
		return err
	}
	away.kill()
	lost, err := n.lastSeqs(ctx)
	if err != nil {
		return err
	}
	n.kill()
	if err := os.RemoveAll(n.cfg.Store()); err != nil {
		return err
	}
	if err := os.Rename(older, n.cfg.Store()); err != nil {
		return err
	}
	if err := n.start(ctx); err != nil {
		return err
	}
	s.say("  ✗ node %s is away; the streams end where they ended before: %v instead of %v", away.name, before, lost)
	for name, seq := range lost {
		if before[name] >= seq {
			delete(lost, name) // nothing of it was lost
		}
	}
	beyond := func() error {
		now, err := n.lastSeqs(ctx)
		for name, seq := range lost {
			if err == nil && now[name] <= seq {
				err = fmt.Errorf("stream %s is at %d, node %s had seen %d: %w", name, now[name], away.name, seq, kaijutsu.ErrUnavailable)
			}
		}
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	if err := s.await(waiting, "the streams are beyond what was lost", beyond); err != nil {
		return err
	}
	if len(lost) == 0 {
		r.problem("no stream lost anything: this run shows nothing")
	}
	r.note("sequence numbers up to %v were given out twice", lost)
	if err := away.start(ctx); err != nil {
		return err
	}
	s.say("  node %s is back", away.name)
	return s.pause(ctx, opt.long(3*time.Second))
}

// jsz is what a server's monitor says of its streams.
type jsz struct {
	Meta struct {
		Leader string `json:"leader"`
	} `json:"meta_cluster"`
	Accounts []struct {
		Streams []struct {
			Name    string `json:"name"`
			Cluster struct {
				Leader string `json:"leader"`
			} `json:"cluster"`
			State struct {
				LastSeq uint64 `json:"last_seq"`
			} `json:"state"`
		} `json:"stream_detail"`
	} `json:"account_details"`
}

// ask asks a server's monitor for its streams.
func (n *natsServer) ask(ctx context.Context) (j jsz, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	url := fmt.Sprintf("http://%s:%d/jsz?accounts=true&streams=true", n.cfg.Host, n.cfg.Monitor)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return j, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return j, fmt.Errorf("ask nats-server %s for its streams: %w", n.cfg.Name, err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&j); err != nil {
		return j, fmt.Errorf("streams of nats-server %s: %w", n.cfg.Name, err)
	}
	return j, nil
}

// lastSeqs returns the last sequence number of each of our feed's streams that
// has one.
func (n *natsServer) lastSeqs(ctx context.Context) (map[string]uint64, error) {
	j, err := n.ask(ctx)
	if err != nil {
		return nil, err
	}
	last := make(map[string]uint64)
	for _, a := range j.Accounts {
		for _, st := range a.Streams {
			if st.State.LastSeq > 0 && st.Name[:3] == "KJ_" {
				last[st.Name] = st.State.LastSeq
			}
		}
	}
	return last, nil
}

// leaders counts what each server leads: the cluster itself, and streams.
func (s *stage) leaders(ctx context.Context) (map[string]int, error) {
	leads := make(map[string]int)
	for _, n := range s.servers {
		if n.proc == nil {
			continue
		}
		j, err := n.ask(ctx)
		if err != nil {
			return nil, err
		}
		for _, a := range j.Accounts {
			for _, st := range a.Streams {
				if st.Cluster.Leader == n.cfg.Name {
					leads[n.cfg.Name]++
				}
			}
		}
		if j.Meta.Leader == n.cfg.Name {
			leads[n.cfg.Name] += 100 // it counts for more than any stream
		}
	}
	return leads, nil
}

// killLeader kills the server that leads most and was not killed before.
func killLeader(ctx context.Context, s *stage, round int, opt Options, r *Report) error {
	leads, err := s.leaders(ctx)
	if err != nil {
		return err
	}
	victims := slices.Clone(s.servers)
	slices.SortStableFunc(victims, func(a, b *natsServer) int { return leads[b.cfg.Name] - leads[a.cfg.Name] })
	victim := victims[0]
	if round > 0 && leads[victim.cfg.Name] < 100 { // no meta leader is known: in turn
		victim = s.servers[round%len(s.servers)]
	}
	victim.kill()
	from := time.Now()
	s.say("  ✗ kill -9 of nats-server %s (led %d streams, meta leader: %v)", victim.cfg.Name, leads[victim.cfg.Name]%100, leads[victim.cfg.Name] >= 100)
	if err := s.pause(ctx, opt.long(12*time.Second)); err != nil {
		return err
	}
	s.editingGoesOn(r, "nats-server "+victim.cfg.Name+" down", from)
	if err := victim.start(ctx); err != nil {
		return err
	}
	return s.pause(ctx, opt.long(6*time.Second))
}
