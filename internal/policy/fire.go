package policy

import (
	"errors"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
)

// flight is what the gate knows of an automatic push under way.
type flight struct {
	chain   []string
	finding string // empty: that of the briefing
}

// fire pushes. The error says that trying again later may help; whatever else
// happens is noted here.
func (k *Keeper) fire(p *push) error {
	f := flight{p.chain, p.finding}
	m := drift.Meta{Chain: p.chain, Finding: p.finding}
	if !p.target.IsZero() {
		if err := k.circles(k.stopping, p.target, m, true); err != nil {
			return k.landed(p, courier.Outcome{}, err)
		}
	}
	if !p.counted {
		p.stage = k.limited(true, p.by, p.target, p.limit) != nil
		p.counted = true
	}
	k.mu.Lock()
	c := k.courier
	k.flights[p.id] = f
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		delete(k.flights, p.id)
		k.mu.Unlock()
	}()
	call := k.cfg.Kernel.CallOf(p.by)
	call.Door, call.Context = "policy", p.from.Name()
	what := courier.Push{ID: p.id, From: p.from.Name(), To: p.to, Stage: p.stage, Summarize: p.summarize, Fallback: p.summarize}
	if !p.summarize {
		what.Content, what.Cite, what.Plain = p.content, []string{p.block.String()}, true
	}
	out, err := c.Push(k.stopping, call, what)
	return k.landed(p, out, err)
}

// landed notes what came of a push, and returns the error if it is to be tried
// again.
func (k *Keeper) landed(p *push, out courier.Outcome, err error) error {
	if out.Already && err == nil {
		k.count(func(s *Stats) { s.Known++ })
		return nil
	}
	kept := out.Item.ID != "" && out.State.Kept() // it waits in the queue; that is enough
	switch {
	case err == nil || kept:
		k.count(func(s *Stats) {
			s.Fired++
			if p.stage {
				s.Staged++
			}
		})
		k.cfg.Log.Debug("drift policy: pushed", "rule", p.rule.On, "context", p.from.Name(), "block", p.block.Block, "to", p.to, "drift", p.id, "state", out.State)
		return nil
	case errors.Is(err, kaijutsu.ErrConflict):
		k.count(func(s *Stats) { s.Known++ })
		k.cfg.Log.Debug("drift policy: not pushed", "rule", p.rule.On, "context", p.from.Name(), "block", p.block.Block, "to", p.to, "err", err)
		return nil
	case errors.Is(err, kaijutsu.ErrDenied), errors.Is(err, kaijutsu.ErrNotFound), errors.Is(err, kaijutsu.ErrInvalid), errors.Is(err, kaijutsu.ErrTooLarge):
		k.count(func(s *Stats) { s.Failed++ })
		k.say("push "+p.from.String()+" "+p.limit, "drift policy: a block is not pushed", "rule", p.rule.On, "context", p.from.Name(), "block", p.block.Block, "to", p.to, "by", p.by, "err", err)
		return nil
	}
	return err
}
