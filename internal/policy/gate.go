package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
)

var _ courier.Gate = (*Keeper)(nil)

// Push refuses an item that has been where it goes: with an error that wraps
// kaijutsu.ErrConflict. One that nobody asked for, auto or by a rule, is refused
// also where the same finding already is. What people, agents and other kernels
// push is refused over the limit, with an error that wraps
// kaijutsu.ErrUnavailable and says when there is room again.
func (k *Keeper) Push(ctx context.Context, it *drift.Item, auto bool) error {
	k.mu.Lock()
	f, rule := k.flights[it.ID]
	k.mu.Unlock()
	if rule {
		it.Meta.Chain = union(f.chain, it.Meta.Chain)
		if f.finding != "" {
			it.Meta.Finding = f.finding
		}
	}
	if !it.Target.IsZero() {
		if err := k.circles(ctx, it.Target, it.Meta, auto || rule); err != nil {
			if it.From.IsZero() || auto || rule || !errors.Is(err, kaijutsu.ErrConflict) {
				return err // another kernel has nothing to say that would change it
			}
			return fmt.Errorf("%w: say again to push it there all the same", err)
		}
	}
	if rule {
		return nil // it was counted before it took off
	}
	by := it.By
	if by.IsZero() {
		by = it.Meta.Principal
	}
	return k.limited(auto, by, it.Target, keyOf(it.Target, it.ToKernel, it.To))
}

// circles refuses what goes where it has been, or, of what nobody asked for,
// where the same finding is.
func (k *Keeper) circles(ctx context.Context, target kaijutsu.DocumentID, m drift.Meta, auto bool) error {
	if slices.Contains(m.Chain, k.place(target)) {
		return fmt.Errorf("this finding has been in context %s already: %w", k.named(target), kaijutsu.ErrConflict)
	}
	if !auto || m.Finding == "" {
		return nil
	}
	if err := k.cfg.Index.Settle(ctx, target); err != nil {
		return fmt.Errorf("look for the finding in context %s: %w", k.named(target), err)
	}
	if k.cfg.Index.Has(target, m.Finding) {
		return fmt.Errorf("context %s has this finding already: %w", k.named(target), kaijutsu.ErrConflict)
	}
	return nil
}

// place is a context of this kernel in a chain.
func (k *Keeper) place(doc kaijutsu.DocumentID) string { return k.cfg.Name + ":" + doc.Name() }

// named is what an error calls a context.
func (k *Keeper) named(doc kaijutsu.DocumentID) string {
	info, err := k.cfg.Kernel.Context(k.stopping, k.call(doc), doc)
	if err != nil {
		return doc.Name()
	}
	return fmt.Sprintf("%q (%s)", clipTitle(info.Title), k.cfg.Kernel.Short(doc))
}

// clipTitle shortens a title for an error.
func clipTitle(title string) string {
	const most = 60
	if runes := []rune(title); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return title
}

// limited takes what a push takes of the limit for what rules push, or for what
// others do: each is counted by itself. The target is a context of this kernel,
// or else goes by its key. The error says whose limit it is, by name, and when
// there is room again.
func (k *Keeper) limited(auto bool, by kaijutsu.Principal, doc kaijutsu.DocumentID, target string) error {
	p := k.policy.Load()
	limit, kind := p.Manual, "manual "
	if auto {
		limit, kind = p.Automatic, "automatic "
	}
	now := k.cfg.Now()
	over, wait := k.buckets.take(now, draw{kind + "by " + by.String(), limit.Principal}, draw{kind + "to " + target, limit.Target})
	if wait <= 0 {
		return nil
	}
	whole := wait.Truncate(time.Second)
	if whole < wait {
		whole += time.Second
	}
	what := by.Name + " pushes"
	switch {
	case over == 1 && doc.IsZero():
		what = target + " gets"
	case over == 1:
		what = "context " + k.named(doc) + " gets"
	}
	return fmt.Errorf("%s more than the kernel's policy allows: %w: there is room again in %v, at %s",
		what, kaijutsu.ErrUnavailable, whole, now.Add(whole).UTC().Format(time.TimeOnly+"Z"))
}

// Foreign says what is done with what a principal offers for another kernel,
// and why: what the policy says of it, or of everybody, or else it is held.
func (k *Keeper) Foreign(by kaijutsu.Principal) (courier.Verdict, string) {
	p := k.policy.Load()
	f, named := p.Principals[by.Name]
	if !named {
		f = p.Foreign
	}
	if f.Verdict == "" {
		f.Verdict = courier.Hold
	}
	switch {
	case f.Reason != "":
	case f.Verdict == courier.Hold:
		f.Reason = "it waits for the consent of somebody who may edit the context"
	case f.Verdict == courier.Refuse:
		f.Reason = "this kernel takes nothing from " + by.Name
	}
	return f.Verdict, f.Reason
}

// Act answers a wish that the receiver act, by the policy of this kernel, which
// is the target's.
func (k *Keeper) Act(drift.Item) string {
	switch k.policy.Load().Act {
	case ActAlways:
		return drift.ActGranted
	case ActAsk:
		return drift.ActPending
	}
	return drift.ActDeclined
}

// keyOf names a target, here or elsewhere.
func keyOf(doc kaijutsu.DocumentID, kernel, to string) string {
	if !doc.IsZero() {
		return doc.String()
	}
	return kernel + ":" + to
}

// maxChain is how many places a chain holds.
const maxChain = 64

// union returns the places of both, each once, in order; of very many the first
// ones and the last.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if n := len(out); n > maxChain {
		out = append(out[:maxChain-1], out[n-1])
	}
	return out
}
