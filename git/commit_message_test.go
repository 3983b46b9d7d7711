package git

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMessagesAndTrailersAreThoseOfGit(t *testing.T) {
	s := newSandbox(t)
	stdin := func(text string, args ...string) string {
		cmd := s.cmd(args...)
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	pieces := []string{"subject", "\n", "\n\n", "\n\n\n", "  indented", "trail  ", "\t", "# note", "Fixes: #1", "Signed-off-by: A <a@b>",
		"Key-One: value", "not a trailer: really", "(cherry picked from commit abc)", " continued", "Co-authored-by: B <b@c>", ":", "x: ", "\r\n"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		var text strings.Builder
		for range rnd.IntN(14) {
			text.WriteString(pieces[rnd.IntN(len(pieces))])
			if rnd.IntN(2) == 0 {
				text.WriteString("\n")
			}
		}
		clean := CleanMessage(text.String())
		if want := stdin(text.String(), "stripspace"); clean != want {
			t.Fatalf("%d: CleanMessage(%q) = %q, git stripspace says %q", i, text.String(), clean, want)
		}
		var b strings.Builder
		for _, tr := range Trailers(clean) {
			fmt.Fprintf(&b, "%s: %s\n", tr.Key, tr.Value)
		}
		if got, want := tidy(b.String()), tidy(stdin(clean, "interpret-trailers", "--parse", "--no-divider")); got != want {
			t.Fatalf("%d: Trailers(%q) = %q, git says %q", i, clean, got, want)
		}
		if clean == "" {
			continue
		}
		added := AddTrailers(clean, []Trailer{{"Kaijutsu-Context", "c1"}, {"Co-authored-by", "Zoe <z@y>"}, {"Kaijutsu-Context", "c1"}})
		want := tidy(stdin(clean, "interpret-trailers", "--parse", "--no-divider")) + "Kaijutsu-Context: c1\nCo-authored-by: Zoe <z@y>\n"
		if got := tidy(stdin(added, "interpret-trailers", "--parse", "--no-divider")); got != want {
			t.Fatalf("%d: trailers of %q = %q, want %q", i, added, got, want)
		}
	}
}

// tidy drops lines that are no trailers ("(cherry picked from …"), which git
// prints among them.
func tidy(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if strings.Contains(line, ":") {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	return b.String()
}

func TestAddTrailersInjectsNothing(t *testing.T) {
	got := AddTrailers("do it", []Trailer{{"Co-authored-by", "Eve\nSigned-off-by: Boss <b@c>\r\n\n\nx"}, {"bad key\n", "v"}, {"", "v"}, {"Empty", " \n"}})
	want := "do it\n\nCo-authored-by: Eve Signed-off-by: Boss <b@c> x\nbadkey: v\n"
	if got != want {
		t.Errorf("AddTrailers = %q, want %q", got, want)
	}
	if got := AddTrailers(" \n", []Trailer{{"A", "b"}}); got != "" {
		t.Errorf("trailers of an empty message = %q, want none", got)
	}
}
