package authorship_test

import (
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/access"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/repo"
)

func TestShares(t *testing.T) {
	w := newWorld(t)
	doc := w.context("app@main")
	one, base := w.file(authorship.Git, doc, "base\n")
	w.replace(repo.Edit{By: amy}, doc, one, "base\namy\n")
	w.replace(repo.Edit{By: bot}, doc, one, "base\namy\nthe bot\n")
	w.replace(repo.Edit{By: ben}, doc, one, "base\namy\nthe bo\n") // a deletion is no share
	two, _ := w.file(ci, doc, "ci, ci, ci\n")
	w.replace(repo.Edit{By: amy}, doc, two, "ci, ci, ci\nam")
	got, err := w.book.Shares(t.Context(), doc, []authorship.Changed{{Block: one, BaseHeads: base.Heads}, {Block: two}})
	if err != nil {
		t.Fatal(err)
	}
	want := []authorship.Share{{By: bot, Chars: 7}, {By: amy, Chars: 6}, {By: ci, Chars: 11}}
	if !slices.Equal(got, want) {
		t.Errorf("Shares = %v, want %v", got, want)
	}
}

func TestDecide(t *testing.T) {
	w := newWorld(t)
	w.identify(amy, access.Person{Name: "Amy Ünal", Email: "amy@example.org"})
	w.identify(bot, access.Person{Email: "bot@example.org"})
	w.identify(aide, access.Person{Name: "Aide", Email: "BOT@example.org"})
	w.identify(ci, access.Person{Email: "ci@example.org"})
	share := func(by kaijutsu.Principal, n int) authorship.Share { return authorship.Share{By: by, Chars: n} }
	tests := []struct {
		name   string
		policy authorship.Policy
		caller kaijutsu.Principal
		shares []authorship.Share
		author string
		co     string // separated by semicolons
	}{
		{"the greatest share", authorship.AuthorMost, ben, []authorship.Share{share(bot, 9), share(amy, 3)}, "bot <bot@example.org>", "Amy Ünal <amy@example.org>"},
		{"the default", "", ben, []authorship.Share{share(bot, 9), share(amy, 3)}, "bot <bot@example.org>", "Amy Ünal <amy@example.org>"},
		{"of equals the first name", authorship.AuthorMost, ben, []authorship.Share{share(bot, 3), share(amy, 3)}, "Amy Ünal <amy@example.org>", "bot <bot@example.org>"},
		{"no service", authorship.AuthorMost, ben, []authorship.Share{share(authorship.Disk, 99), share(ci, 50), share(amy, 1)}, "Amy Ünal <amy@example.org>", ""},
		{"nobody", authorship.AuthorMost, ben, []authorship.Share{share(authorship.Disk, 99), share(kaijutsu.Principal{}, 5)}, "ben <ben@kaijutsu.invalid>", ""},
		{"nothing", authorship.AuthorMost, amy, nil, "Amy Ünal <amy@example.org>", ""},
		{"co-authors have an address", authorship.AuthorMost, amy, []authorship.Share{share(amy, 9), share(ben, 5)}, "Amy Ünal <amy@example.org>", ""},
		{"each address once", authorship.AuthorMost, amy, []authorship.Share{share(amy, 9), share(aide, 5), share(bot, 4)}, "Amy Ünal <amy@example.org>", "Aide <BOT@example.org>"},
		{"the author's address", authorship.AuthorMost, amy, []authorship.Share{share(bot, 9), share(aide, 5)}, "bot <bot@example.org>", ""},
		{"the caller", authorship.AuthorCaller, ben, []authorship.Share{share(bot, 9), share(amy, 3)}, "ben <ben@kaijutsu.invalid>", "bot <bot@example.org>;Amy Ünal <amy@example.org>"},
		{"the caller is no co-author", authorship.AuthorCaller, amy, []authorship.Share{share(bot, 9), share(amy, 3)}, "Amy Ünal <amy@example.org>", "bot <bot@example.org>"},
		{"the committer", authorship.AuthorCommitter, amy, []authorship.Share{share(bot, 9), share(amy, 3)}, " <>", "bot <bot@example.org>;Amy Ünal <amy@example.org>"},
	}
	text := func(s git.Signature) string { return s.Name + " <" + s.Email + ">" }
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			author, co := w.book.Decide(test.policy, test.caller, test.shares)
			var others []string
			for _, c := range co {
				others = append(others, text(c.Signature))
			}
			if text(author.Signature) != test.author || strings.Join(others, ";") != test.co {
				t.Errorf("Decide = %s with %s, want %s with %s", text(author.Signature), strings.Join(others, ";"), test.author, test.co)
			}
		})
	}
}

func TestTrailers(t *testing.T) {
	doc := kaijutsu.ContextID{1}.Document()
	co := []authorship.Signed{{By: bot, Signature: git.Signature{Name: "bot", Email: "bot@example.org"}}, {By: amy, Signature: git.Signature{Name: "Amy", Email: "amy@example.org"}}}
	heads := kaijutsu.NewHeads(kaijutsu.ChangeHash{1}, kaijutsu.ChangeHash{2})
	many := make(kaijutsu.Heads, 65)
	hash := func(first string) string { return first + strings.Repeat("0", 62) }
	tests := []struct {
		name   string
		policy authorship.TrailerPolicy
		heads  kaijutsu.Heads
		want   []git.Trailer
	}{
		{"off", authorship.TrailersOff, heads, nil},
		{"people", authorship.TrailersPeople, heads, []git.Trailer{{Key: "Co-authored-by", Value: "Amy <amy@example.org>"}}},
		{"all", authorship.TrailersAll, heads, []git.Trailer{
			{Key: "Co-authored-by", Value: "bot <bot@example.org>"}, {Key: "Co-authored-by", Value: "Amy <amy@example.org>"},
			{Key: "Kaijutsu-Context", Value: doc.Name()}, {Key: "Kaijutsu-Heads", Value: hash("01") + "," + hash("02")},
		}},
		{"too many heads", authorship.TrailersAll, many, []git.Trailer{
			{Key: "Co-authored-by", Value: "bot <bot@example.org>"}, {Key: "Co-authored-by", Value: "Amy <amy@example.org>"},
			{Key: "Kaijutsu-Context", Value: doc.Name()},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := authorship.Trailers(test.policy, co, doc, test.heads); !slices.Equal(got, test.want) {
				t.Errorf("Trailers = %v, want %v", got, test.want)
			}
		})
	}
}

func TestPolicies(t *testing.T) {
	for _, bad := range []string{"none", "Most", " "} {
		if _, err := authorship.ParsePolicy(bad); err == nil {
			t.Errorf("ParsePolicy(%q) gives no error", bad)
		}
		if _, err := authorship.ParseTrailerPolicy(bad); err == nil {
			t.Errorf("ParseTrailerPolicy(%q) gives no error", bad)
		}
	}
	if p, err := authorship.ParsePolicy(""); p != authorship.AuthorMost || err != nil {
		t.Errorf("ParsePolicy of nothing = %v, %v, want most", p, err)
	}
	if p, err := authorship.ParseTrailerPolicy(""); p != authorship.TrailersAll || err != nil {
		t.Errorf("ParseTrailerPolicy of nothing = %v, %v, want all", p, err)
	}
}
