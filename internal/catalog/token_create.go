package catalog

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
)

type tokenCreateIn struct {
	Name     string   `json:"name" jsonschema:"Who it is for: the name under which histories show what is done with it. A name that exists gets one more token." rule:"minlen=1,maxlen=64"`
	Kind     string   `json:"kind,omitempty" jsonschema:"What sort of actor that is. A service is a relay: what comes through it is shown as via its name. Default: the kind that the name has, else agent." rule:"enum=person|agent|service"`
	Role     string   `json:"role,omitempty" jsonschema:"What it may do with every context. Default: the role that the name has, else editor." rule:"enum=none|reader|commenter|editor|owner"`
	Deny     []string `json:"deny,omitempty" jsonschema:"Operations that it may not use: names, or families such as block_*. Default: those that the name has, else none." rule:"maxitems=100"`
	Limit    string   `json:"limit,omitempty" jsonschema:"The most that this token gives of the role, wherever it is greater. Default: all of it." rule:"enum=reader|commenter|editor|owner"`
	Contexts []string `json:"contexts,omitempty" jsonschema:"The only contexts that exist for this token: ids, automerge: URLs, labels or titles. With them it gives no right on the kernel as a whole. Default: all." rule:"maxitems=1000"`
	Only     []string `json:"only,omitempty" jsonschema:"The only operations that this token may use: names, or families such as block_*. It opens no editor's connection, unless doors says sync. Default: all." rule:"maxitems=100"`
	Without  []string `json:"without,omitempty" jsonschema:"Operations that this token may not use, besides those that the name may not. Default: none." rule:"maxitems=100"`
	Doors    []string `json:"doors,omitempty" jsonschema:"Where this token is taken: http (operations, streams and the page), sync (editors) and mcp (agents). Default: everywhere." rule:"maxitems=3"`
	Expires  string   `json:"expires,omitempty" jsonschema:"When it ends: a time such as 2026-12-31T00:00:00Z, or how long from now, such as 72h. Default: never." rule:"maxlen=64"`
}

type tokenRow struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Role     string   `json:"role"`
	Deny     []string `json:"deny,omitempty"`
	Created  string   `json:"created"`
	By       string   `json:"created_by,omitempty"`
	Expires  string   `json:"expires,omitempty"`
	LastUsed string   `json:"last_used,omitempty" jsonschema:"Since the server was started."`

	Limit    string   `json:"limit,omitempty" jsonschema:"The most that the token gives of the role."`
	Contexts []string `json:"contexts,omitempty" jsonschema:"The ids of the only contexts that exist for it."`
	Only     []string `json:"only,omitempty" jsonschema:"The only operations that it may use."`
	Without  []string `json:"without,omitempty" jsonschema:"Operations that it may not use, besides those in deny."`
	Doors    []string `json:"doors,omitempty" jsonschema:"Where it is taken: http, sync, mcp. Absent: everywhere."`
	Via      string   `json:"via,omitempty" jsonschema:"Who vouched for whom it belongs to, as oidc. Absent: somebody made it."`
	Rotated  string   `json:"rotated,omitempty" jsonschema:"When it got the secret that it has."`
	Former   string   `json:"former_until,omitempty" jsonschema:"Until when the secret before that is good. Absent: it is not."`
}

type tokenCreateOut struct {
	tokenRow
	Token string `json:"token" jsonschema:"The token. It is shown this once and kept nowhere."`
}

func (o *operations) tokenCreate() *op.Op {
	return define(o, op.Spec{
		Name: "token_create", Title: "Create a token", Args: []string{"name"},
		Summary: "Make a token, with which somebody logs in under a name and with a role",
		Description: "The token is in the result, once. Everything done with it is attributed to the name, for ever, so give each agent its own. " +
			"role_set changes a role later, also for one context.\n\n" +
			"limit, contexts, only, without and doors narrow what this one token gives of what its name may do; they bind the calls and connections that it is used for, and nothing else of the name.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Writes,
		Examples: examplesOf("token_create"),
	}, o.createToken)
}

