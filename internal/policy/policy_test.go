package policy_test

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
)

func TestThePolicyOfTheFirstVersion(t *testing.T) {
	b, err := os.ReadFile("testdata/policy_v1.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := policy.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	want := policy.Policy{
		Rules: []policy.Rule{
			{On: policy.OnDone, Label: "finding", From: "lab", To: "planning"}, {On: policy.OnMention},
			{On: policy.OnCheckpoint, To: ".parent"}, {On: policy.OnDone, Label: "weekly", To: "away:reports", Summarize: true},
		},
		Automatic: policy.Limit{Principal: policy.Rate{PerMinute: 30, Burst: 10}, Target: policy.Rate{PerMinute: 60}},
		Manual:    policy.Limit{Target: policy.Rate{PerMinute: 600}},
		Act:       policy.ActAsk, ActWait: 10 * time.Minute,
		Foreign:    policy.Foreigner{Verdict: courier.Refuse, Reason: "ask us first"},
		Principals: map[string]policy.Foreigner{"away-bot": {Verdict: courier.Accept}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("policy = %+v, want %+v", got, want)
	}
	again, err := policy.Encode(got)
	if err != nil || string(again) != string(bytes.TrimSpace(b)) {
		t.Errorf("encoded it is %s, %v, want %s", again, err, b)
	}
}

func TestPoliciesThatAreRefused(t *testing.T) {
	tests := []struct{ name, text, field string }{
		{"nothing", `{}`, ""},
		{"no rules", `{"rules":[]}`, ""},
		{"no JSON", `{`, "-"},
		{"two", `{}{}`, "-"},
		{"a list", `[]`, "-"},
		{"another version", `{"v":2}`, "v"},
		{"another field", `{"rulez":[]}`, "rulez"},
		{"another field of a rule", `{"rules":[{"on":"done","lable":"x","to":"y"}]}`, "lable"},
		{"a number for a list", `{"rules":7}`, "rules"},
		{"nothing to wait for", `{"rules":[{"on":"push","to":"x"}]}`, "rules[0].on"},
		{"no label", `{"rules":[{"on":"mention"},{"on":"done","to":"x"}]}`, "rules[1].label"},
		{"no target", `{"rules":[{"on":"done","label":"x"}]}`, "rules[0].to"},
		{"a mention with a target", `{"rules":[{"on":"mention","to":"x"}]}`, "rules[0].to"},
		{"a mention with a label", `{"rules":[{"on":"mention","label":"x"}]}`, "rules[0].label"},
		{"a checkpoint that is said to be summarized", `{"rules":[{"on":"checkpoint","to":"x","summarize":true}]}`, "rules[0].summarize"},
		{"a rule twice", `{"rules":[{"on":"mention"},{"on":"mention"}]}`, "rules[1]"},
		{"a target of two lines", `{"rules":[{"on":"done","label":"x","to":"a\nb"}]}`, "rules[0].to"},
		{"a long label", `{"rules":[{"on":"done","label":"` + strings.Repeat("x", 65) + `","to":"a"}]}`, "rules[0].label"},
		{"spaces", `{"rules":[{"on":"done","label":" x","to":"a"}]}`, "rules[0].label"},
		{"no rate", `{"automatic":{"principal":{"per_minute":0,"burst":1}}}`, "automatic.principal.per_minute"},
		{"a negative rate", `{"manual":{"target":{"per_minute":-1}}}`, "manual.target.per_minute"},
		{"a negative burst", `{"manual":{"target":{"per_minute":1,"burst":-1}}}`, "manual.target.burst"},
		{"another act", `{"act":"maybe"}`, "act"},
		{"a long wait", `{"act_wait_s":86401}`, "act_wait_s"},
		{"a very long wait", `{"act_wait_s":9223372036854775807}`, "act_wait_s"},
		{"another verdict", `{"foreign":[{"verdict":"eat"}]}`, "foreign: verdict"},
		{"no verdict", `{"foreign":[{"principal":"a"}]}`, "foreign[0].verdict"},
		{"somebody twice", `{"foreign":[{"principal":"a","verdict":"hold"},{"principal":"a","verdict":"accept"}]}`, "foreign[1].principal"},
		{"a long name", `{"foreign":[{"principal":"` + strings.Repeat("x", 65) + `","verdict":"hold"}]}`, "foreign"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := policy.Decode([]byte(tt.text))
			var wrong *op.FieldError
			errors.As(err, &wrong)
			switch {
			case tt.field == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.field == "-" && !errors.Is(err, kaijutsu.ErrInvalid):
				t.Errorf("error = %v, want ErrInvalid", err)
			case len(tt.field) > 1 && (wrong == nil || wrong.Field != tt.field):
				t.Errorf("error = %v, want one about %s", err, tt.field)
			}
		})
	}
	if _, err := policy.Decode([]byte(`{"act":"` + strings.Repeat("x", 100_000))); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("a very long one: %v, want ErrTooLarge", err)
	}
}

// TestTheDocumentedPolicies reads the examples of the documentation.
func TestTheDocumentedPolicies(t *testing.T) {
	b, err := os.ReadFile("../../docs/drift-policies.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(b, -1)
	if len(examples) < 3 {
		t.Fatalf("%d examples, want the three of the sections at least", len(examples))
	}
	for _, e := range examples {
		if _, err := policy.Decode(e[1]); err != nil {
			t.Errorf("%s: %v", e[1], err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	b, err := os.ReadFile("testdata/policy_v1.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"foreign":[{"verdict":"hold"}],"act_wait_s":1e9}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := policy.Decode(b)
		if err != nil {
			if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Errorf("error = %v, want ErrInvalid or ErrTooLarge", err)
			}
			return
		}
		text, err := policy.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := policy.Decode(text); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%s is read as %+v, %v, want %+v", text, again, err, p)
		}
	})
}

func TestVerdicts(t *testing.T) {
	w := newWorld(t, nil)
	bot := kaijutsu.Principal{Name: "away-bot", Kind: kaijutsu.Agent}
	check := func(by kaijutsu.Principal, want courier.Verdict, words string) {
		t.Helper()
		if got, why := w.keeper.Foreign(by); got != want || !strings.Contains(why, words) {
			t.Errorf("verdict on %v = %s, %q, want %s that says %q", by, got, why, want, words)
		}
	}
	check(bot, courier.Hold, "consent")
	w.set(policy.Policy{Foreign: policy.Foreigner{Verdict: courier.Refuse}, Principals: map[string]policy.Foreigner{"away-bot": {Verdict: courier.Accept}, "b": {Verdict: courier.Refuse, Reason: "not you"}}})
	check(bot, courier.Accept, "")
	check(kaijutsu.Principal{Name: "b"}, courier.Refuse, "not you")
	check(kaijutsu.Principal{Name: "c"}, courier.Refuse, "takes nothing from c")
}
