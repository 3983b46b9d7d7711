package drift_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

// docs are two contexts.
func docs(t testing.TB) (from, target kaijutsu.DocumentID) {
	t.Helper()
	for id, doc := range map[string]*kaijutsu.DocumentID{contextUUID: &from, blockUUID: &target} {
		cid, err := kaijutsu.ParseContextID(id)
		if err != nil {
			t.Fatal(err)
		}
		*doc = cid.Document()
	}
	return from, target
}

func stagedItem(t testing.TB) drift.Item {
	from, target := docs(t)
	return drift.Item{
		ID: contextUUID, Number: 3, From: from, Target: target, Content: "The pool <leaks> & „Größe“.\n", Meta: fullMeta(),
		By: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}, At: noon, State: drift.StateStaged,
	}
}

// Every item that a version has written must be read for ever.
func TestItemsAreReadForEver(t *testing.T) {
	_, target := docs(t)
	dead := stagedItem(t)
	dead.State, dead.Failures, dead.LastError, dead.Tried = drift.StateDead, 5, "context is archived", noon.Add(time.Minute)
	offered := stagedItem(t)
	offered.Target, offered.ToKernel, offered.To, offered.State = kaijutsu.DocumentID{}, "oslo", "The plan", drift.StateOffered
	held := stagedItem(t)
	held.From, held.Via, held.State, held.Meta = kaijutsu.DocumentID{}, "oslo", drift.StateHeld, drift.Meta{}
	held.Target = target
	for name, want := range map[string]drift.Item{"staged": stagedItem(t), "dead": dead, "offered": offered, "held": held} {
		path := filepath.Join("testdata", "items", "v1-"+name+".json")
		if _, err := os.Stat(path); *update && errors.Is(err, os.ErrNotExist) {
			b, err := drift.EncodeItem(want)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := drift.DecodeItem(b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("DecodeItem(%s) = %+v, %v, want %+v", name, got, err, want)
		}
		if again, err := drift.EncodeItem(got); err != nil || !bytes.Equal(again, b) {
			t.Errorf("EncodeItem = %s, %v, want %s", again, err, b)
		}
	}
}

func TestItemsAreNotWrittenWrong(t *testing.T) {
	for _, c := range []struct {
		name, field string
		want        error
		change      func(*drift.Item)
	}{
		{"no id", "id", kaijutsu.ErrInvalid, func(it *drift.Item) { it.ID = "" }},
		{"an id in upper case", "id", kaijutsu.ErrInvalid, func(it *drift.Item) { it.ID = strings.ToUpper(it.ID) }},
		{"no target", "target", kaijutsu.ErrInvalid, func(it *drift.Item) { it.Target = kaijutsu.DocumentID{} }},
		{"two targets", "target", kaijutsu.ErrInvalid, func(it *drift.Item) { it.ToKernel, it.To = "oslo", "x" }},
		{"another kernel's nowhere", "to", kaijutsu.ErrInvalid, func(it *drift.Item) { it.Target, it.ToKernel = kaijutsu.DocumentID{}, "oslo" }},
		{"no source", "from", kaijutsu.ErrInvalid, func(it *drift.Item) { it.From = kaijutsu.DocumentID{} }},
		{"no content", "content", kaijutsu.ErrInvalid, func(it *drift.Item) { it.Content = "" }},
		{"content that is not UTF-8", "content", kaijutsu.ErrInvalid, func(it *drift.Item) { it.Content = "\xff" }},
		{"too much", "content", kaijutsu.ErrTooLarge, func(it *drift.Item) { it.Content = strings.Repeat("x", drift.MaxContent+1) }},
		{"nobody's", "by", kaijutsu.ErrInvalid, func(it *drift.Item) { it.By = kaijutsu.Principal{} }},
		{"no time", "at", kaijutsu.ErrInvalid, func(it *drift.Item) { it.At = time.Time{} }},
		{"delivered", "state", kaijutsu.ErrInvalid, func(it *drift.Item) { it.State = drift.StateDelivered }},
		{"fewer failures than none", "failures", kaijutsu.ErrInvalid, func(it *drift.Item) { it.Failures = -1 }},
		{"a wrong meta", "drift_kind", kaijutsu.ErrInvalid, func(it *drift.Item) { it.Meta.Kind = "shove" }},
	} {
		it := stagedItem(t)
		c.change(&it)
		b, err := drift.EncodeItem(it)
		var field interface{ Field() string }
		if !errors.Is(err, c.want) || b != nil || !errors.As(err, &field) || field.Field() != c.field {
			t.Errorf("EncodeItem with %s = %v, want %v about %s", c.name, err, c.want, c.field)
		}
	}
}

func TestItemsAreDecodedStrictly(t *testing.T) {
	b, err := drift.EncodeItem(stagedItem(t))
	if err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) string {
		if !strings.Contains(string(b), old) {
			t.Fatalf("the item has no %s", old)
		}
		return strings.Replace(string(b), old, new, 1)
	}
	for name, text := range map[string]string{
		"nothing":               "",
		"a list":                "[]",
		"cut":                   string(b[:len(b)-1]),
		"more behind it":        string(b) + "{}",
		"a newer version":       replace(`"v":1`, `"v":2`),
		"no version":            replace(`"v":1,`, ``),
		"an unknown key":        replace(`"v":1`, `"v":1,"extra":1`),
		"a key in other case":   replace(`"content"`, `"Content"`),
		"a meta's unknown key":  replace(`"drift_kind"`, `"extra":1,"drift_kind"`),
		"a number as text":      replace(`"number":3`, `"number":"3"`),
		"a time that is none":   replace(`2026-11-21T12:00:00Z`, `yesterday`),
		"a target that is none": replace(`"target":"`, `"target":"x`),
		"no content":            replace(`"content":"`, `"content":null,"via":"`),
		"no UTF-8":              replace(`The pool`, "\xff"),
		"too long":              `{"v":1,"x":"` + strings.Repeat("x", drift.MaxItemBytes) + `"}`,
	} {
		got, err := drift.DecodeItem([]byte(text))
		if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) || !reflect.DeepEqual(got, drift.Item{}) {
			t.Errorf("DecodeItem of %s = %+v, %v, want it refused", name, got, err)
		}
	}
}

