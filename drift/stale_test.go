package drift_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/drift"
)

func TestCitationsOfAnyBlockAreRead(t *testing.T) {
	one := drift.Citation{Ref: 1, Handle: drift.Handle{Context: "plan", Block: blockUUID}}
	mark := drift.Mark{Ref: 1, Reason: drift.ReasonDeleted}
	good := `{"ref":1,"handle":"plan/` + blockUUID + `"}`
	for _, c := range []struct {
		name, meta string
		citations  []drift.Citation
		marks      []drift.Mark
	}{
		{"none", `{}`, nil, nil},
		{"of a block that is no drift", `{"tool_name":7,"model":[],"citations":[` + good + `]}`, []drift.Citation{one}, nil},
		{"what cannot be read is passed over", `{"citations":["x",null,{"ref":2},{"ref":1,"handle":"x"},` + good + `,` + good + `],"stale":[{"ref":1,"reason":"deleted"},7]}`,
			[]drift.Citation{one}, []drift.Mark{mark}},
		{"too many", `{"citations":[` + strings.Repeat(good+",", 129) + good + `]}`, nil, nil},
		{"no object", `[` + good + `]`, nil, nil},
		{"too long", `{"citations":[` + good + `],"x":"` + strings.Repeat("x", 64<<10) + `"}`, nil, nil},
	} {
		citations, marks := drift.ReadCitations(c.meta)
		if !reflect.DeepEqual(citations, c.citations) || !reflect.DeepEqual(marks, c.marks) {
			t.Errorf("%s: ReadCitations = %+v, %+v, want %+v, %+v", c.name, citations, marks, c.citations, c.marks)
		}
	}
}

func TestMarksComeAndGo(t *testing.T) {
	meta := `{"act":"by somebody else","citations":[{"ref":1,"handle":"nonsense"}],"z":[1, 2]}`
	mark := drift.Mark{Ref: 1, Reason: drift.ReasonChanged, Diff: "-a\n+<b>\n", Heads: []string{hashA}}
	marked, err := drift.MarkStale(meta, []drift.Mark{mark})
	want := `{"act":"by somebody else","citations":[{"ref":1,"handle":"nonsense"}],"stale":[{"ref":1,"reason":"changed","diff":"-a\n+<b>\n","heads":["` + hashA + `"]}],"z":[1,2]}`
	if err != nil || marked != want {
		t.Errorf("MarkStale = %s, %v, want %s", marked, err, want)
	}
	if _, marks := drift.ReadCitations(marked); !reflect.DeepEqual(marks, []drift.Mark{mark}) {
		t.Errorf("ReadCitations = %+v, want %+v", marks, mark)
	}
	fresh, err := drift.MarkStale(marked, nil)
	if want := strings.ReplaceAll(meta, ", ", ","); err != nil || fresh != want {
		t.Errorf("MarkStale without marks = %s, %v, want %s", fresh, err, want)
	}
	if got, err := drift.MarkStale("", nil); err != nil || got != "{}" {
		t.Errorf("MarkStale of no meta = %q, %v, want {}", got, err)
	}
	for name, bad := range map[string]drift.Mark{"reason": {Ref: 1, Reason: "old"}, "ref": {Reason: drift.ReasonChanged}} {
		if _, err := drift.MarkStale("{}", []drift.Mark{bad}); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("MarkStale with a wrong %s = %v, want ErrInvalid", name, err)
		}
	}
	if _, err := drift.MarkStale("[]", nil); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("MarkStale of a list = %v, want ErrInvalid", err)
	}
}

func TestDiffsAreCutAtLines(t *testing.T) {
	long := strings.Repeat("-京 line\n", 1000)
	got := drift.CutDiff(long)
	if len(got) > drift.MaxDiff || !strings.HasSuffix(got, "-京 line\n\\ cut, 10000 bytes in all\n") {
		t.Errorf("CutDiff = %d bytes, ending %q", len(got), got[max(0, len(got)-60):])
	}
	if short := "-a\n+b\n"; drift.CutDiff(short) != short {
		t.Errorf("CutDiff(%q) = %q", short, drift.CutDiff(short))
	}
}

func TestQuotes(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		strings.Repeat("é", 200): strings.Repeat("é", 200),
		strings.Repeat("é", 201): strings.Repeat("é", 199) + "…",
	} {
		if got := drift.Quote(text); got != want {
			t.Errorf("Quote(%q) = %q, want %q", text, got, want)
		}
	}
}
