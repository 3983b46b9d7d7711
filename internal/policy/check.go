package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/courier"
)

// Check returns an error that wraps kaijutsu.ErrInvalid, or ErrTooLarge, and
// names the field that is wrong, if one is.
func (p Policy) Check() error {
	if len(p.Rules) > maxRules {
		return fmt.Errorf("rules: there are %d: %w: at most %d", len(p.Rules), kaijutsu.ErrTooLarge, maxRules)
	}
	for i, r := range p.Rules {
		if err := r.check(fmt.Sprintf("rules[%d]", i)); err != nil {
			return err
		}
		if j := slices.Index(p.Rules[:i], r); j >= 0 {
			return field(fmt.Sprintf("rules[%d]", i), fmt.Sprintf("it is rule %d again", j), "leave one out")
		}
	}
	for _, l := range []struct {
		name  string
		limit Limit
	}{{"automatic", p.Automatic}, {"manual", p.Manual}} {
		if err := errors.Join(l.limit.Principal.check(l.name+".principal"), l.limit.Target.check(l.name+".target")); err != nil {
			return err
		}
	}
	switch p.Act {
	case "", ActNever, ActAsk, ActAlways:
	default:
		return field("act", fmt.Sprintf("%.32q is none", p.Act), "never, ask or always")
	}
	if p.ActWait < 0 || p.ActWait > maxActWait || p.ActWait%time.Second != 0 {
		return badWait(p.ActWait)
	}
	return p.checkForeign()
}

func badWait(d time.Duration) error {
	return field("act_wait_s", fmt.Sprintf("%v is no time to wait", d), "whole seconds, at most 86400; leave it out for an hour")
}

func (r Rule) check(name string) error {
	for _, t := range []struct {
		field, text string
		most        int
	}{{".label", r.Label, maxName}, {".from", r.From, maxAddress}, {".to", r.To, maxAddress}} {
		if err := checkText(name+t.field, t.text, t.most); err != nil {
			return err
		}
	}
	switch {
	case r.On != OnDone && r.On != OnMention && r.On != OnCheckpoint:
		return field(name+".on", fmt.Sprintf("%.32q is nothing to wait for", r.On), "done, mention or checkpoint")
	case r.On == OnDone && r.Label == "":
		return field(name+".label", "there is none", "say which blocks: those whose meta has this label")
	case r.On != OnDone && r.Label != "":
		return field(name+".label", fmt.Sprintf("a rule on %s looks at no label", r.On), "leave it out")
	case r.On == OnMention && r.To != "":
		return field(name+".to", "a mention says itself where it goes", "leave it out")
	case r.On != OnMention && r.To == "":
		return field(name+".to", "there is none", "give the address of the context that gets it")
	case r.On == OnCheckpoint && r.Summarize:
		return field(name+".summarize", "a checkpoint is always summarized", "leave it out")
	}
	return nil
}

func checkText(name, text string, most int) error {
	switch {
	case len(text) > most:
		return field(name, fmt.Sprintf("it has %d bytes", len(text)), fmt.Sprintf("at most %d", most))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return field(name, "it holds what cannot be printed", "write it on one line")
	case strings.TrimSpace(text) != text:
		return field(name, "there are spaces around it", "take them away")
	}
	return nil
}

func (r Rate) check(name string) error {
	switch {
	case r == Rate{}:
		return nil
	case r.PerMinute < 1 || r.PerMinute > maxPerMinute:
		return field(name+".per_minute", fmt.Sprintf("%d", r.PerMinute), fmt.Sprintf("want 1 to %d; leave the rate out for no limit", maxPerMinute))
	case r.Burst < 0 || r.Burst > maxPerMinute:
		return field(name+".burst", fmt.Sprintf("%d", r.Burst), fmt.Sprintf("want 1 to %d; leave it out for as many as per_minute", maxPerMinute))
	}
	return nil
}

func (p Policy) checkForeign() error {
	if p.Foreign != (Foreigner{}) {
		if err := p.Foreign.check("foreign"); err != nil {
			return err
		}
	}
	if len(p.Principals) > maxPrincipals {
		return fmt.Errorf("foreign: there are %d: %w: at most %d", len(p.Principals), kaijutsu.ErrTooLarge, maxPrincipals)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Principals)) {
		if name == "" || len(name) > maxName || checkText("", name, maxName) != nil {
			return field("foreign", fmt.Sprintf("%.80q is no principal's name", name), fmt.Sprintf("want 1 to %d bytes", maxName))
		}
		if err := p.Principals[name].check("foreign of " + name); err != nil {
			return err
		}
	}
	return nil
}

func (f Foreigner) check(name string) error {
	switch f.Verdict {
	case courier.Accept, courier.Hold, courier.Refuse:
		return checkText(name+": reason", f.Reason, maxReason)
	}
	return field(name+": verdict", fmt.Sprintf("%.32q is none", f.Verdict), "accept, hold or refuse")
}
