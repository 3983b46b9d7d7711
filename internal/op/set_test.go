package op

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
)

func TestCallPassesTheGatesInOrder(t *testing.T) {
	permit := func(_ context.Context, c Call, _ *Spec, in any) error {
		if in.(toyIn).Colour == "green" {
			return kaijutsu.ErrDenied
		}
		return nil
	}
	s := NewSet(Gates{Deny: []string{"toy_hidden"}, Permit: permit, Limits: Limits{ParamBytes: 100}},
		toy(Spec{}), toy(Spec{Name: "toy_hidden"}), toy(Spec{Name: "toy_rule", Scope: OnKernel, Right: kaijutsu.RightEdit}))
	reader := Call{By: amy, Right: kaijutsu.RightRead}
	for _, tt := range []struct {
		name string
		call Call
		op   string
		in   string
		kind string // of the problem; empty: it works
		says string
	}{
		{"it works", owner, "toy_say", `{"name":"ab"}`, "", "<ab red 3 false >"},
		{"defaults give way", owner, "toy_say", `{"name":"ab","colour":"red","size":1,"loud":true,"extra":{"a":1}}`, "", `<ab red 1 true {"a":1}>`},
		{"identity comes first", Call{}, "toy_rule", `x`, "denied", "nobody asks"},
		{"then permission", reader, "toy_rule", `x`, "denied", "it takes the role editor on the kernel, amy has reader"},
		{"but what is denied is not there at all", Call{By: amy, Deny: []string{"toy_*"}}, "toy_rule", `x`, "not_found", "toy_rule"},
		{"nor what the set denies", owner, "toy_hidden", `{"name":"ab"}`, "not_found", "there are toy_rule, toy_say"},
		{"nor what is not there", owner, "toy_sya", `{"name":"ab"}`, "not_found", `did you mean "toy_say"?`},
		{"nor what is like nothing", owner, "zzz", `{}`, "not_found", "there are toy_rule, toy_say"},
		{"then the size", owner, "toy_say", `{"name":"` + strings.Repeat("x", 100) + `"}`, "too_large", "at most 100"},
		{"then the parameters", owner, "toy_say", `{"name":"a"}`, "invalid", "name: 1 characters"},
		{"then permission for what they name", owner, "toy_say", `{"name":"ab","colour":"green"}`, "denied", ""},
		{"then the operation's own errors", owner, "toy_say", `{"name":"gone"}`, "not_found", "toy: not found"},
		{"a fault stays inside", owner, "toy_say", `{"name":"fault"}`, "internal", "internal error (ref "},
		{"a panic too", owner, "toy_say", `{"name":"panic"}`, "internal", "internal error (ref "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result, err := s.Call(t.Context(), tt.call, tt.op, json.RawMessage(tt.in))
			if tt.kind == "" {
				want, _ := encode(toyOut{tt.says})
				if err != nil || string(result) != string(want) {
					t.Errorf("Call = %s, %v, want %s", result, err, want)
				}
				return
			}
			if p := ProblemOf(err); err == nil || p.Kind != tt.kind || !strings.Contains(p.Message, tt.says) || strings.Contains(p.Message, "secret") {
				t.Errorf("Call = %s, %+v, want a problem of kind %s that says %q", result, p, tt.kind, tt.says)
			}
		})
	}
}

func TestResultsAreEncodedOnce(t *testing.T) {
	got, err := encode(toyOut{"<a & b>\u2028"})
	if want := `{"said":"<a & b>\u2028"}`; err != nil || string(got) != want {
		t.Errorf("encode = %s, %v, want %s", got, err, want)
	}
	o := toy(Spec{})
	if err := o.CheckResult(got); err != nil {
		t.Errorf("CheckResult(%s) = %v", got, err)
	}
	for _, wrong := range []string{`{}`, `{"said":1}`, `{"said":"a","more":1}`, `x`} {
		if o.CheckResult(json.RawMessage(wrong)) == nil {
			t.Errorf("CheckResult(%s) has nothing to say", wrong)
		}
	}
}

