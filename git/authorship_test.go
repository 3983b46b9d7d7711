package git

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
)

func sampleNote() Authorship {
	return Authorship{
		Files: []FileAttest{
			{"src/main.rs", []Attest{
				{"s_c9883b05a2487d::t_9f8e7d6c5b4a32", []LineRange{{1, 10}, {15, 20}}},
				{"h_31dce776f88375", []LineRange{{42, 50}, {7, 7}}},
			}},
			{"docs/read me (copy).md", []Attest{{"abcd1234abcd1234", []LineRange{{5, 5}, {6, 6}}}}},
		},
		Meta: AuthorshipMeta{
			Writer:   "kaijutsu/1",
			Base:     "7734793b756b3921c88db5375a8c156e9532447b",
			Prompts:  map[string]json.RawMessage{"abcd1234abcd1234": json.RawMessage(`{"agent_id":{"tool":"cursor","id":"x","model":"m"},"total_additions":1}`)},
			Humans:   map[string]Human{"h_31dce776f88375": {Author: "Dev <dev@example.com>"}},
			Sessions: map[string]Session{"s_c9883b05a2487d": {Tool: "claude", ID: "conv", Model: "opus", HumanAuthor: "dev@example.com", Attributes: map[string]string{"team": "backend"}}},
		},
	}
}

func TestAuthorshipNoteIsAsTheFormatSays(t *testing.T) {
	got := string(sampleNote().Encode())
	want := `src/main.rs
  s_c9883b05a2487d::t_9f8e7d6c5b4a32 1-10,15-20
  h_31dce776f88375 7,42-50
"docs/read me (copy).md"
  abcd1234abcd1234 5-6
---
{
  "schema_version": "authorship/3.0.0",
  "git_ai_version": "kaijutsu/1",
  "base_commit_sha": "7734793b756b3921c88db5375a8c156e9532447b",
  "prompts": {
    "abcd1234abcd1234": {
      "agent_id": {
        "tool": "cursor",
        "id": "x",
        "model": "m"
      },
      "total_additions": 1
    }
  },
  "humans": {
    "h_31dce776f88375": {
      "author": "Dev <dev@example.com>"
    }
  },
  "sessions": {
    "s_c9883b05a2487d": {
      "agent_id": {
        "tool": "claude",
        "id": "conv",
        "model": "opus"
      },
      "human_author": "dev@example.com",
      "custom_attributes": {
        "team": "backend"
      }
    }
  }
}
`
	if got != want {
		t.Errorf("Encode() =\n%s\nwant\n%s", got, want)
	}
}

func TestAuthorshipKeys(t *testing.T) {
	// As sha256sum says of the same texts.
	for _, c := range []struct{ what, got, want string }{
		{"person", HumanKey("Ann <ann@example.com>"), "h_" + digest14("Ann <ann@example.com>")},
		{"session", SessionKey("claude", "42"), "s_" + digest14("claude:42")},
		{"trace of a change", TraceKey("0123456789abcdef0123"), "t_0123456789abcd"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.what, c.got, c.want)
		}
	}
	if got, want := HumanKey("abc"), "h_ba7816bf8f01cf"; got != want {
		t.Errorf("HumanKey(abc) = %s, want %s (FIPS 180 example)", got, want)
	}
	if got := TraceKey("not hex"); len(got) != 16 || TraceKey("not hex") != got {
		t.Errorf("TraceKey of any text = %q, want 14 digits that depend on it", got)
	}
}

func TestAuthorshipSurvivesEncoding(t *testing.T) {
	paths := []string{"a", "a b", "tab\there", `"quoted"`, `"half`, `q"in`, "---", "--- ", "  two", "ünïcode/日本", "#x", "a\u00a0b", `"`}
	a := sampleNote()
	a.Files = nil
	for i, p := range paths {
		a.Files = append(a.Files, FileAttest{p, []Attest{{HumanKey(p), []LineRange{{i + 1, i + 3}}}}})
	}
	got, err := ParseAuthorship(a.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Files, a.Files) {
		t.Errorf("files after a round = %v, want %v", got.Files, a.Files)
	}
	if string(got.Encode()) != string(a.Encode()) {
		t.Errorf("encoding again = %s, want %s", got.Encode(), a.Encode())
	}
}

