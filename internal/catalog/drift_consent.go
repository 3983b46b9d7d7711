package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type driftConsentIn struct {
	oneItem
	Accept bool   `json:"accept,omitempty" jsonschema:"True: deliver it. False: refuse it." rule:"default=true"`
	Reason string `json:"reason,omitempty" jsonschema:"Why it is refused, for its sender. Only with accept false." rule:"maxlen=500"`
}

func (o *operations) driftConsent() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_consent", Title: "Consent to a drift", Command: []string{"drift", "consent"}, Args: []string{"item"},
		Summary: "Accept or refuse a drift of another kernel that is held for consent",
		Description: "Which drifts are held says the receiving kernel's policy: drift_policy. Accepted, it is delivered at once; refused, it is a dead letter of the kernel that it came from, with the reason; its sender learns either at the next flush of the source.\n\n" +
			"It takes the right to edit the context that it goes to.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes,
		Examples: examplesOf("drift_consent"),
	}, o.consentDrift)
}

func (o *operations) consentDrift(ctx context.Context, c op.Call, in driftConsentIn) (driftRow, error) {
	if in.Accept && in.Reason != "" {
		return driftRow{}, &op.FieldError{Field: "reason", Reason: "it is for a refusal", Hint: "leave it out, or accept false"}
	}
	out, err := o.parts.Drift.Consent(ctx, c, in.Item, in.Accept, in.Reason)
	if err != nil {
		return driftRow{}, err
	}
	return o.endpoints(c).outcome(ctx, out), nil
}
