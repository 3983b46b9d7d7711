package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/link"
	"kaijutsu/internal/op"
)

func (o *operations) driftOffer() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_offer", Title: "Offer a drift", Command: []string{"drift", "offer"},
		Summary: "Offer a drift of another kernel to this one, which accepts, holds or refuses it",
		Description: "It is what kernels ask each other; people and agents use drift_push with kernel:context. " +
			"The policy of this kernel decides: accepted, it is delivered with the caller as its author; held, it waits for drift_consent; refused, `reason` says why. " +
			"Offered again under the same id it is delivered once; with another content that is a conflict.\n\n" +
			"Who may read the context that it goes to may offer. It is delivered at once only when they may edit it too, and else waits until somebody who may consents.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("drift_offer"),
	}, o.offerDrift)
}

func (o *operations) offerDrift(ctx context.Context, c op.Call, in link.Offer) (link.Answer, error) {
	if err := in.Check(o.parts.Name); err != nil {
		return link.Answer{}, err
	}
	it, err := in.Item()
	if err != nil {
		return link.Answer{}, err
	}
	r, err := o.parts.Drift.Offer(ctx, c, it)
	if err != nil {
		return link.Answer{}, err
	}
	answer := link.Answer{Kernel: o.parts.Name, Reason: r.Reason, BlockID: string(r.Block), Context: r.Context}
	switch r.State {
	case drift.StateDelivered:
		answer.State = link.Delivered
	case drift.StateHeld:
		answer.State = link.Held
	default:
		answer.State = link.Refused
	}
	return answer, nil
}
