package torture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"kaijutsu"
)

const (
	// elsewhere is the kernel that offers come from, carrierName who brings them.
	elsewhere, carrierName = "elsewhere", "carrier"
	// offerTries is how often an offer is repeated at a server that nobody harms.
	offerTries = 5
)

// errStands is that something does not go on.
var errStands = fmt.Errorf("it does not go on: %w", kaijutsu.ErrUnavailable)

// consentRound offers drifts of another kernel, which are held, and kills the
// server while they are consented to; or while they are offered.
func (o *office) consentRound(ctx context.Context, n *node, round int) error {
	items := make([]*parcel, 1+o.s.random.IntN(6))
	for i := range items {
		p := o.newParcel(round, o.newID(), some(o, o.targets), true)
		p.by, p.sender, p.foreign = carrierName, "zoe", true
		items[i] = p
	}
	work := func() {
		each(items, func(p *parcel) {
			if state, err := o.offer(ctx, n, p); err == nil && state == "held" {
				o.consent(ctx, n, p)
			}
		})
	}
	if o.s.random.IntN(2) == 0 { // only the consents
		each(items, func(p *parcel) { _, _ = o.offer(ctx, n, p) })
		work = func() { each(items, func(p *parcel) { o.consent(ctx, n, p) }) }
	}
	if err := o.blow(ctx, n, work); err != nil {
		return err
	}
	o.d.Repeated += len(items)
	each(items, func(p *parcel) {
		state := ""
		for range offerTries {
			if state, _ = o.offer(ctx, n, p); state != "held" {
				break
			}
			o.consent(ctx, n, p)
		}
		if state != "delivered" {
			o.problem("%s: offered again, it is %q", p, state)
		}
	})
	return nil
}

// offer offers a parcel, perhaps not for the first time, and returns its state.
func (o *office) offer(ctx context.Context, n *node, p *parcel) (state string, err error) {
	var out struct{ State string }
	err = o.ask(ctx, n, p.by, "drift_offer", map[string]any{
		"id": p.id, "kernel": o.kernel(), "from_kernel": elsewhere, "from_context": p.from, "to": p.to, "content": p.text,
		"drift_kind": "push", "principal": map[string]any{"name": p.sender, "kind": "person"},
	}, &out)
	if err == nil {
		p.acked = true
	}
	return out.State, err
}

// kernel is the name of the stage's kernel.
func (o *office) kernel() string {
	if o.s.layout.servers > 0 {
		return kernelName
	}
	return "main"
}

// consent accepts a parcel that is held. That it is not held any more is no
// refusal to wonder at.
func (o *office) consent(ctx context.Context, n *node, p *parcel) {
	err := o.at(n, "").call(ctx, "drift_consent", map[string]any{"item": p.id}, nil)
	var no *refused
	switch {
	case err == nil:
	case !errors.As(err, &no):
		o.mu.Lock()
		o.d.Cut["drift_consent"]++
		o.mu.Unlock()
	case no.status != http.StatusNotFound && no.status != http.StatusConflict:
		o.problem("drift_consent is refused: %v", no)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
