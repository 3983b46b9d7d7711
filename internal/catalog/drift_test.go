package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/op"
)

func TestParametersOfAPushGoTogether(t *testing.T) {
	h := start(t)
	h.context("A")
	h.context("B")
	for in, field := range map[string]string{
		`{"context": "A", "to": "B"}`:                                            "content",
		`{"context": "A", "to": "B", "summarize": true, "content": "x"}`:         "content",
		`{"context": "A", "to": "B", "content": "x", "focus": "y"}`:              "focus",
		`{"context": "A", "to": "B", "content": "x", "distiller": "extractive"}`: "distiller",
		`{"context": "A", "to": "B", "content": "x", "fallback": true}`:          "fallback",
		`{"to": "B", "content": "x"}`:                                            "context",
		`{"context": ".", "to": "B", "content": "x"}`:                            "context",
		`{"context": "A", "to": "B", "summarize": true, "distiller": "psychic"}`: "distiller",
		`{"context": "A", "to": "B", "content": "x", "cite": ["nonsense"]}`:      "cite",
	} {
		_, err := h.set.Call(t.Context(), owner(), "drift_push", []byte(in))
		p := op.ProblemOf(err)
		if got, _, _ := strings.Cut(p.Field, "["); err == nil || got != field {
			t.Errorf("drift_push %s: %+v, want a problem with %s", in, p, field)
		}
	}
	if items := h.call(owner(), "drift_queue", `{}`).list("items"); len(items) != 0 {
		t.Errorf("something was staged: %v", items)
	}
}

// TestTheInbox has two read one inbox, each for themselves.
func TestTheInbox(t *testing.T) {
	h := start(t)
	h.context("A")
	b := h.context("B")
	h.call(owner(), "drift_push", `{"context": "A", "to": "B", "content": "first"}`)
	h.call(owner(), "drift_push", `{"context": "A", "to": "B", "content": "second"}`)
	carl := op.Call{By: kaijutsu.Principal{Name: "carl", Kind: kaijutsu.Person}, Right: kaijutsu.RightRead, Context: b}
	unread := func(c op.Call, in string) string {
		out := h.call(c, "drift_inbox", in)
		var said []string
		for _, l := range out.list("letters") {
			said = append(said, fmt.Sprintf("%s %v", l.str("content"), l["unread"] == true))
		}
		return fmt.Sprintf("%d: %s", out.num("unread"), strings.Join(said, ", "))
	}
	for _, tt := range []struct {
		name string
		c    op.Call
		in   string
		want string
	}{
		{"what one sent is no news", owner(), `{"context": "B"}`, "0: first false, second false"},
		{"of the call's context", carl, `{}`, "2: first true, second true"},
		{"the newest", carl, `{"limit": 1}`, "2: second true"},
		{"of all", editor(), `{"all": true}`, "2: first true, second true"},
		{"of all where no context is", editor(), `{}`, "2: first true, second true"},
		{"now read", carl, `{"read": true}`, "0: first true, second true"},
		{"nothing new", carl, `{"unread": true}`, "0: "},
		{"read before", carl, `{}`, "0: first false, second false"},
		{"not by others", editor(), `{"context": "B", "unread": true}`, "2: first true, second true"},
	} {
		if got := unread(tt.c, tt.in); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	h.refuse(carl, "drift_inbox", `{"context": "B", "all": true}`, kaijutsu.ErrInvalid, "all")
	rows := h.call(carl, "drift_list", `{}`).list("contexts")
	h.call(owner(), "drift_push", `{"context": "A", "to": "B", "content": "third"}`)
	if err := h.letters.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows = append(rows, h.call(carl, "drift_list", `{}`).list("contexts")...)
	var counts []int
	for _, r := range rows {
		if r["current"] == true {
			counts = append(counts, r.num("unread"))
		}
	}
	if !slices.Equal(counts, []int{0, 1}) {
		t.Errorf("drift_list says %v unread before and after a third, want 0 and 1", counts)
	}
}

// TestTheInboxIsReadInPortions notes only what was shown as read.
func TestTheInboxIsReadInPortions(t *testing.T) {
	h := start(t)
	h.context("A")
	h.context("B")
	for i := range 7 {
		h.call(owner(), "drift_push", quote(`{"context": "A", "to": "B", "content": %}`, fmt.Sprint(i)))
	}
	read := func(in string) string {
		out := h.call(editor(), "drift_inbox", in)
		var said []string
		for _, l := range out.list("letters") {
			said = append(said, l.str("content"))
		}
		return fmt.Sprintf("%s, %d unread, %d older", strings.Join(said, " "), out.num("unread"), out.num("older"))
	}
	for _, tt := range []struct{ in, want string }{
		{`{"limit": 2}`, "5 6, 7 unread, 5 older"},
		{`{"limit": 2, "read": true}`, "0 1, 5 unread, 0 older"},
		{`{"limit": 2, "unread": true}`, "5 6, 5 unread, 3 older"},
		{`{"limit": 2, "read": true, "context": "B"}`, "2 3, 3 unread, 2 older"},
		{`{"limit": 2, "read": true, "unread": true}`, "4 5, 1 unread, 0 older"},
		{`{"limit": 2, "read": true}`, "5 6, 0 unread, 5 older"},
		{`{"unread": true}`, ", 0 unread, 0 older"},
		{`{}`, "0 1 2 3 4 5 6, 0 unread, 0 older"},
	} {
		if got := read(tt.in); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.in, got, tt.want)
		}
	}
}

