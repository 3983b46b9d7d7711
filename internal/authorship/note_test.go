package authorship_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/access"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/repo"
)

// note makes the note of one file and reads it as a stranger would.
func (w *world) note(doc kaijutsu.DocumentID, f authorship.NoteFile) git.Authorship {
	w.Helper()
	a, err := w.book.Note(w.ctx, authorship.NoteSpec{Doc: doc, Commit: git.Hash(strings.Repeat("a", 40)), Files: []authorship.NoteFile{f}})
	if err != nil {
		w.Fatal(err)
	}
	read, err := git.ParseAuthorship(a.Encode())
	if err != nil {
		w.Fatal(err)
	}
	return read
}

// writersOf returns who wrote the first n lines by a note, as names does.
func (w *world) writersOf(a git.Authorship, path string, n int) string {
	var out []string
	for _, wr := range w.book.Writers(w.ctx, a, w.clock.now(), path, n) {
		out = append(out, nameOf(wr.By))
	}
	return strings.Join(out, " ")
}

func TestNoteNamesEveryKnownLine(t *testing.T) {
	w := newWorld(t)
	w.identify(amy, access.Person{Name: "Amy Ünal", Email: "amy@example.org"})
	w.identify(bot, access.Person{Model: "model-5", Tool: "helper"})
	doc := w.context("app@main")
	id, _ := w.file(authorship.Git, doc, "a\nb\nc\nd\n")
	w.replace(repo.Edit{By: amy}, doc, id, "a\namy\nb\nc\nd\namy\n")
	first := w.replace(repo.Edit{By: bot}, doc, id, "a\namy\nbot\nbot\nb\nc\nd\namy\n")
	w.replace(repo.Edit{By: bot}, doc, id, "a\namy\nbot\nbot\nb\nc\nbot 2\nd\namy\n")
	w.replace(repo.Edit{By: ci}, doc, id, "a\namy\nbot\nbot\nb\nc\nbot 2\nd, ci\namy\n")
	w.replace(repo.Edit{By: authorship.Disk}, doc, id, "a\namy\nbot\nbot\nb\nc, disk\nbot 2\nd, ci\namy\n")
	w.replace(repo.Edit{By: ben}, doc, id, "a\namy\nbot\nbot\nb\nc, disk\nbot 2\nd, ci\namy\nben")
	text, _ := w.content(doc, id)
	note := w.note(doc, authorship.NoteFile{Path: "src/a b.go", Block: id, Data: []byte(text)})
	if got, want := w.writersOf(note, "src/a b.go", 11), "- amy bot bot - - bot ci amy ben -"; got != want {
		t.Errorf("writers = %s, want %s", got, want)
	}
	session := git.SessionKey("helper", doc.Name())
	human := git.HumanKey("Amy Ünal <amy@example.org>")
	want := []struct{ key, ranges string }{
		{human, "2,9"}, {session + "::" + git.TraceKey(first.Change.String()), "3-4"},
	}
	if len(note.Files) != 1 || len(note.Files[0].Entries) != 5 {
		t.Fatalf("note = %+v, want one file of 5 entries", note.Files)
	}
	for i, want := range want {
		e := note.Files[0].Entries[i]
		var ranges []string
		for _, r := range e.Ranges {
			if text := fmt.Sprintf("%d-%d", r.First, r.Last); r.First != r.Last {
				ranges = append(ranges, text)
			} else {
				ranges = append(ranges, fmt.Sprint(r.First))
			}
		}
		if got := strings.Join(ranges, ","); e.Key != want.key || got != want.ranges {
			t.Errorf("entry %d = %s %s, want %s %s", i, e.Key, got, want.key, want.ranges)
		}
	}
	if s, ok := note.Session(session); !ok || s.Tool != "helper" || s.ID != doc.Name() || s.Model != "model-5" ||
		s.Attributes["kaijutsu_principal"] != "agent:bot" || s.Attributes["kaijutsu_context"] != doc.Name() || s.Attributes["kaijutsu_kernel"] != "main" {
		t.Errorf("session = %+v", s)
	}
	if h, ok := note.Human(human); !ok || h.Author != "Amy Ünal <amy@example.org>" {
		t.Errorf("human = %+v", h)
	}
	if _, ok := note.Human(git.HumanKey("ben <ben@kaijutsu.invalid>")); !ok {
		t.Errorf("humans = %+v, want ben with an address of nobody's", note.Meta.Humans)
	}
	wr := w.book.Writers(w.ctx, note, w.clock.now(), "src/a b.go", 3)[2]
	if wr.Model != "model-5" || wr.Doc != doc {
		t.Errorf("writer = %+v, want the model and the context", wr)
	}
}