func TestAuthorshipEncodeLeavesOutWhatCannotBeWritten(t *testing.T) {
	a := Authorship{Files: []FileAttest{
		{"line\nfeed", []Attest{{"h_1", []LineRange{{1, 1}}}}},
		{"", []Attest{{"h_1", []LineRange{{1, 1}}}}},
		{"ok", []Attest{{"key with space", []LineRange{{1, 1}}}, {"h_2\n---", []LineRange{{1, 1}}}, {"h_3", []LineRange{{0, 4}, {9, 3}, {-1, -1}}}}},
		{"fine", []Attest{{"h_4", []LineRange{{3, 4}, {1, 3}, {5, 5}, {9, 9}}}}},
		{"fine", []Attest{{"h_5", []LineRange{{20, 21}}}}},
	}}
	head, _, _ := strings.Cut(string(a.Encode()), "---\n")
	if want := "fine\n  h_4 1-5,9\n  h_5 20-21\n"; head != want {
		t.Errorf("first half = %q, want %q", head, want)
	}
}

func TestParseAuthorshipIsLenient(t *testing.T) {
	note := "  h_0 1\nsrc/a\r\n  h_1 1-3,x,9-2,5\n bad\n  \n  h_2\nempty\nb\n  h_3 0\n  h_4 4294967295\n  h_5 99999999999\n---\n" +
		`{"schema_version":"authorship/3.1.0","base_commit_sha":"?","prompts":null,"new":{"x":[1]},"humans":{"h_1":{"author":"A","note":1},"h_2":{}},` +
		`"sessions":{"s_1":{"agent_id":{"tool":"t","extra":true},"custom_attributes":{"n":1}},"s_2":{"x":1}}}`
	a, err := ParseAuthorship([]byte(note))
	if err != nil {
		t.Fatal(err)
	}
	want := []FileAttest{
		{"src/a", []Attest{{"h_1", []LineRange{{1, 3}, {5, 5}}}}},
		{"b", []Attest{{"h_4", []LineRange{{4294967295, 4294967295}}}}},
	}
	if !reflect.DeepEqual(a.Files, want) {
		t.Errorf("files = %v, want %v", a.Files, want)
	}
	out := string(a.Encode())
	for _, kept := range []string{`"new": {`, `"note": 1`, `"extra": true`, `"custom_attributes": {`} {
		if !strings.Contains(out, kept) {
			t.Errorf("%s is not kept in %s", kept, out)
		}
	}
}

func TestParseAuthorshipRefuses(t *testing.T) {
	for name, note := range map[string]string{
		"nothing":         "",
		"no divider":      "a\n  h_1 1\n",
		"no JSON":         "---\nnope",
		"a JSON list":     "---\n[]",
		"null":            "---\nnull",
		"another version": "---\n" + `{"schema_version":"authorship/2.0.0"}`,
		"bytes":           "---\n{\"schema_version\":\"authorship/3.0.0\",\"x\":\"\xff\"}",
	} {
		if _, err := ParseAuthorship([]byte(note)); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("%s: err = %v, want ErrInvalid", name, err)
		}
	}
	if _, err := ParseAuthorship(make([]byte, maxNote+1)); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("a large note: err = %v, want ErrTooLarge", err)
	}
}

// The golden note has to be read, and written the same, by every version.
func TestAuthorshipGolden(t *testing.T) {
	name := filepath.Join("testdata", "authorship.golden")
	var a Authorship
	for i := range 250 {
		f := FileAttest{Path: fmt.Sprintf("pkg/dir %d/file_%d.go", i%7, i)}
		for k := range 3 {
			f.Entries = append(f.Entries, Attest{SessionKey("tool", fmt.Sprint(k)) + "::" + TraceKey(fmt.Sprint(i, k)), []LineRange{{k*100 + 1, k*100 + i%50 + 1}, {k*100 + 70, k*100 + 70}}})
		}
		a.Files = append(a.Files, f)
	}
	a.Meta = sampleNote().Meta
	got := a.Encode()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(want), "\n"); n < 1000 {
		t.Errorf("golden note has %d lines, want 1000", n)
	}
	if string(got) != string(want) {
		t.Errorf("the golden note is written otherwise now")
	}
	back, err := ParseAuthorship(want)
	if err != nil || !reflect.DeepEqual(back.Files, a.Files) {
		t.Errorf("the golden note is read otherwise now: %v", err)
	}
}

func FuzzParseAuthorship(f *testing.F) {
	f.Add(sampleNote().Encode())
	f.Add([]byte("a\n  h_1 1-3,5\n\"x y\"\n  s_1::t_2 4294967295,1\n---\n{\"schema_version\":\"authorship/3.0.0\",\"sessions\":{\"s\":{\"agent_id\":{}}}}"))
	f.Fuzz(func(t *testing.T, note []byte) {
		a, err := ParseAuthorship(note)
		if err != nil {
			return
		}
		once := a.Encode()
		b, err := ParseAuthorship(once)
		if err != nil {
			t.Fatalf("what Encode wrote is refused: %v\n%s", err, once)
		}
		if twice := b.Encode(); string(twice) != string(once) {
			t.Fatalf("encoding is not stable:\n%s\n%s", once, twice)
		}
		a.KeyAt("a", 1)
	})
}
