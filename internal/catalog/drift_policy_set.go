package catalog

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
)

type driftPolicySetIn struct {
	Rules     []ruleRow    `json:"rules,omitempty" jsonschema:"What is pushed by itself, instead of the rules that there are; an empty list takes all away. Default: they stay." rule:"maxitems=64"`
	Automatic *limitRow    `json:"automatic,omitempty" jsonschema:"Limits of what rules push. Default: they stay."`
	Manual    *limitRow    `json:"manual,omitempty" jsonschema:"Limits of what people, agents and other kernels push. Default: they stay."`
	Act       string       `json:"act,omitempty" jsonschema:"What is done when a push asks the receiver to act: never, ask who may edit the target, or always. Default: as it is." rule:"enum=never|ask|always"`
	ActWait   int          `json:"act_wait_s,omitempty" jsonschema:"How long such a question waits, in seconds. Default: as it is." rule:"min=1,max=86400"`
	Foreign   []verdictRow `json:"foreign,omitempty" jsonschema:"What is done with drifts of other kernels, instead of what was; the one without a principal is for everybody else, and without one they are held. Default: as it is." rule:"maxitems=256"`
}

func (o *operations) driftPolicySet() *op.Op {
	return define(o, op.Spec{
		Name: "drift_policy_set", Title: "Set the drift policy", Command: []string{"drift", "policy-set"},
		Summary: "Say what this kernel does about drifts by itself, and what it takes from other kernels",
		Description: "What is left out stays as it is. It counts at once here, and on other nodes when it arrives there. " +
			"What a rule pushes is by the principal that made the change it is about, as far as they may, and only of their own words; the same finding does not go where it has been.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("drift_policy_set"),
	}, o.setPolicy)
}

func (o *operations) setPolicy(ctx context.Context, c op.Call, in driftPolicySetIn) (policyRow, error) {
	if o.parts.Policy == nil {
		return policyRow{}, errNoDrift
	}
	p, err := o.parts.Policy.Get(c)
	if err != nil {
		return policyRow{}, err
	}
	if in.Rules != nil {
		p.Rules = nil
		for _, r := range in.Rules {
			p.Rules = append(p.Rules, policy.Rule{On: policy.On(r.On), Label: r.Label, From: r.From, To: r.To, Summarize: r.Summarize})
		}
	}
	if in.Automatic != nil {
		p.Automatic = in.Automatic.limit()
	}
	if in.Manual != nil {
		p.Manual = in.Manual.limit()
	}
	if in.Act != "" {
		p.Act = policy.Act(in.Act)
	}
	if in.ActWait != 0 {
		p.ActWait = time.Duration(in.ActWait) * time.Second
	}
	if in.Foreign != nil {
		if p.Foreign, p.Principals, err = foreigners(in.Foreign); err != nil {
			return policyRow{}, err
		}
	}
	if err := o.parts.Policy.Set(ctx, c, p); err != nil {
		return policyRow{}, err
	}
	return policyRowOf(p), nil
}

func (l limitRow) limit() policy.Limit {
	return policy.Limit{Principal: l.Principal.rate(), Target: l.Target.rate()}
}

func (r *rateRow) rate() policy.Rate {
	if r == nil {
		return policy.Rate{}
	}
	return policy.Rate{PerMinute: r.PerMinute, Burst: r.Burst}
}

// foreigners returns what is done for everybody, and for who is named.
func foreigners(rows []verdictRow) (all policy.Foreigner, named map[string]policy.Foreigner, err error) {
	named = make(map[string]policy.Foreigner)
	general := false
	for i, r := range rows {
		f := policy.Foreigner{Verdict: courier.Verdict(r.Verdict), Reason: r.Reason}
		_, twice := named[r.Principal]
		switch {
		case twice || r.Principal == "" && general:
			return all, nil, &op.FieldError{Field: fmt.Sprintf("foreign[%d].principal", i), Reason: fmt.Sprintf("%q is there twice", r.Principal), Hint: "say it once"}
		case r.Principal == "":
			all, general = f, true
		default:
			named[r.Principal] = f
		}
	}
	return all, named, nil
}