func (o *operations) createToken(ctx context.Context, c op.Call, in tokenCreateIn) (tokenCreateOut, error) {
	n := access.NewToken{Name: in.Name, Kind: kaijutsu.PrincipalKind(in.Kind), Deny: in.Deny, By: c.By}
	known, ok := o.parts.Access.Member(in.Name)
	if !ok {
		known = access.Member{Principal: kaijutsu.Principal{Kind: kaijutsu.Agent}, Right: kaijutsu.RightEdit}
	}
	if n.Kind == "" {
		n.Kind = known.Principal.Kind
	}
	if n.Deny == nil {
		n.Deny = known.Deny
	}
	n.Right = known.Right
	var err error
	if in.Role != "" {
		if n.Right, err = kaijutsu.ParseRole(in.Role); err != nil {
			return tokenCreateOut{}, fmt.Errorf("role: %w", err)
		}
	}
	if n.Expires, err = parseExpiry(in.Expires, time.Now()); err != nil {
		return tokenCreateOut{}, err
	}
	if n.Scope, err = o.scopeOf(ctx, c, in); err != nil {
		return tokenCreateOut{}, err
	}
	for _, list := range []struct {
		field string
		words []string
	}{{"deny", in.Deny}, {"only", in.Only}, {"without", in.Without}} {
		for i, word := range list.words {
			if there := o.set.Instead(word); there != "" {
				return tokenCreateOut{}, &op.FieldError{Field: fmt.Sprintf("%s[%d]", list.field, i), Reason: fmt.Sprintf("there is no operation %.64q", word), Hint: there}
			}
		}
	}
	secret, made, err := o.parts.Access.CreateToken(ctx, n)
	if err != nil {
		return tokenCreateOut{}, err
	}
	return tokenCreateOut{tokenRowOf(made), secret}, nil
}

// scopeOf reads what a token is to narrow.
func (o *operations) scopeOf(ctx context.Context, c op.Call, in tokenCreateIn) (s access.Scope, err error) {
	s = access.Scope{Only: in.Only, Deny: in.Without, Doors: in.Doors}
	if in.Limit != "" {
		if s.Most, err = kaijutsu.ParseRole(in.Limit); err != nil {
			return s, fmt.Errorf("limit: %w", err)
		}
	}
	for i, name := range in.Contexts {
		doc, err := o.parts.Kernel.Resolve(ctx, c, name, kaijutsu.RightRead)
		if err != nil {
			return s, kaijutsu.About(fmt.Sprintf("contexts[%d]", i), err)
		}
		s.Contexts = append(s.Contexts, doc)
	}
	return s, nil
}

// parseExpiry reads a time, or how long it is until then; "" is never.
func parseExpiry(word string, now time.Time) (time.Time, error) {
	if word == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, word); err == nil {
		return t, nil
	}
	if d, err := time.ParseDuration(word); err == nil && d > 0 {
		return now.Add(d), nil
	}
	return time.Time{}, &op.FieldError{Field: "expires", Reason: fmt.Sprintf("%q is no time to come", word), Hint: "want one such as 2026-12-31T00:00:00Z, or how long from now, such as 72h"}
}

// tokenRowOf shows a token.
func tokenRowOf(t access.Token) tokenRow {
	r := tokenRow{
		ID: t.ID, Name: t.Principal.Name, Kind: string(t.Principal.Kind), Role: t.Right.String(), Deny: t.Deny,
		Created: timeText(t.Created), By: t.By.Name, Expires: timeText(t.Expires), LastUsed: timeText(t.Used),
		Only: t.Scope.Only, Without: t.Scope.Deny, Doors: t.Scope.Doors, Via: t.Via, Rotated: timeText(t.Rotated), Former: timeText(t.Former),
	}
	if t.Scope.Most != kaijutsu.RightNone {
		r.Limit = t.Scope.Most.String()
	}
	for _, doc := range t.Scope.Contexts {
		r.Contexts = append(r.Contexts, doc.Name())
	}
	return r
}
