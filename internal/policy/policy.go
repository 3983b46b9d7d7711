package policy

import (
	"maps"
	"slices"
	"time"

	"kaijutsu/internal/courier"
)

// On is what a rule waits for.
type On string

// What rules wait for.
const (
	// OnDone is a block that reaches status done and whose meta has the rule's
	// label: as "label", or in the list "labels".
	OnDone On = "done"
	// OnMention is a text, comment, task or drift block that reaches done and
	// mentions the label of another context: "@planning". Live text counts when
	// it has been quiet for some seconds.
	OnMention On = "mention"
	// OnCheckpoint is a block that reaches status done and is of kind checkpoint,
	// or whose meta has "checkpoint": true.
	OnCheckpoint On = "checkpoint"
)

// Rule is when something is pushed, and where to.
type Rule struct {
	On On
	// Label is the label of the blocks that OnDone is about.
	Label string
	// From is the address of the only context that the rule is about; empty: all.
	From string
	// To is the address that it is pushed to, as the source context reads it
	// (".parent"). It is empty for OnMention, where the text says it.
	To string
	// Summarize pushes a briefing of the source context in place of the block,
	// as a checkpoint always does.
	Summarize bool
}

// Rate is how often something may happen. The zero Rate is no limit.
type Rate struct {
	PerMinute int // on the average
	Burst     int // at once, after a rest; default PerMinute
}

// Limit says how often may be pushed.
type Limit struct {
	Principal Rate // by one principal
	Target    Rate // to one context
}

// Act is what a receiver does with a push that asks it to act.
type Act string

// What a receiver does with a wish to act.
const (
	ActNever  Act = "never"  // declines
	ActAsk    Act = "ask"    // asks who may edit the target, there
	ActAlways Act = "always" // grants
)

// Foreigner is what is done with what a principal offers for another kernel.
type Foreigner struct {
	Verdict courier.Verdict
	Reason  string // told to who offers; empty: one that fits the verdict
}

// Policy is what a kernel does about drifts. The zero value pushes nothing by
// itself, limits nothing, never acts and holds what is foreign.
type Policy struct {
	Rules []Rule
	// Automatic limits what rules push: what is over the limit is staged.
	// Manual limits what people and agents push and other kernels offer: what is
	// over the limit is refused.
	Automatic, Manual Limit
	Act               Act           // "" is ActNever
	ActWait           time.Duration // how long a question waits; 0 is an hour
	Foreign           Foreigner     // for everybody not named; verdict "" is hold
	Principals        map[string]Foreigner
}

// watches reports whether blocks have to be looked at.
func (p *Policy) watches() bool { return len(p.Rules) > 0 || p.Act == ActAsk }

// mentions reports whether there is a rule about mentions.
func (p *Policy) mentions() bool {
	return slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.On == OnMention })
}

// clone returns a copy that shares nothing.
func (p Policy) clone() Policy {
	p.Rules, p.Principals = slices.Clone(p.Rules), maps.Clone(p.Principals)
	return p
}