// TestTheInboxHidesSources shows nothing of a source that the reader of the
// letter may not read.
func TestTheInboxHidesSources(t *testing.T) {
	h := start(t)
	a := h.context("A")
	h.context("B")
	h.call(owner(), "token_create", `{"name": "bob", "role": "editor"}`)
	h.call(owner(), "drift_push", `{"context": "A", "to": "B", "content": "news"}`)
	from := func() object {
		return h.call(editor(), "drift_inbox", `{"context": "B"}`).list("letters")[0]["from"].(map[string]any)
	}
	if got := from(); got.str("title") != "A" {
		t.Errorf("it comes from %v, want A", got)
	}
	h.call(owner(), "role_set", quote(`{"principal": "bob", "role": "none", "context": %}`, a))
	if got := from(); len(got) != 0 {
		t.Errorf("it comes from %v, want that hidden", got)
	}
}

// TestReplayOfAllTellsOfEach returns what was delivered beside what was not.
func TestReplayOfAllTellsOfEach(t *testing.T) {
	h := start(t)
	h.context("A")
	for _, to := range []string{"B", "C"} {
		id := h.context(to)
		h.call(owner(), "drift_push", quote(`{"context": "A", "to": %, "content": "x", "stage": true}`, to))
		h.call(owner(), "context_archive", quote(`{"context": %}`, id))
	}
	for range 5 {
		h.call(owner(), "drift_flush", `{"context": "A"}`)
	}
	h.call(owner(), "context_archive", `{"context": "B", "archived": false}`)
	var got []string
	for _, i := range h.call(owner(), "drift_replay", `{"item": "all"}`).list("items") {
		got = append(got, fmt.Sprint(i.str("state"), " ", strings.Contains(i.str("last_error"), "archived")))
	}
	if !slices.Equal(got, []string{"delivered false", "staged true"}) && !slices.Equal(got, []string{"delivered false", "dead true"}) {
		t.Errorf("the items are %q, want one delivered and one with its error", got)
	}
	h.refuse(owner(), "drift_replay", `{"item": "2"}`, kaijutsu.ErrConflict, "archived")
}

func TestAPolicyKeepsWhatIsNotSet(t *testing.T) {
	h := start(t)
	h.call(owner(), "drift_policy_set", `{"act": "ask", "act_wait_s": 60, "manual": {"principal": {"per_minute": 5}}}`)
	h.call(owner(), "drift_policy_set", `{"rules": [{"on": "mention"}], "foreign": [{"verdict": "refuse", "reason": "not today"}]}`)
	got := h.call(owner(), "drift_policy", `{}`)
	if got.str("act") != "ask" || got.num("act_wait_s") != 60 || len(got.list("rules")) != 1 || got.list("foreign")[0].str("reason") != "not today" {
		t.Errorf("the policy is %v", got)
	}
	h.call(owner(), "drift_policy_set", `{"rules": []}`)
	if got := h.call(owner(), "drift_policy", `{}`); len(got.list("rules")) != 0 || got.list("foreign")[0].str("verdict") != "refuse" {
		t.Errorf("without rules the policy is %v", got)
	}
	h.refuse(editor(), "drift_policy_set", `{"act": "always"}`, kaijutsu.ErrDenied)
	h.refuse(owner(), "drift_policy_set", `{"foreign": [{"verdict": "hold"}, {"verdict": "accept"}]}`, kaijutsu.ErrInvalid, "foreign[1].principal")
}

