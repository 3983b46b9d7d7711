package oidc

import (
	"errors"
	"testing"

	"kaijutsu"
)

func TestRules(t *testing.T) {
	all := Rules{
		Roles: []Role{
			{"groups", "staff", kaijutsu.RightRead}, {"groups", "writers", kaijutsu.RightEdit}, {"email", "boss@example.org", kaijutsu.RightOwn},
			{"sub", "robot-7", kaijutsu.RightComment}, {"department", "docs", kaijutsu.RightEdit},
		},
	}
	tests := []struct {
		name    string
		rules   Rules
		subject string
		claims  map[string]any
		want    Person
		refused bool
	}{
		{"the greatest that fits", all, "1", map[string]any{"groups": []any{"staff", "writers"}, "preferred_username": "amy"}, Person{Name: "amy", Right: kaijutsu.RightEdit}, false},
		{"a group alone", all, "1", map[string]any{"groups": "staff", "preferred_username": "amy", "name": "Amy A."}, Person{Name: "amy", FullName: "Amy A.", Right: kaijutsu.RightRead}, false},
		{"another claim", all, "1", map[string]any{"department": "docs"}, Person{Name: "1", Right: kaijutsu.RightEdit}, false},
		{"an address that was checked", all, "1", map[string]any{"email": "Boss@example.org", "email_verified": true}, Person{Name: "Boss@example.org", Email: "Boss@example.org", Right: kaijutsu.RightOwn}, false},
		{"one that was not", all, "1", map[string]any{"email": "boss@example.org"}, Person{}, true},
		{"nobody", all, "1", map[string]any{"groups": []any{"guests", 7, nil}}, Person{}, true},
		{"groups that are none", all, "1", map[string]any{"groups": map[string]any{"writers": true}}, Person{}, true},
		{"a program", all, "robot-7", map[string]any{"client_id": "robot-7"}, Person{Name: "robot-7", Service: true, Right: kaijutsu.RightComment}, false},
		{"everybody", Rules{Default: kaijutsu.RightRead}, "1", map[string]any{}, Person{Name: "1", Right: kaijutsu.RightRead}, false},
		{"everybody of a domain", Rules{Default: kaijutsu.RightRead, Domains: []string{"Example.org"}}, "1", map[string]any{"email": "a@example.ORG", "email_verified": "true"}, Person{Name: "a@example.ORG", Email: "a@example.ORG", Right: kaijutsu.RightRead}, false},
		{"of another domain", Rules{Default: kaijutsu.RightRead, Domains: []string{"example.org"}}, "1", map[string]any{"email": "a@example.org.evil.example", "email_verified": true}, Person{}, true},
		{"of none", Rules{Default: kaijutsu.RightRead, Domains: []string{"example.org"}}, "1", map[string]any{}, Person{}, true},
		{"a claim for names", Rules{Default: kaijutsu.RightRead, NameClaim: "nick"}, "1", map[string]any{"nick": " amy ", "preferred_username": "x"}, Person{Name: "amy", Right: kaijutsu.RightRead}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.rules.person("https://id.example", tt.subject, tt.claims)
			if tt.refused {
				if !errors.Is(err, kaijutsu.ErrDenied) {
					t.Errorf("person = %+v, %v, want ErrDenied", got, err)
				}
				return
			}
			tt.want.Issuer, tt.want.Subject = "https://id.example", tt.subject
			if err != nil || got != tt.want {
				t.Errorf("person = %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestParseRole(t *testing.T) {
	for text, want := range map[string]Role{
		"groups=admins:owner":          {"groups", "admins", kaijutsu.RightOwn},
		"email=amy@example.org:reader": {"email", "amy@example.org", kaijutsu.RightRead},
		"roles=urn:kj:writer:editor":   {"roles", "urn:kj:writer", kaijutsu.RightEdit},
		"department=a=b:commenter":     {"department", "a=b", kaijutsu.RightComment},
	} {
		if got, err := ParseRole(text); err != nil || got != want {
			t.Errorf("ParseRole(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", ":", "groups", "groups=x", "groups:editor", "=x:editor", "groups=:editor", "groups=x:king", "groups=x:none"} {
		if got, err := ParseRole(text); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("ParseRole(%q) = %+v, %v, want ErrInvalid", text, got, err)
		}
	}
}
