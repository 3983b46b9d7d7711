package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
)

type driftPolicyIn struct{}

// ruleRow is when something is pushed by itself, and where to.
type ruleRow struct {
	On        string `json:"on" jsonschema:"done: a block of the label reaches status done. mention: a block that is done, or live text that has been quiet for 5 s, mentions the label of another context, as @planning. checkpoint: a block of kind checkpoint, or whose meta has checkpoint, reaches status done." rule:"enum=done|mention|checkpoint"`
	Label     string `json:"label,omitempty" jsonschema:"For done: what the block's meta has as label, or among its labels." rule:"maxlen=64"`
	From      string `json:"from,omitempty" jsonschema:"Only of this context. Default: of all." rule:"maxlen=1000"`
	To        string `json:"to,omitempty" jsonschema:"Where it goes, as the source context reads it, such as .parent. Not for mention, where the text says it." rule:"maxlen=1100"`
	Summarize bool   `json:"summarize,omitempty" jsonschema:"Push a briefing of the source context instead of the block; a checkpoint always does."`
}

// rateRow is how often something may happen.
type rateRow struct {
	PerMinute int `json:"per_minute" jsonschema:"On the average; 0: no limit." rule:"min=0,max=100000"`
	Burst     int `json:"burst,omitempty" jsonschema:"At once, after a rest. Default: as many as per minute." rule:"min=0,max=100000"`
}

// limitRow says how often may be pushed.
type limitRow struct {
	Principal *rateRow `json:"principal,omitempty" jsonschema:"By one principal. Absent: no limit."`
	Target    *rateRow `json:"target,omitempty" jsonschema:"To one context. Absent: no limit."`
}

// verdictRow is what is done with offers of other kernels.
type verdictRow struct {
	Principal string `json:"principal,omitempty" jsonschema:"Who offers, by the name of their token here. Default: everybody that is not named." rule:"maxlen=64"`
	Verdict   string `json:"verdict" jsonschema:"accept: deliver it. hold: keep it for drift_consent. refuse: tell the sender no." rule:"enum=accept|hold|refuse"`
	Reason    string `json:"reason,omitempty" jsonschema:"For who offers." rule:"maxlen=500"`
}

type policyRow struct {
	Rules     []ruleRow    `json:"rules" jsonschema:"What is pushed by itself. Empty: nothing is."`
	Automatic limitRow     `json:"automatic" jsonschema:"Limits of what rules push: what is over them is staged."`
	Manual    limitRow     `json:"manual" jsonschema:"Limits of what people, agents and other kernels push: what is over them is refused."`
	Act       string       `json:"act" jsonschema:"What is done when a push asks the receiver to act. never: it is declined. ask: who may edit the target is asked there. always: it is granted."`
	ActWait   int          `json:"act_wait_s" jsonschema:"How long such a question waits, in seconds."`
	Foreign   []verdictRow `json:"foreign" jsonschema:"What is done with drifts of other kernels: the one without a principal is for everybody else."`
}

func (o *operations) driftPolicy() *op.Op {
	return define(o, op.Spec{
		Name: "drift_policy", Title: "Show the drift policy", Command: []string{"drift", "policy"},
		Summary:     "Show what this kernel does about drifts by itself, and what it takes from other kernels",
		Description: "At first nothing is pushed by itself, nothing is limited, nobody is asked to act, and what other kernels offer is held for consent.",
		Scope:       op.OnKernel, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("drift_policy"),
	}, o.showPolicy)
}

func (o *operations) showPolicy(_ context.Context, c op.Call, _ driftPolicyIn) (policyRow, error) {
	if o.parts.Policy == nil {
		return policyRow{}, errNoDrift
	}
	p, err := o.parts.Policy.Get(c)
	if err != nil {
		return policyRow{}, err
	}
	return policyRowOf(p), nil
}

func policyRowOf(p policy.Policy) policyRow {
	wait := int(p.ActWait.Seconds())
	row := policyRow{
		Rules: []ruleRow{}, Automatic: limitRowOf(p.Automatic), Manual: limitRowOf(p.Manual),
		Act: string(cmp.Or(p.Act, policy.ActNever)), ActWait: cmp.Or(wait, defaultActWait),
		Foreign: []verdictRow{{"", string(cmp.Or(p.Foreign.Verdict, courier.Hold)), p.Foreign.Reason}},
	}
	for _, r := range p.Rules {
		row.Rules = append(row.Rules, ruleRow{string(r.On), r.Label, r.From, r.To, r.Summarize})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Principals)) {
		f := p.Principals[name]
		row.Foreign = append(row.Foreign, verdictRow{name, string(f.Verdict), f.Reason})
	}
	return row
}

// defaultActWait is how long a question waits, in seconds, where the policy
// does not say.
const defaultActWait = 3600

func limitRowOf(l policy.Limit) limitRow {
	return limitRow{rateRowOf(l.Principal), rateRowOf(l.Target)}
}

func rateRowOf(r policy.Rate) *rateRow {
	if r == (policy.Rate{}) {
		return nil
	}
	return &rateRow{r.PerMinute, r.Burst}
}
