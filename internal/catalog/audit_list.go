package catalog

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/op"
)

type auditListIn struct {
	Principal string `json:"principal,omitempty" jsonschema:"Only what this name did or was refused." rule:"maxlen=64"`
	Action    string `json:"action,omitempty" jsonschema:"Only this operation, or family as token_*; or login, logout, connect, address (a token at a new address), change (by an editor)." rule:"maxlen=64"`
	Outcome   string `json:"outcome,omitempty" jsonschema:"Only done, refused (for want of a right or of a valid token) or failed." rule:"enum=done|refused|failed"`
	From      string `json:"from,omitempty" jsonschema:"Only from this network address." rule:"maxlen=64"`
	Since     string `json:"since,omitempty" jsonschema:"Only from then on: a time such as 2026-12-31T00:00:00Z, or how long ago, such as 24h." rule:"maxlen=64"`
	Until     string `json:"until,omitempty" jsonschema:"Only before then, said like since." rule:"maxlen=64"`
	Limit     int    `json:"limit,omitempty" jsonschema:"The newest so many. Default 100." rule:"min=1,max=1000"`
}

type auditRow struct {
	At        string            `json:"at"`
	Action    string            `json:"action" jsonschema:"An operation's name; or login, logout, connect, address, change, and what else the server notes."`
	Outcome   string            `json:"outcome" jsonschema:"done, refused or failed."`
	Principal string            `json:"principal,omitempty" jsonschema:"Absent: nobody that is known."`
	Kind      string            `json:"kind,omitempty" jsonschema:"person, agent or service."`
	Token     string            `json:"token,omitempty" jsonschema:"The id of the token that was used."`
	Door      string            `json:"door,omitempty" jsonschema:"http, mcp, sync or page. Absent: the server itself."`
	From      string            `json:"from,omitempty" jsonschema:"The network address."`
	About     map[string]string `json:"about,omitempty" jsonschema:"On what and whom, by parameter. Never text of blocks, never a secret."`
	Reason    string            `json:"reason,omitempty"`
	Times     int               `json:"times,omitempty" jsonschema:"How often the same was refused again within the minute before. Absent: this once."`
}

type auditListOut struct {
	Entries []auditRow `json:"entries" jsonschema:"The oldest first."`
	More    bool       `json:"more,omitempty" jsonschema:"There are older ones."`
}

func (o *operations) auditList() *op.Op {
	return define(o, op.Spec{
		Name: "audit_list", Title: "List the audit log", Command: []string{"audit"},
		Summary: "Say who was refused what, and who did what few may do",
		Description: "Refused calls, connections and changes, logins, tokens at new addresses, roles, tokens, mounts and identities that were set, and operations that cannot be taken back, " +
			"as this node saw them. Refusals that repeat within a minute are one entry with their number.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("audit_list"),
	}, o.listAudit)
}

func (o *operations) listAudit(ctx context.Context, _ op.Call, in auditListIn) (auditListOut, error) {
	out := auditListOut{Entries: []auditRow{}}
	if o.parts.Audit == nil {
		return out, fmt.Errorf("there is no audit log here: %w", kaijutsu.ErrUnavailable)
	}
	f := audit.Filter{Principal: in.Principal, Action: in.Action, Outcome: in.Outcome, From: in.From, Limit: in.Limit}
	var err error
	now := time.Now()
	if f.Since, err = parsePast("since", in.Since, now); err != nil {
		return out, err
	}
	if f.Until, err = parsePast("until", in.Until, now); err != nil {
		return out, err
	}
	entries, more, err := o.parts.Audit.List(ctx, f)
	if err != nil {
		return out, fmt.Errorf("read the audit log: %w", err)
	}
	out.More = more
	for _, e := range entries {
		out.Entries = append(out.Entries, auditRow{
			At: timeText(e.At), Action: e.Action, Outcome: e.Outcome, Principal: e.Principal, Kind: e.Kind, Token: e.Token,
			Door: e.Door, From: e.From, About: e.About, Reason: e.Reason, Times: e.Times,
		})
	}
	return out, nil
}

// parsePast reads a time, or how long it was ago; "" is no bound.
func parsePast(field, word string, now time.Time) (time.Time, error) {
	if word == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, word); err == nil {
		return t, nil
	}
	if d, err := time.ParseDuration(word); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, &op.FieldError{Field: field, Reason: fmt.Sprintf("%.64q is no time", word), Hint: "want one such as 2026-12-31T00:00:00Z, or how long ago, such as 24h"}
}
