package drift_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/drift"
)

// fullMeta has every field.
func fullMeta() drift.Meta {
	return drift.Meta{
		SourceKernel: "berlin", SourceContext: contextUUID, SourceTitle: "Caching <plan> & „Größe“", Heads: []string{hashA, hashB},
		Model: "claude-sonnet", Kind: drift.KindDistill, Principal: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person},
		DriftID: blockUUID, Number: 3,
		Citations: []drift.Citation{
			{Ref: 1, Handle: drift.Handle{Context: contextUUID, Block: blockUUID, Heads: []string{hashA}, First: 3, Last: 7}, Quote: "the cache is cold"},
			{Ref: 2, Handle: drift.Handle{Kernel: "oslo", Context: "plan", Block: blockUUID}},
		},
		Chain: []string{"oslo:" + contextUUID}, Finding: drift.Fingerprint("x"), Act: drift.ActAsked, Distiller: "extractive",
		Stale: []drift.Mark{{Ref: 1, Reason: drift.ReasonChanged, Diff: "-a\n+b\n", Heads: []string{hashB}}},
	}
}

// What is in a document stays there: every meta that we have written must be
// read for ever.
func TestMetasAreReadForEver(t *testing.T) {
	for name, want := range map[string]drift.Meta{
		"full.json": fullMeta(),
		"push.json": {SourceContext: contextUUID, Kind: drift.KindPush, Principal: kaijutsu.Principal{Name: "scribe", Kind: kaijutsu.Agent}, DriftID: blockUUID},
	} {
		path := filepath.Join("testdata", "metas", name)
		if _, err := os.Stat(path); *update && errors.Is(err, os.ErrNotExist) {
			text, err := want.Encode("")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := drift.ParseMeta(string(b)); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("ParseMeta(%s) = %+v, %v, want %+v", name, got, ok, want)
		}
		if got, err := want.Encode(""); err != nil || got != string(b) {
			t.Errorf("Encode = %s, %v, want %s", got, err, b)
		}
	}
}

func TestMetasKeepOthersKeys(t *testing.T) {
	keep := `{"tool_call_id":"x1","n":12345678901234567890,"f":1.50,"html":"<b>&</b>","act":"asked","stale":[{"ref":9,"reason":"changed"}],"in":{"act":"keep"}}`
	got, err := drift.Meta{Kind: drift.KindPush, Number: 7}.Encode(keep)
	want := `{"drift_kind":"push","f":1.50,"html":"<b>&</b>","in":{"act":"keep"},"n":12345678901234567890,"number":7,"tool_call_id":"x1"}`
	if err != nil || got != want {
		t.Errorf("Encode = %s, %v, want %s", got, err, want)
	}
	for name, keep := range map[string]string{
		"a list": "[]", "null": "null", "cut": `{"a":`, "two": "{} {}", "no UTF-8": "{\"a\":\"\xff\"}", "too long": `{"a":"` + strings.Repeat("x", 70_000) + `"}`,
	} {
		if got, err := (drift.Meta{}).Encode(keep); err == nil || got != "" {
			t.Errorf("Encode over %s = %q, want an error", name, got)
		}
	}
}

func TestMetasOfOthersAreRead(t *testing.T) {
	for _, c := range []struct {
		name, meta string
		want       drift.Meta
	}{
		{"unknown keys", `{"tool_name":"grep","drift_kind":"pull","citations":[{"ref":1,"handle":"plan/` + blockUUID + `","x":[1]}]}`,
			drift.Meta{Kind: drift.KindPull, Citations: []drift.Citation{{Ref: 1, Handle: drift.Handle{Context: "plan", Block: blockUUID}}}}},
		{"no drift", `{"tool_name":"grep"}`, drift.Meta{}},
		{"nulls", `{"drift_kind":null,"citations":null,"principal":null,"number":null}`, drift.Meta{}},
		{"keys in other case are others'", `{"Drift_Kind":"pull","ACT":7}`, drift.Meta{}},
	} {
		if got, ok := drift.ParseMeta(c.meta); !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: ParseMeta(%s) = %+v, %v, want %+v", c.name, c.meta, got, ok, c.want)
		}
	}
}

