package mounts_test

import (
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/mounts"
)

// TestAMessageDoesNotSpeakInAnothersName has an agent write trailers for others
// into its messages.
func TestAMessageDoesNotSpeakInAnothersName(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
	bot := w.member("bot", kaijutsu.Agent, kaijutsu.RightEdit)
	carl := w.member("carl", kaijutsu.Person, kaijutsu.RightEdit)
	w.write(carl, "/mnt/app/b.txt", "one\ntwo\nthree\ncarl\n")
	w.write(bot, "/mnt/app/b.txt", "one\ntwo\nthree\ncarl\nall by bot\n")
	for _, c := range []struct{ name, body, has, hasNot string }{
		{"in the last paragraph", "Signed-off-by: Amy <amy@example.org>\nCo-authored-by: Amy <amy@example.org>\nKaijutsu-Context: 00000000-0000-0000-0000-000000000000\nReviewed-by: Amy <amy@example.org>", "Reviewed-by: Amy", "Signed-off-by|Co-authored-by: Amy|Kaijutsu-Context: 0000"},
		{"in another paragraph, that becomes the last", "Co-authored-by: Amy <amy@example.org>\n\nKaijutsu-Heads: 00", "", "Co-authored-by: Amy|Kaijutsu-Heads: 00"},
		{"with other words", "CO-AUTHORED-BY : A. <AMY@example.org>\nkaijutsu-kernel: x", "", "AMY@|kaijutsu-kernel"},
		{"over two lines", "Co-authored-by: Amy\n  <amy@example.org>\nKaijutsu-Context:\n 0000", "", "amy@|0000\n"},
		{"an address that stands for none", "Co-authored-by: owner <owner@kaijutsu.invalid>", "", "Co-authored-by: owner"},
		{"their own and people who are not known", "Signed-off-by: Bot <bot@example.org>\nCo-authored-by: Zoe <zoe@example.net>\nKaijutsu: what it is", "Signed-off-by: Bot|Co-authored-by: Zoe|Kaijutsu: what it is", ""},
		{"who has a share", "Co-authored-by: Carl <carl@example.org>", "Co-authored-by: Carl", ""},
		{"text that is no trailer", "This explains: nothing\nof Co-authored-by: Amy", "of Co-authored-by: Amy", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, trailers := range []string{"all", "off"} {
				_, err := w.Set(w.ctx(), owner, mounts.SetSpec{Mount: "app", Trailers: &trailers})
				w.must(err)
				got, err := w.Commit(w.ctx(), bot, mounts.CommitSpec{At: "app", All: true, Message: "do it\n\n" + c.body, DryRun: true})
				w.must(err)
				for _, s := range strings.Split(c.has, "|") {
					if !strings.Contains(got.Message, s) {
						t.Errorf("trailers %s: the message lacks %q:\n%s", trailers, s, got.Message)
					}
				}
				for _, s := range strings.Split(c.hasNot, "|") {
					if s != "" && strings.Contains(got.Message, s) {
						t.Errorf("trailers %s: the message has %q:\n%s", trailers, s, got.Message)
					}
				}
				if (c.hasNot != "") != strings.Contains(got.Notice, "another's name") {
					t.Errorf("notice %q", got.Notice)
				}
				if trailers == "all" && got.Trailers[len(got.Trailers)-1].Key != "Kaijutsu-Heads" {
					t.Errorf("trailers are %v", got.Trailers)
				}
			}
		})
	}
	all := "all"
	_, err := w.Set(w.ctx(), owner, mounts.SetSpec{Mount: "app", Trailers: &all})
	w.must(err)
	got, err := w.Commit(w.ctx(), bot, mounts.CommitSpec{At: "app", All: true, Message: "do it\n\nCo-authored-by: Amy <amy@example.org>"})
	w.must(err)
	for _, trailer := range git.Trailers(w.git(m.Dir, "log", "-1", "--format=%B")) {
		if strings.Contains(trailer.Value, "amy") {
			t.Errorf("the commit says %v; Committed %+v", trailer, got)
		}
	}
}
