package server

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/link"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
	"kaijutsu/internal/provenance"
)

// openDrift opens what carries findings between contexts: the index of where
// they came from, the links to other kernels, the policy, and the courier.
func (s *Server) openDrift() (err error) {
	s.letters, err = provenance.Start(provenance.Config{
		Log: s.log, Store: s.store, Repo: s.repo, Kernel: s.kernel, Name: s.cfg.Kernel, Table: s.queue, Bus: s.bus,
		Dir: filepath.Join(s.cfg.Dir, "drift"), Hidden: s.hidden, Now: s.cfg.Now,
	})
	if err != nil {
		return err
	}
	s.later.letters.Store(s.letters)
	s.later.also(s.letters.Note)
	if s.links, err = link.Open(link.Config{Log: s.log, Table: s.queue, Kernel: s.cfg.Kernel, Now: s.cfg.Now}); err != nil {
		return err
	}
	s.later.links.Store(s.links)
	s.policy, err = policy.Open(policy.Config{
		Log: s.log, Table: s.queue, Kernel: s.kernel, Repo: s.repo, Index: s.letters, Name: s.cfg.Kernel,
		File: filepath.Join(s.cfg.Dir, "drift", "policy"), Hidden: s.hidden, Now: s.cfg.Now,
	})
	if err != nil {
		return err
	}
	s.later.also(s.policy.Note)
	if s.distillers, err = openDistillers(s.cfg.LLM, s.log, s.cfg.Now); err != nil {
		return err
	}
	s.courier, err = courier.Open(courier.Config{
		Log: s.log, Kernel: s.kernel, Access: s.access, Table: s.queue, Bus: s.bus, Emit: s.publish, Name: s.cfg.Kernel,
		Distillers: s.distillers, Carrier: carrier{s.links}, Gate: s.policy, Receipt: s.letters.ReceiptBy, Now: s.cfg.Now,
	})
	if err != nil {
		return err
	}
	s.later.courier.Store(s.courier)
	return s.policy.Drive(s.courier)
}

// ownCall is a call by who runs the server.
var ownCall = op.Call{By: localPrincipal, Right: kaijutsu.RightOwn}

// carrier is the links as the courier knows them.
type carrier struct{ *link.Links }

// Offer offers an item to another kernel.
func (c carrier) Offer(ctx context.Context, kernel string, it drift.Item) (courier.Receipt, error) {
	r, err := c.Links.Offer(ctx, kernel, it)
	return courier.Receipt(r), err
}

// unread returns how many drift blocks of a context somebody has not read.
func (l *later) unread(p kaijutsu.Principal, doc kaijutsu.DocumentID) int {
	if letters := l.letters.Load(); letters != nil {
		return letters.Unread(p, doc)
	}
	return 0
}

// knows reports whether there is a link to a kernel.
func (l *later) knows(kernel string) bool {
	links := l.links.Load()
	return links != nil && links.Knows(kernel)
}

// private reports the context of the dead letters.
func (l *later) private(doc kaijutsu.DocumentID) bool {
	c := l.courier.Load()
	return c != nil && c.LostFound(doc)
}

// driftStatus is what is on its way between contexts.
func (s *Server) driftStatus() catalog.DriftStatus {
	n := s.courier.Stats()
	out := catalog.DriftStatus{Staged: n.Staged, Held: n.Held, Offered: n.Offered, Dead: n.Dead, Distiller: s.Distiller()}
	for _, l := range s.links.List(ownCall) {
		out.Links = append(out.Links, l.Kernel)
	}
	return out
}

// driftProblems is what is wrong with it.
func (s *Server) driftProblems(d catalog.DriftStatus) (all []string) {
	if d.Dead > 0 {
		all = append(all, fmt.Sprintf("%d drifts could not be delivered: kj drift dead lists them and says why; kj drift replay tries again, kj drift cancel gives one up", d.Dead))
	}
	if ids := s.courier.Unread(); len(ids) > 0 {
		all = append(all, fmt.Sprintf("%d drifts cannot be read and are not delivered (%s): a newer server may read them; an owner cancels one with kj drift cancel and its id", len(ids), strings.Join(ids[:min(len(ids), 5)], ", ")))
	}
	if why := s.policy.Stats().Unread; why != "" {
		all = append(all, fmt.Sprintf("the drift policy cannot be read (%s): nothing is pushed by itself; set it again with kj drift policy-set", why))
	}
	for _, l := range s.links.List(ownCall) {
		if l.Unread != "" {
			all = append(all, fmt.Sprintf("the link to kernel %s cannot be read (%s): set it again with kj drift link-set", l.Kernel, l.Unread))
		}
	}
	return all
}