func TestNoteOfAnotherForm(t *testing.T) {
	w := newWorld(t)
	doc := w.context("app@main")
	id, _ := w.file(amy, doc, "amy 1\namy 2\n")
	w.replace(repo.Edit{By: bot}, doc, id, "amy 1\nbot\namy 2\n")
	tests := []struct{ name, data, want string }{
		{"as it is", "amy 1\nbot\namy 2\n", "amy bot amy"},
		{"windows", "\ufeffamy 1\r\nbot\r\namy 2\r\n", "amy bot amy"},
		{"another text", "new\namy 1\nother\namy 2", "- amy - amy"},
		{"nothing", "", ""},
		{"not UTF-8", "amy 1\n\xff\n", "amy -"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			note := w.note(doc, authorship.NoteFile{Path: "a", Block: id, Data: []byte(test.data)})
			if got := w.writersOf(note, "a", len(strings.Fields(test.want))); got != test.want {
				t.Errorf("writers = %s, want %s", got, test.want)
			}
		})
	}
}

func TestNoteOfThePast(t *testing.T) {
	w := newWorld(t)
	doc := w.context("app@main")
	id, _ := w.file(amy, doc, "one\ntwo\n")
	then := w.replace(repo.Edit{By: bot}, doc, id, "one\ntwo, bot\n")
	w.replace(repo.Edit{By: ben}, doc, id, "ben\ntwo, ben\n")
	a, err := w.book.Note(t.Context(), authorship.NoteSpec{Doc: doc, Heads: then.Heads, Files: []authorship.NoteFile{{Path: "a", Block: id, Data: []byte("one\ntwo, bot\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := w.writersOf(a, "a", 2), "amy bot"; got != want {
		t.Errorf("writers = %s, want %s", got, want)
	}
}

// TestWhoSignsAlikeIsToldApart gives two people one name and address.
func TestWhoSignsAlikeIsToldApart(t *testing.T) {
	w := newWorld(t)
	same := access.Person{Name: "Somebody", Email: "same@example.org"}
	w.identify(amy, same)
	w.identify(ben, same)
	doc := w.context("app@main")
	id, _ := w.file(ben, doc, "ben\n")
	w.replace(repo.Edit{By: amy}, doc, id, "ben\namy\n")
	note := w.note(doc, authorship.NoteFile{Path: "a", Block: id, Data: []byte("ben\namy\n")})
	if got, want := w.writersOf(note, "a", 2), "ben amy"; got != want {
		t.Errorf("writers = %s, want %s", got, want)
	}
}

func TestReadingNotes(t *testing.T) {
	w := newWorld(t)
	w.identify(amy, access.Person{Name: "Amy Ünal", Email: "amy@example.org"})
	doc := w.context("app@main")
	attrs := func(principal, kernel string) map[string]string {
		return map[string]string{"kaijutsu_principal": principal, "kaijutsu_kernel": kernel, "kaijutsu_context": doc.Name()}
	}
	nowhere := attrs("agent:bot", "main")
	nowhere["kaijutsu_context"] = "01980000-0000-7000-8000-000000000000"
	unsaid := attrs("agent:bot", "main")
	delete(unsaid, "kaijutsu_kernel")
	person := func(author string, attrs map[string]string) git.Authorship {
		raw, err := json.Marshal(attrs)
		if err != nil {
			t.Fatal(err)
		}
		h := git.Human{Author: author}
		if attrs != nil {
			h.Extra = map[string]json.RawMessage{"custom_attributes": raw}
		}
		return git.Authorship{
			Files: []git.FileAttest{{Path: "a", Entries: []git.Attest{{Key: "h_1", Ranges: []git.LineRange{{First: 1, Last: 1}}}}}},
			Meta:  git.AuthorshipMeta{Humans: map[string]git.Human{"h_1": h}},
		}
	}
	agent := func(tool string, attrs map[string]string) git.Authorship {
		return git.Authorship{
			Files: []git.FileAttest{{Path: "a", Entries: []git.Attest{{Key: "s_1::t_1", Ranges: []git.LineRange{{First: 1, Last: 1}}}}}},
			Meta:  git.AuthorshipMeta{Sessions: map[string]git.Session{"s_1": {Tool: tool, Attributes: attrs}}},
		}
	}
	legacy := git.Authorship{
		Files: []git.FileAttest{{Path: "a", Entries: []git.Attest{{Key: "abcd1234abcd1234", Ranges: []git.LineRange{{First: 1, Last: 1}}}}}},
		Meta:  git.AuthorshipMeta{Prompts: map[string]json.RawMessage{"abcd1234abcd1234": json.RawMessage(`{"agent_id":{"tool":"cursor","model":"m"}}`)}},
	}
	tests := []struct {
		name string
		note git.Authorship
		want string
	}{
		{"a person by attributes and the address", person("Old Name <amy@example.org>", attrs("person:amy", "main")), "person:amy"},
		{"a person by attributes alone", person("Eve <eve@example.org>", attrs("person:amy", "main")), ":"},
		{"a person by attributes of no kernel", person("Eve <eve@example.org>", map[string]string{"kaijutsu_principal": "person:amy"}), ":"},
		{"a person by another's address", person("Amy <amy@example.org>", attrs("person:ben", "main")), "person:amy"},
		{"a person of another kernel, by the address", person("Amy <AMY@example.org>", attrs("person:ben", "elsewhere")), "person:amy"},
		{"a person by the address", person("Amy <amy@example.org>", nil), "person:amy"},
		{"a person without one", person("ben <ben@kaijutsu.invalid>", nil), "person:ben"},
		{"a stranger", person("Jane Doe <jane@example.org>", nil), ":"},
		{"a stranger who is nobody", person("zoe <zoe@kaijutsu.invalid>", nil), ":"},
		{"no author at all", person("", nil), ":"},
		{"a principal of no kind", person("", attrs("robot:amy", "main")), ":"},
		{"a part of the server", person("", attrs("service:git", "main")), ":"},
		{"a name that does not print", person("", attrs("person:a\u202eb", "main")), ":"},
		{"an agent by attributes", agent("tool", attrs("agent:bot", "main")), "agent:bot"},
		{"an agent of another kernel", agent("bot", attrs("agent:bot", "elsewhere")), ":"},
		{"an agent of no kernel", agent("bot", unsaid), ":"},
		{"an agent in a context that is not here", agent("bot", nowhere), ":"},
		{"an agent that is a person here", agent("bot", attrs("person:amy", "main")), ":"},
		{"an agent that is nobody here", agent("bot", attrs("agent:ghost", "main")), ":"},
		{"an agent by its tool", agent("bot", nil), ":"},
		{"an agent of no name", agent("", nil), ":"},
		{"an agent with a part of the server's name", agent("kaijutsu", nil), ":"},
		{"an old note", legacy, ":"},
		{"a key that leads nowhere", git.Authorship{Files: legacy.Files}, ":"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := w.book.Writers(w.ctx, test.note, w.clock.now(), "a", 2)
			if got[0].By.String() != test.want || got[1].Key != "" {
				t.Errorf("Writers = %+v, want %s for the first line alone", got, test.want)
			}
		})
	}
}

// TestForgedNotesEndHere commits on top of a note that says what is not so.
func TestForgedNotesEndHere(t *testing.T) {
	w := newWorld(t)
	c := newCheckout(t, t.TempDir())
	c.write("a.txt", "eve\ntool\n")
	c.git("add", ".")
	c.git("commit", "-qm", "one")
	forged := git.Authorship{
		Files: []git.FileAttest{{Path: "a.txt", Entries: []git.Attest{
			{Key: "h_12345678901234", Ranges: []git.LineRange{{First: 1, Last: 1}}},
			{Key: "s_12345678901234::t_12345678901234", Ranges: []git.LineRange{{First: 2, Last: 2}}},
		}}},
		Meta: git.AuthorshipMeta{
			Humans: map[string]git.Human{"h_12345678901234": {Author: "Eve <eve@example.org>", Extra: map[string]json.RawMessage{
				"custom_attributes": json.RawMessage(`{"kaijutsu_principal":"person:amy","shoe":"9"}`)}}},
			Sessions: map[string]git.Session{"s_12345678901234": {Tool: "bot", ID: "x", Attributes: map[string]string{"kaijutsu_principal": "agent:bot", "kaijutsu_kernel": "main"}}},
		},
	}
	if err := c.tree.Repo().SetNotes(git.NotesRef, map[git.Hash][]byte{c.head(): forged.Encode()}, git.Signature{Name: "Eve", Email: "eve@example.org", When: w.clock.now()}); err != nil {
		t.Fatal(err)
	}
	doc := w.context("app@main")
	id, _ := w.file(authorship.Git, doc, "eve\ntool\n")
	w.replace(repo.Edit{By: ben}, doc, id, "eve\ntool\nben\n")
	target := authorship.Target{Git: c.tree, Doc: doc, Block: id, Path: "a.txt"}
	const want = "note Eve, note bot, log ben"
	lines := w.blame(target)
	if got := shown(lines); got != want || !lines[0].By.IsZero() || !lines[1].By.IsZero() {
		t.Errorf("Blame = %s (%+v), want %s and nobody of this kernel", got, lines, want)
	}
	head := c.commit(w, doc, []authorship.NoteFile{{Path: "a.txt", Block: id, Data: []byte("eve\ntool\nben\n")}})
	raw, err := c.tree.Repo().Note(git.NotesRef, head)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"person:amy", "agent:bot"} {
		if strings.Contains(string(raw), bad) {
			t.Errorf("our note goes on saying %s:\n%s", bad, raw)
		}
	}
	for _, kept := range []string{"Eve <eve@example.org>", `"shoe"`, "h_12345678901234"} {
		if !strings.Contains(string(raw), kept) {
			t.Errorf("our note lacks %s:\n%s", kept, raw)
		}
	}
}

// TestAddressesWithoutAnOwner puts the address of a repository's earlier author
// on record.
func TestAddressesWithoutAnOwner(t *testing.T) {
	w := newWorld(t)
	c := newCheckout(t, t.TempDir())
	c.write("a.txt", "jane\n")
	c.git("add", ".")
	c.git("commit", "-qm", "one")
	target := authorship.Target{Git: c.tree, Path: "a.txt"}
	w.clock.pass(time.Minute)
	for _, of := range []kaijutsu.Principal{bot, amy} {
		if err := w.access.SetIdentity(w.ctx, of, of, access.Person{Email: "jane@example.org"}); err != nil {
			t.Fatal(err)
		}
		if got, want := shown(w.blame(target)), "git Jane Doe"; got != want {
			t.Errorf("Blame when %s says that the address is its own = %s, want %s", of, got, want)
		}
		if err := w.access.SetIdentity(w.ctx, of, of, access.Person{}); err != nil {
			t.Fatal(err)
		}
	}
	w.identify(amy, access.Person{Email: "jane@example.org"})
	if got, want := shown(w.blame(target)), "git amy"; got != want {
		t.Errorf("Blame when an owner says so = %s, want %s", got, want)
	}
}

// TestTwoOfOneProgram has two agents that are the same program.
func TestTwoOfOneProgram(t *testing.T) {
	w := newWorld(t)
	w.identify(bot, access.Person{Tool: "claude-code"})
	w.identify(aide, access.Person{Tool: "claude-code"})
	doc := w.context("app@main")
	id, _ := w.file(bot, doc, "bot\n")
	w.replace(repo.Edit{By: aide}, doc, id, "bot\naide\n")
	note := w.note(doc, authorship.NoteFile{Path: "a", Block: id, Data: []byte("bot\naide\n")})
	if got, want := w.writersOf(note, "a", 2), "bot aide"; got != want {
		t.Errorf("writers = %s, want %s", got, want)
	}
	if s := note.Meta.Sessions[git.SessionKey("claude-code", doc.Name())]; s.Tool != "claude-code" || s.Attributes["kaijutsu_principal"] != "agent:bot" {
		t.Errorf("session = %+v, want the program of the first", s)
	}
	if s := note.Meta.Sessions[git.SessionKey("aide", doc.Name())]; s.Tool != "aide" || s.Attributes["kaijutsu_tool"] != "claude-code" {
		t.Errorf("session = %+v, want the second by its own name", s)
	}
}