func TestARefusedOfferSaysWhy(t *testing.T) {
	h := start(t)
	h.context("B")
	offer := `{"id":%,"kernel":"main","from_kernel":"lab","to":"B","content":"news","drift_kind":"push","principal":{"name":"ann","kind":"person"}}`
	first, second := "0197f000-0000-7000-8000-0000000000d1", "0197f000-0000-7000-8000-0000000000d2"
	if got := h.call(editor(), "drift_offer", quote(offer, first)).str("state"); got != "held" {
		t.Fatalf("the first offer is %s, want held", got)
	}
	h.refuse(owner(), "drift_consent", `{"item": "1", "reason": "no"}`, kaijutsu.ErrInvalid, "reason")
	h.call(owner(), "drift_consent", `{"item": "1", "accept": false, "reason": "we know"}`)
	again := h.call(editor(), "drift_offer", quote(offer, first))
	if again.str("state") != "refused" || !strings.Contains(again.str("reason"), "we know") {
		t.Errorf("offered again it is %v, want refused, for we know", again)
	}
	h.call(owner(), "drift_policy_set", `{"foreign": [{"principal": "bob", "verdict": "refuse", "reason": "not from bob"}]}`)
	got := h.call(editor(), "drift_offer", quote(offer, second))
	if got.str("state") != "refused" || !strings.Contains(got.str("reason"), "not from bob") {
		t.Errorf("the second offer is %v, want refused, for not from bob", got)
	}
}

// TestAQueueIsForItsPeople shows items to who staged them and to who may edit
// their source, and to nobody else.
func TestAQueueIsForItsPeople(t *testing.T) {
	h := start(t)
	a := h.context("A")
	h.context("B")
	h.call(owner(), "token_create", `{"name": "bob", "role": "editor"}`)
	h.call(owner(), "role_set", quote(`{"principal": "bob", "role": "reader", "context": %}`, a))
	h.call(owner(), "drift_push", `{"context": "A", "to": "B", "content": "hers", "stage": true}`)
	h.call(editor(), "drift_push", `{"context": "A", "to": "B", "content": "his", "stage": true}`)
	see := func(c op.Call) (all []string) {
		for _, i := range h.call(c, "drift_queue", `{}`).list("items") {
			all = append(all, i.str("content"))
		}
		return all
	}
	if got := see(owner()); !slices.Equal(got, []string{"hers", "his"}) {
		t.Errorf("the owner sees %q, want both", got)
	}
	if got := see(editor()); !slices.Equal(got, []string{"his"}) {
		t.Errorf("a reader of the source sees %q, want his own", got)
	}
	h.refuse(editor(), "drift_show", `{"item": "1"}`, kaijutsu.ErrNotFound)
	h.refuse(editor(), "drift_cancel", `{"item": "1"}`, kaijutsu.ErrNotFound)
	h.refuse(editor(), "drift_flush", `{"context": "A"}`, kaijutsu.ErrDenied)
	h.call(editor(), "drift_cancel", `{"item": "2"}`)
}

// TestDeadLettersAreForOwners has a flush copy a dead letter into lost+found,
// which no role on the kernel opens but the owner's.
func TestDeadLettersAreForOwners(t *testing.T) {
	h := start(t)
	h.context("A")
	h.context("B")
	h.call(owner(), "token_create", `{"name": "bob", "role": "editor"}`)
	h.call(owner(), "drift_push", `{"context": "A", "to": "B", "content": "a lost letter", "stage": true}`)
	h.call(owner(), "context_archive", `{"context": "B"}`)
	since := h.call(editor(), "events_follow", `{"pattern": "ctx.>"}`).str("next")
	for range 6 {
		h.call(owner(), "drift_flush", `{"context": "A"}`)
	}
	lost := h.call(owner(), "context_get", `{"context": "lost+found"}`)
	if b := lost.list("block_list"); len(b) != 1 || !strings.Contains(b[0].str("content"), "a lost letter") {
		t.Fatalf("lost+found holds %v, want the dead letter", b)
	}
	h.refuse(editor(), "context_get", quote(`{"context": %}`, lost.str("id")), kaijutsu.ErrNotFound)
	h.refuse(editor(), "events_follow", quote(`{"context": %}`, lost.str("id")), kaijutsu.ErrNotFound)
	for name, in := range map[string]string{
		"context_list": `{}`, "drift_list": `{}`, "drift_graph": `{}`, "drift_inbox": `{"all": true}`, "kernel_search": `{"query": "lost letter"}`,
		"events_follow": quote(`{"pattern": "ctx.>", "since": %}`, since),
	} {
		result, err := h.set.Call(t.Context(), editor(), name, []byte(in))
		if err == nil && (strings.Contains(string(result), lost.str("id")) || strings.Contains(string(result), "a lost letter")) {
			t.Errorf("%s tells an editor of lost+found: %s", name, result)
		}
	}
	if n := len(h.call(owner(), "drift_dead_letters", `{}`).list("items")); n != 1 {
		t.Errorf("%d dead letters are listed, want 1: a copy is none", n)
	}
}
