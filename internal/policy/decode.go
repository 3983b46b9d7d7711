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
