package oidc

import (
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
)

// Rules say what claims mean here.
type Rules struct {
	// NameClaim is the claim that a new principal's name is made of; default
	// preferred_username, else email, else sub.
	NameClaim string
	// GroupsClaim is the claim that holds groups: a list of words, or one;
	// default groups.
	GroupsClaim string
	// Roles give roles on the kernel; the greatest that fits counts.
	Roles []Role
	// Default is the role of those whom no rule fits; RightNone refuses them.
	Default kaijutsu.Right
	// Domains are those of which an address must be, checked by the provider;
	// none: no matter.
	Domains []string
}

// Role is a rule: who has a claim gets a role.
type Role struct {
	Claim string // "groups", "email", "sub", or another
	Value string
	Right kaijutsu.Right
}

// ParseRole reads a rule as "claim=value:role", as "groups=admins:owner".
func ParseRole(text string) (Role, error) {
	at := strings.LastIndexByte(text, ':')
	claim, value, ok := strings.Cut(text[:max(at, 0)], "=")
	if at < 0 || !ok || claim == "" || value == "" {
		return Role{}, fmt.Errorf("rule %.100q: %w: want claim=value:role, such as groups=admins:owner", text, kaijutsu.ErrInvalid)
	}
	right, err := kaijutsu.ParseRole(text[at+1:])
	if err == nil && right == kaijutsu.RightNone {
		err = fmt.Errorf("role none gives nothing: %w", kaijutsu.ErrInvalid)
	}
	if err != nil {
		return Role{}, fmt.Errorf("rule %.100q: %w", text, err)
	}
	return Role{claim, value, right}, nil
}

// Person is who somebody is, as the provider and the rules have it.
type Person struct {
	Issuer, Subject string
	Name            string // for a principal who is not known yet
	FullName        string // may be empty
	Email           string // checked by the provider; may be empty
	Service         bool   // a program by itself, not somebody who logged in
	Right           kaijutsu.Right
}

// person reads claims. The error wraps kaijutsu.ErrDenied for those whom the
// rules do not let in.
func (r Rules) person(issuer, subject string, claims map[string]any) (Person, error) {
	p := Person{Issuer: issuer, Subject: subject, FullName: word(claims, "name")}
	if checked(claims["email_verified"]) {
		p.Email = word(claims, "email")
	}
	if len(r.Domains) > 0 {
		_, domain, _ := strings.Cut(p.Email, "@")
		if !slices.ContainsFunc(r.Domains, func(d string) bool { return strings.EqualFold(d, domain) }) {
			return p, fmt.Errorf("%s has no checked address of a domain that is let in here: %w: ask an owner of the kernel", named(p, claims), kaijutsu.ErrDenied)
		}
	}
	// A token by client credentials says so by having its client for a subject.
	if c := word(claims, "client_id"); c != "" && c == subject {
		p.Service = true
	} else if c := word(claims, "azp"); c != "" && c == subject {
		p.Service = true
	}
	p.Name = r.name(p, claims)
	p.Right = r.Default
	for _, rule := range r.Roles {
		if rule.Right > p.Right && r.fits(rule, subject, p, claims) {
			p.Right = rule.Right
		}
	}
	if p.Right == kaijutsu.RightNone {
		return p, fmt.Errorf("%s is known to %s, but has no role here: %w: ask an owner of the kernel", named(p, claims), issuer, kaijutsu.ErrDenied)
	}
	return p, nil
}

// fits reports whether a rule is about somebody. An address that the provider
// has not checked fits none.
func (r Rules) fits(rule Role, subject string, p Person, claims map[string]any) bool {
	switch rule.Claim {
	case "sub":
		return rule.Value == subject
	case "email":
		return p.Email != "" && strings.EqualFold(rule.Value, p.Email)
	case "groups":
		return slices.Contains(words(claims, orElse(r.GroupsClaim, "groups")), rule.Value)
	}
	return slices.Contains(words(claims, rule.Claim), rule.Value)
}

// name returns what somebody new is called.
func (r Rules) name(p Person, claims map[string]any) string {
	for _, claim := range []string{r.NameClaim, "preferred_username", "email", "client_id"} {
		name := word(claims, claim)
		if claim == "email" {
			name = p.Email
		}
		if name = strings.TrimSpace(name); name != "" {
			return cut(name)
		}
	}
	return cut(p.Subject)
}

// maxName is what a principal's name may have, in bytes.
const maxName = 64

func cut(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	return strings.TrimSpace(name)
}

func named(p Person, claims map[string]any) string {
	return fmt.Sprintf("%.64q", orElse(word(claims, "preferred_username"), orElse(p.Email, p.Subject)))
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// checked reads email_verified, which some providers send as a word.
func checked(v any) bool { return v == true || v == "true" }

// word returns a claim that is one word; "" when it is not.
func word(claims map[string]any, name string) string {
	s, _ := claims[name].(string)
	return s
}

// words returns a claim that is a list of words, or one.
func words(claims map[string]any, name string) []string {
	switch v := claims[name].(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, one := range v {
			if s, ok := one.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}
