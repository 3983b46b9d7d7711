package authorship

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAddressesOfNobody(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"amy", "amy@kaijutsu.invalid"}, {"Amy-2_x", "Amy-2_x@kaijutsu.invalid"}, {"a.b", "a%2Eb@kaijutsu.invalid"},
		{"a b", "a%20b@kaijutsu.invalid"}, {"50%", "50%25@kaijutsu.invalid"}, {"<é>", "%3C%C3%A9%3E@kaijutsu.invalid"},
	} {
		if got := address(test.name); got != test.want {
			t.Errorf("address(%q) = %s, want %s", test.name, got, test.want)
		}
	}
	for _, bad := range []string{
		"amy@example.org", "amy", "@kaijutsu.invalid", "git@kaijutsu.invalid", "a.b@kaijutsu.invalid", "a%2eb@kaijutsu.invalid", "%61@kaijutsu.invalid",
		"%@kaijutsu.invalid", "%4@kaijutsu.invalid", "%FF@kaijutsu.invalid", "a%0Ab@kaijutsu.invalid", "% 41@kaijutsu.invalid",
		strings.Repeat("a", 65) + "@kaijutsu.invalid",
	} {
		if got, ok := named(bad); ok {
			t.Errorf("named(%q) = %q, want none", bad, got)
		}
	}
}

func TestAddressesNameTheirPrincipals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		got, ok := named(address(name))
		if ok != isName(name) || ok && got != name {
			t.Fatalf("named(%s) = %q, %v, want %q, %v", address(name), got, ok, name, isName(name))
		}
	})
}

func TestNamesThatGitCanHold(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"amy", "amy"}, {"<root> ", "root"}, {"J. R.", "J. R"}, {"a\nb", "ab"}, {"...", "%2E%2E%2E"}, {"Zoë", "Zoë"},
	} {
		if got := ownName(test.name); got != test.want {
			t.Errorf("ownName(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}