func TestMetasAreRefused(t *testing.T) {
	for name, meta := range map[string]string{
		"nothing":                     ``,
		"a list":                      `[]`,
		"null":                        `null`,
		"cut":                         `{"drift_kind":"push"`,
		"no UTF-8":                    "{\"model\":\"\xff\"}",
		"too long":                    `{"x":"` + strings.Repeat("x", 64<<10) + `"}`,
		"a kind that is none":         `{"drift_kind":"shove"}`,
		"a kind of another type":      `{"drift_kind":1}`,
		"a number as text":            `{"number":"3"}`,
		"a negative number":           `{"number":-3}`,
		"half a number":               `{"number":3.5}`,
		"heads that are one text":     `{"heads":"` + hashA + `"}`,
		"heads cut":                   `{"heads":["a1b2c3d4"]}`,
		"65 heads":                    `{"heads":["` + strings.ReplaceAll(manyHeads(65), ",", `","`) + `"]}`,
		"nobody":                      `{"principal":{}}`,
		"a principal of no kind":      `{"principal":{"name":"amy","kind":"robot"}}`,
		"an id that is none":          `{"drift_id":"3"}`,
		"an act that is none":         `{"act":"now"}`,
		"citations that are no list":  `{"citations":{"ref":1}}`,
		"citations of texts":          `{"citations":["x"]}`,
		"a citation without a number": `{"citations":[{"handle":"plan/` + blockUUID + `"}]}`,
		"a citation of nothing":       `{"citations":[{"ref":1}]}`,
		"two citations of a number":   `{"citations":[{"ref":1,"handle":"plan/` + blockUUID + `"},{"ref":1,"handle":"plan/` + blockUUID + `"}]}`,
		"129 citations":               `{"citations":[` + strings.TrimSuffix(strings.Repeat(`{},`, 129), ",") + `]}`,
		"a quote too long":            `{"citations":[{"ref":1,"handle":"plan/` + blockUUID + `","quote":"` + strings.Repeat("é", 201) + `"}]}`,
		"a reason that is none":       `{"stale":[{"ref":1,"reason":"old"}]}`,
		"a diff too long":             `{"stale":[{"ref":1,"reason":"changed","diff":"` + strings.Repeat("x", 4097) + `"}]}`,
		"a chain too long":            `{"chain":["` + strings.Repeat(`x","`, 64) + `x"]}`,
		"deep":                        strings.Repeat(`{"x":`, 12_000),
	} {
		if got, ok := drift.ParseMeta(meta); ok || !reflect.DeepEqual(got, drift.Meta{}) {
			t.Errorf("ParseMeta of %s = %+v, %v, want it refused", name, got, ok)
		}
	}
}

func TestMetasAreNotWrittenWrong(t *testing.T) {
	citation := drift.Citation{Ref: 1, Handle: drift.Handle{Context: "plan", Block: blockUUID}}
	for _, c := range []struct {
		field string
		meta  drift.Meta
		want  error
	}{
		{"drift_kind", drift.Meta{Kind: "shove"}, kaijutsu.ErrInvalid},
		{"drift_id", drift.Meta{DriftID: strings.ToUpper(blockUUID)}, kaijutsu.ErrInvalid},
		{"principal", drift.Meta{Principal: kaijutsu.Principal{Name: "amy"}}, kaijutsu.ErrInvalid},
		{"number", drift.Meta{Number: 1 << 53}, kaijutsu.ErrTooLarge},
		{"act", drift.Meta{Act: "now"}, kaijutsu.ErrInvalid},
		{"heads", drift.Meta{Heads: []string{"a1b2c3d4"}}, kaijutsu.ErrInvalid},
		{"source_title", drift.Meta{SourceTitle: strings.Repeat("x", 4097)}, kaijutsu.ErrTooLarge},
		{"model", drift.Meta{Model: "\xff"}, kaijutsu.ErrInvalid},
		{"chain", drift.Meta{Chain: make([]string, 65)}, kaijutsu.ErrTooLarge},
		{"citations", drift.Meta{Citations: make([]drift.Citation, 129)}, kaijutsu.ErrTooLarge},
		{"citations[1]", drift.Meta{Citations: []drift.Citation{citation, citation}}, kaijutsu.ErrInvalid},
		{"citations[0]", drift.Meta{Citations: []drift.Citation{{Ref: 1}}}, kaijutsu.ErrInvalid},
		{"citations[0]", drift.Meta{Citations: []drift.Citation{{Ref: 1, Handle: citation.Handle, Quote: strings.Repeat("x", 201)}}}, kaijutsu.ErrInvalid},
		{"stale[0]", drift.Meta{Stale: []drift.Mark{{Ref: 1, Reason: "old"}}}, kaijutsu.ErrInvalid},
		{"stale[0].diff", drift.Meta{Stale: []drift.Mark{{Ref: 1, Reason: "changed", Diff: strings.Repeat("x", 4097)}}}, kaijutsu.ErrTooLarge},
	} {
		got, err := c.meta.Encode("")
		var field interface{ Field() string }
		if !errors.Is(err, c.want) || got != "" || !errors.As(err, &field) || field.Field() != c.field {
			t.Errorf("Encode of a wrong %s = %.80q, %v, want %v about it", c.field, got, err, c.want)
		}
	}
}

