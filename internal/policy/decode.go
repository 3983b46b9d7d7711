package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
)

// Limits of a policy.
const (
	version       = 1
	maxPolicy     = 60 << 10 // bytes as JSON
	maxRules      = 100
	maxPrincipals = 500
	maxName       = 64 // bytes of a label or a principal's name
	maxAddress    = 1100
	maxReason     = 500
	maxPerMinute  = 1_000_000
	maxActWait    = 24 * time.Hour
	defaultWait   = time.Hour
)

// The policy as JSON: the parameters of drift_policy_set, and a version.
type (
	policyRow struct {
		V         int            `json:"v,omitempty"` // 0 is the newest
		Rules     []ruleRow      `json:"rules,omitempty"`
		Automatic *limitRow      `json:"automatic,omitempty"`
		Manual    *limitRow      `json:"manual,omitempty"`
		Act       string         `json:"act,omitempty"`
		ActWait   int            `json:"act_wait_s,omitempty"`
		Foreign   []foreignerRow `json:"foreign,omitempty"`
	}
	ruleRow struct {
		On        On     `json:"on"`
		Label     string `json:"label,omitempty"`
		From      string `json:"from,omitempty"`
		To        string `json:"to,omitempty"`
		Summarize bool   `json:"summarize,omitempty"`
	}
	limitRow struct {
		Principal *rateRow `json:"principal,omitempty"`
		Target    *rateRow `json:"target,omitempty"`
	}
	rateRow struct {
		PerMinute int `json:"per_minute"`
		Burst     int `json:"burst,omitempty"`
	}
	foreignerRow struct {
		Principal string          `json:"principal,omitempty"` // "": everybody that is not named
		Verdict   courier.Verdict `json:"verdict"`
		Reason    string          `json:"reason,omitempty"`
	}
)

// Decode reads a policy as JSON; the version may be left out. Nothing in it is
// passed over. The error wraps kaijutsu.ErrInvalid or ErrTooLarge and names the
// field.
func Decode(b []byte) (Policy, error) {
	if len(b) > maxPolicy {
		return Policy{}, fmt.Errorf("policy of %d bytes: %w: at most %d", len(b), kaijutsu.ErrTooLarge, maxPolicy)
	}
	var row policyRow
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&row); err != nil {
		return Policy{}, notPolicy(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Policy{}, fmt.Errorf("policy: something stands behind the object: %w", kaijutsu.ErrInvalid)
	}
	if row.V != 0 && row.V != version {
		return Policy{}, field("v", fmt.Sprintf("version %d is not read here", row.V), fmt.Sprintf("this server knows version %d; a newer one has written it", version))
	}
	p, err := row.policy()
	if err != nil {
		return Policy{}, err
	}
	return p, p.Check()
}

// notPolicy names the field of an error of the decoder.
func notPolicy(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return field(wrong.Field, fmt.Sprintf("%s does not fit", wrong.Value), fmt.Sprintf("want %v", wrong.Type))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = strings.Trim(name, `"`)
		known := []string{"v", "rules", "on", "label", "from", "to", "summarize", "automatic", "manual", "principal", "target",
			"per_minute", "burst", "act", "act_wait_s", "foreign", "reason", "verdict"}
		hint := "see docs/drift-policies.md"
		if near := op.Nearest(name, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return field(name, "there is no such field here", hint)
	}
	return fmt.Errorf("policy: %w: %w", err, kaijutsu.ErrInvalid)
}

// Encode returns a policy as JSON that Decode reads.
func Encode(p Policy) ([]byte, error) {
	b, err := json.Marshal(rowOf(p))
	if err != nil {
		return nil, fmt.Errorf("encode the policy: %w", err)
	}
	return b, nil
}

func field(name, reason, hint string) error {
	return &op.FieldError{Field: name, Reason: reason, Hint: hint}
}

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

// policy returns what a row says. What is said by leaving it out is left out.
func (row policyRow) policy() (Policy, error) {
	p := Policy{Automatic: row.Automatic.limit(), Manual: row.Manual.limit(), Act: Act(row.Act)}
	for _, r := range row.Rules {
		p.Rules = append(p.Rules, Rule(r))
	}
	if row.ActWait < 0 || row.ActWait > int(maxActWait/time.Second) {
		return Policy{}, badWait(time.Duration(row.ActWait))
	}
	p.ActWait = time.Duration(row.ActWait) * time.Second
	for i, f := range row.Foreign {
		_, twice := p.Principals[f.Principal]
		switch v := (Foreigner{f.Verdict, f.Reason}); {
		case twice || f.Principal == "" && p.Foreign != (Foreigner{}):
			return Policy{}, field(fmt.Sprintf("foreign[%d].principal", i), fmt.Sprintf("%q is there twice", f.Principal), "say it once")
		case v == Foreigner{}:
			return Policy{}, field(fmt.Sprintf("foreign[%d].verdict", i), "there is none", "accept, hold or refuse")
		case f.Principal == "":
			p.Foreign = v
		default:
			if p.Principals == nil {
				p.Principals = make(map[string]Foreigner)
			}
			p.Principals[f.Principal] = v
		}
	}
	return p, nil
}

func (row *limitRow) limit() (l Limit) {
	if row == nil {
		return l
	}
	return Limit{row.Principal.rate(), row.Target.rate()}
}

func (row *rateRow) rate() Rate {
	if row == nil {
		return Rate{}
	}
	return Rate(*row)
}

func rowOf(p Policy) policyRow {
	row := policyRow{V: version, Automatic: rowOfLimit(p.Automatic), Manual: rowOfLimit(p.Manual), Act: string(p.Act), ActWait: int(p.ActWait / time.Second)}
	for _, r := range p.Rules {
		row.Rules = append(row.Rules, ruleRow(r))
	}
	if p.Foreign != (Foreigner{}) {
		row.Foreign = append(row.Foreign, foreignerRow{"", p.Foreign.Verdict, p.Foreign.Reason})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Principals)) {
		f := p.Principals[name]
		row.Foreign = append(row.Foreign, foreignerRow{name, f.Verdict, f.Reason})
	}
	return row
}

func rowOfLimit(l Limit) *limitRow {
	if l == (Limit{}) {
		return nil
	}
	row := &limitRow{}
	if l.Principal != (Rate{}) {
		row.Principal = &rateRow{l.Principal.PerMinute, l.Principal.Burst}
	}
	if l.Target != (Rate{}) {
		row.Target = &rateRow{l.Target.PerMinute, l.Target.Burst}
	}
	return row
}