func TestLargestItems(t *testing.T) {
	it := stagedItem(t)
	it.Content = strings.Repeat("\x01", drift.MaxContent) // six bytes each in JSON
	it.LastError = strings.Repeat("é", 3000)
	it.At = noon.In(time.FixedZone("CET", 3600))
	b, err := drift.EncodeItem(it)
	if err != nil {
		t.Fatal(err)
	}
	got, err := drift.DecodeItem(b)
	if err != nil || got.Content != it.Content || got.LastError != strings.Repeat("é", 1024) || !got.At.Equal(noon) || got.At.Location() != time.UTC {
		t.Errorf("DecodeItem = %d bytes of content, %d of error, at %v, %v", len(got.Content), len(got.LastError), got.At, err)
	}
}

func FuzzDecodeItem(f *testing.F) {
	paths, err := filepath.Glob("testdata/items/*.json")
	if err != nil || len(paths) == 0 {
		f.Fatal(err, "no items")
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		it, err := drift.DecodeItem(b)
		if err != nil {
			if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Fatalf("DecodeItem(%q) = %v, want a sentinel", b, err)
			}
			return
		}
		again, err := drift.EncodeItem(it)
		if err != nil {
			t.Fatalf("EncodeItem of what %q says: %v", b, err)
		}
		got, err := drift.DecodeItem(again)
		if err != nil {
			t.Fatalf("DecodeItem(%q) reads, but not as written: %v", b, err)
		}
		if third, err := drift.EncodeItem(got); err != nil || !bytes.Equal(third, again) {
			t.Fatalf("EncodeItem = %s, then %s, %v", again, third, err)
		}
	})
}