func TestFiltersOnlyRestrict(t *testing.T) {
	s := NewSet(Gates{Deny: []string{"block_edit"}}, toy(Spec{Name: "block_edit"}), toy(Spec{Name: "block_read"}), toy(Spec{Name: "undo"}))
	for _, tt := range []struct {
		name string
		deny []string
		want string
	}{
		{"the set's own", nil, "block_read undo"},
		{"the caller's too", []string{"undo"}, "block_read"},
		{"a family", []string{"block_*"}, "undo"},
		{"everything", []string{"*"}, ""},
		{"what is not there", []string{"nothing"}, "block_read undo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := owner
			c.Deny = tt.deny
			var names []string
			for _, o := range s.List(c) {
				names = append(names, o.Name)
				if _, err := s.Get(c, o.Name); err != nil {
					t.Errorf("Get(%s) = %v, and it is listed", o.Name, err)
				}
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("List = %s, want %s", got, tt.want)
			}
			for _, o := range s.All() {
				_, err := s.Call(t.Context(), c, o.Name, json.RawMessage(`{"name":"ab"}`))
				if listed := strings.Contains(" "+tt.want+" ", " "+o.Name+" "); listed != (err == nil) {
					t.Errorf("%s: %v, listed: %v", o.Name, err, listed)
				}
			}
		})
	}
}

func TestEveryCallIsAudited(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	var records []Record
	var log bytes.Buffer
	s := NewSet(Gates{
		Log:   slog.New(slog.NewTextHandler(&log, nil)),
		Now:   func() time.Time { now = now.Add(time.Second); return now },
		Audit: func(r Record) { records = append(records, r) },
	}, toy(Spec{Effect: Writes, Right: kaijutsu.RightEdit}))
	for _, in := range []string{`{"name":"ab"}`, `{}`, `{"name":"panic"}`} {
		s.Call(t.Context(), owner, "toy_say", json.RawMessage(in))
	}
	s.Call(t.Context(), Call{}, "toy_say", nil)
	s.Call(t.Context(), owner, "nothing", nil)
	kinds := ""
	for _, r := range records {
		kind := "ok"
		if r.Problem != nil {
			kind = r.Problem.Kind
		}
		kinds += " " + kind
		if r.Took != time.Second || r.Op == "" {
			t.Errorf("the record is %+v, want the operation's name and a second", r)
		}
	}
	if want := " ok invalid internal denied not_found"; kinds != want {
		t.Errorf("the audit was told%s, want%s", kinds, want)
	}
	if r := records[0]; r.Effect != Writes || r.Right != kaijutsu.RightEdit || r.Call.By != amy {
		t.Errorf("the first record is %+v", r)
	}
	if ref := records[2].Problem.Ref; ref == "" || !strings.Contains(log.String(), ref) || !strings.Contains(log.String(), "as asked") {
		t.Errorf("the log does not explain the internal error %q: %s", ref, &log)
	}
}

func TestCallsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := Define(Spec{Name: "slow", Summary: "Wait"}, func(ctx context.Context, _ Call, _ struct{}) (struct{}, error) {
			<-ctx.Done()
			return struct{}{}, ctx.Err()
		})
		s := NewSet(Gates{Limits: Limits{Running: 2, Time: time.Second}}, slow, toy(Spec{}))
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() {
				_, err := s.Call(t.Context(), owner, "slow", json.RawMessage(`{}`))
				if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "not done after 1s") {
					t.Errorf("a call that takes too long: %v", err)
				}
			})
		}
		synctest.Wait()
		if _, err := s.Call(t.Context(), owner, "toy_say", json.RawMessage(`{"name":"ab"}`)); !errors.Is(err, kaijutsu.ErrUnavailable) {
			t.Errorf("a third call at a time: %v", err)
		}
		other := Call{By: kaijutsu.Principal{Name: "bob", Kind: kaijutsu.Person}}
		if _, err := s.Call(t.Context(), other, "toy_say", json.RawMessage(`{"name":"ab"}`)); err != nil {
			t.Errorf("somebody else's call: %v", err)
		}
		wait.Wait()
		if _, err := s.Call(t.Context(), owner, "toy_say", json.RawMessage(`{"name":"ab"}`)); err != nil {
			t.Errorf("a call afterwards: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Call(gone, owner, "slow", json.RawMessage(`{}`)); !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "went away") {
			t.Errorf("a call whose caller went away: %v", err)
		}
	})
}

func TestSetsRefuseTwins(t *testing.T) {
	mustPanic(t, func() { NewSet(Gates{}, toy(Spec{}), toy(Spec{})) })
	mustPanic(t, func() {
		NewSet(Gates{}, toy(Spec{Name: "a_b", Command: []string{"x"}}), toy(Spec{Name: "a_c", Command: []string{"x"}}))
	})
}

func BenchmarkCall(b *testing.B) {
	s := NewSet(Gates{}, toy(Spec{}))
	in := json.RawMessage(`{"name":"ab","colour":"green","tags":["a","b"],"steps":[{"op":"insert","line":1}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Call(b.Context(), owner, "toy_say", in); err != nil {
			b.Fatal(err)
		}
	}
}