// A meta of a block has 64 KiB: what can be had again makes room.
func TestLongMetasAreShortened(t *testing.T) {
	var m drift.Meta
	for i := range 128 {
		h := drift.Handle{Context: contextUUID, Block: blockUUID, Heads: []string{hashA}, First: i + 1, Last: i + 1}
		m.Citations = append(m.Citations, drift.Citation{Ref: i + 1, Handle: h, Quote: strings.Repeat("京", 200)})
		m.Stale = append(m.Stale, drift.Mark{Ref: i + 1, Reason: drift.ReasonChanged, Diff: strings.Repeat("-a line\n", 500), Heads: []string{hashA}})
	}
	text, err := m.Encode(`{"mine":true}`)
	if err != nil || len(text) > 64<<10 {
		t.Fatalf("Encode is %d bytes, %v, want at most 64 KiB", len(text), err)
	}
	got, ok := drift.ParseMeta(text)
	if !ok || len(got.Citations) != 128 || len(got.Stale) != 128 || !strings.Contains(text, `"mine":true`) {
		t.Errorf("ParseMeta = %d citations, %d marks, %v, want all of them", len(got.Citations), len(got.Stale), ok)
	}
	few := drift.Meta{Stale: m.Stale[:40]}
	if text, err = few.Encode(""); err != nil {
		t.Fatal(err)
	}
	few, _ = drift.ParseMeta(text)
	if diff := few.Stale[0].Diff; !strings.HasSuffix(diff, "-a line\n\\ cut, 4000 bytes in all\n") || len(diff) > 1024 {
		t.Errorf("diff = %q, want whole lines and a comment", diff)
	}
	if _, err := m.Encode(`{"mine":"` + strings.Repeat("x", 40_000) + `"}`); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("Encode with 40 KB of others = %v, want ErrTooLarge", err)
	}
}

func TestCitationsAbroadNameTheirKernel(t *testing.T) {
	m := fullMeta()
	got := m.Abroad("berlin")
	if a, b := got.Citations[0].Handle.Kernel, got.Citations[1].Handle.Kernel; a != "berlin" || b != "oslo" {
		t.Errorf("Abroad cites kernels %q and %q, want berlin and oslo", a, b)
	}
	if !reflect.DeepEqual(m, fullMeta()) {
		t.Errorf("Abroad changed what it was asked of: %+v", m)
	}
}

func FuzzParseMeta(f *testing.F) {
	text, err := fullMeta().Encode(`{"x":[1,{}]}`)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(`{"citations":[{"ref":1,"handle":"plan/` + blockUUID + `"}],"stale":[{"ref":1,"reason":"deleted"}],"x":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		if m, ok := drift.ParseMeta(text); ok {
			again, err := m.Encode(text)
			if err != nil {
				if errors.Is(err, kaijutsu.ErrTooLarge) { // short escapes may be written longer
					return
				}
				t.Fatalf("Encode of what %q says: %v", text, err)
			}
			if got, ok := drift.ParseMeta(again); !ok || fmt.Sprint(got) != fmt.Sprint(m) {
				t.Fatalf("ParseMeta(%q) = %+v, but %q reads as %+v, %v", text, m, again, got, ok)
			}
		}
		citations, marks := drift.ReadCitations(text)
		if (drift.Meta{Citations: citations, Stale: marks}).Kind != "" || len(citations) > 128 || len(marks) > 128 {
			t.Fatalf("ReadCitations(%q) = %d, %d", text, len(citations), len(marks))
		}
		marked, err := drift.MarkStale(text, []drift.Mark{{Ref: 1, Reason: drift.ReasonDeleted}})
		if err == nil && !json.Valid([]byte(marked)) {
			t.Fatalf("MarkStale(%q) = %q", text, marked)
		}
	})
}
