package drift_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/drift"

	"pgregory.net/rapid"
)

const (
	contextUUID = "0198c0de-1111-7000-8000-00000000000a"
	blockUUID   = "0198c0de-2222-7000-8000-00000000000b"
)

var (
	hashA = strings.Repeat("a1", 32)
	hashB = strings.Repeat("b2", 32)
)

func TestHandlesAreRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       drift.Handle
		canonical  string // "" = text
	}{
		{"canonical", contextUUID + "/" + blockUUID + "@" + hashA + "#3-7",
			drift.Handle{Context: contextUUID, Block: blockUUID, Heads: []string{hashA}, First: 3, Last: 7}, ""},
		{"whole block, now", contextUUID + "/" + blockUUID, drift.Handle{Context: contextUUID, Block: blockUUID}, ""},
		{"lines of now", contextUUID + "/" + blockUUID + "#5",
			drift.Handle{Context: contextUUID, Block: blockUUID, First: 5, Last: 5}, ""},
		{"one line as a range", contextUUID + "/" + blockUUID + "#5-5",
			drift.Handle{Context: contextUUID, Block: blockUUID, First: 5, Last: 5}, contextUUID + "/" + blockUUID + "#5"},
		{"as GitHub writes lines", contextUUID + "/" + blockUUID + "#L3-L7",
			drift.Handle{Context: contextUUID, Block: blockUUID, First: 3, Last: 7}, contextUUID + "/" + blockUUID + "#3-7"},
		{"heads in any order and case", contextUUID + "/" + blockUUID + "@" + hashB + "," + strings.ToUpper(hashA) + "," + hashB,
			drift.Handle{Context: contextUUID, Block: blockUUID, Heads: []string{hashA, hashB}},
			contextUUID + "/" + blockUUID + "@" + hashA + "," + hashB},
		{"beginnings of heads", "plan/" + blockUUID + "@a1b2c3d4",
			drift.Handle{Context: "plan", Block: blockUUID, Heads: []string{"a1b2c3d4"}}, ""},
		{"UUIDs in upper case", strings.ToUpper(contextUUID + "/" + blockUUID),
			drift.Handle{Context: contextUUID, Block: blockUUID}, contextUUID + "/" + blockUUID},
		{"another kernel", "berlin:" + contextUUID + "/" + blockUUID,
			drift.Handle{Kernel: "berlin", Context: contextUUID, Block: blockUUID}, ""},
		{"the parent", ".parent/" + blockUUID, drift.Handle{Context: ".parent", Block: blockUUID}, ""},
		{"a title with everything", "Pläne/2026 @home #1/" + blockUUID + "#2",
			drift.Handle{Context: "Pläne/2026 @home #1", Block: blockUUID, First: 2, Last: 2}, ""},
		{"a title with a colon", ":Plan: B/" + blockUUID, drift.Handle{Context: "Plan: B", Block: blockUUID}, ""},
		{"an automerge URL", "automerge:2j9knpCseyhnK8izDmLpGP5WMdZQ/" + blockUUID,
			drift.Handle{Context: "automerge:2j9knpCseyhnK8izDmLpGP5WMdZQ", Block: blockUUID}, ""},
		{"an automerge URL of another kernel", "berlin:automerge:2j9knpCseyhnK8izDmLpGP5WMdZQ/" + blockUUID,
			drift.Handle{Kernel: "berlin", Context: "automerge:2j9knpCseyhnK8izDmLpGP5WMdZQ", Block: blockUUID}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := drift.ParseHandle(c.text)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Fatalf("ParseHandle(%q) = %+v, %v, want %+v", c.text, got, err, c.want)
			}
			want := c.canonical
			if want == "" {
				want = c.text
			}
			if got.String() != want {
				t.Errorf("String() = %q, want %q", got, want)
			}
		})
	}
}

func TestHandlesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                  "",
		"a context alone":        contextUUID,
		"no context":             "/" + blockUUID,
		"no context on a kernel": "berlin:/" + blockUUID,
		"a short block id":       contextUUID + "/0198c0de",
		"a block that is none":   contextUUID + "/" + strings.Repeat("x", 36),
		"something behind it":    contextUUID + "/" + blockUUID + "x",
		"no heads behind @":      contextUUID + "/" + blockUUID + "@",
		"an empty head":          contextUUID + "/" + blockUUID + "@" + hashA + ",",
		"a head too short":       contextUUID + "/" + blockUUID + "@a1b2c3d",
		"a head too long":        contextUUID + "/" + blockUUID + "@" + hashA + "0",
		"no hexadecimal":         contextUUID + "/" + blockUUID + "@zzzzzzzz",
		"line 0":                 contextUUID + "/" + blockUUID + "#0",
		"lines backwards":        contextUUID + "/" + blockUUID + "#7-3",
		"no lines behind #":      contextUUID + "/" + blockUUID + "#",
		"a negative line":        contextUUID + "/" + blockUUID + "#-3",
		"a line beyond all":      contextUUID + "/" + blockUUID + "#99999999999",
		"lines before heads":     contextUUID + "/" + blockUUID + "#3@" + hashA,
		"two lines":              "a\nb/" + blockUUID,
		"no UTF-8":               "a\xff/" + blockUUID,
		"too many heads":         contextUUID + "/" + blockUUID + "@" + manyHeads(65),
		"too long":               strings.Repeat("a", 9000) + "/" + blockUUID,
		"a kernel in capitals":   "Berlin:" + contextUUID + "/" + blockUUID,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := drift.ParseHandle(text)
			if !errors.Is(err, kaijutsu.ErrInvalid) || !reflect.DeepEqual(got, drift.Handle{}) {
				t.Errorf("ParseHandle(%.200q) = %+v, %v, want ErrInvalid", text, got, err)
			}
			var field interface{ Field() string }
			if !errors.As(err, &field) || field.Field() != "handle" {
				t.Errorf("ParseHandle(%.200q): %v does not name the field", text, err)
			}
		})
	}
}

func manyHeads(n int) string {
	heads := make([]string, n)
	for i := range heads {
		heads[i] = hashA[:60] + string("0123456789abcdef"[i/256]) + string("0123456789abcdef"[i/16%16]) + string("0123456789abcdef"[i%16]) + "0"
	}
	return strings.Join(heads, ",")
}

// Whatever Check takes, String writes so that ParseHandle reads it back.
func TestHandlesReadAsTheyAreWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := handles().Draw(t, "handle")
		if err := h.Check(); err != nil {
			t.Skip(err)
		}
		got, err := drift.ParseHandle(h.String())
		if err != nil || !reflect.DeepEqual(got, h) {
			t.Fatalf("ParseHandle(%q) = %+v, %v, want %+v", h, got, err, h)
		}
		found := drift.FindHandles("see [[" + h.String() + "]].")
		if strings.ContainsAny(h.Context, "[]") {
			return
		}
		if len(found) != 1 || !reflect.DeepEqual(found[0].Handle, h) {
			t.Fatalf("FindHandles of [[%s]] = %+v, want it", h, found)
		}
	})
}

func handles() *rapid.Generator[drift.Handle] {
	uuid := rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	address := rapid.OneOf(uuid, rapid.StringMatching(`[a-z0-9][a-z0-9._+-]{0,20}`), rapid.Just(".parent.parent"),
		rapid.StringMatching(`automerge:[1-9A-Za-z]{5,30}`), rapid.StringN(1, 30, 100), rapid.StringMatching(`[a-z]{0,3}:?[:/@#a-z -]{1,8}`))
	head := rapid.OneOf(rapid.StringMatching(`[0-9a-f]{64}`), rapid.StringMatching(`[0-9a-f]{8,64}`))
	return rapid.Custom(func(t *rapid.T) drift.Handle {
		h := drift.Handle{
			Kernel:  rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z0-9-]{1,32}`)).Draw(t, "kernel"),
			Context: address.Draw(t, "context"), Block: uuid.Draw(t, "block"),
			Heads: rapid.SliceOfNDistinct(head, 0, 4, rapid.ID).Draw(t, "heads"),
		}
		slices.Sort(h.Heads)
		if len(h.Heads) == 0 {
			h.Heads = nil
		}
		if rapid.Bool().Draw(t, "lines") {
			h.First = rapid.IntRange(1, 1<<31-1).Draw(t, "first")
			h.Last = rapid.IntRange(h.First, 1<<31-1).Draw(t, "last")
		}
		return h
	})
}

func FuzzParseHandle(f *testing.F) {
	f.Add(contextUUID + "/" + blockUUID + "@" + hashA + "#3-7")
	f.Add("berlin:.parent/" + blockUUID + "#L3")
	f.Add(":a:b/" + blockUUID + "@a1b2c3d4,b2c3d4e5")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := drift.ParseHandle(text)
		if err != nil {
			if !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Fatalf("ParseHandle(%q) = %v, want ErrInvalid", text, err)
			}
			return
		}
		again, err := drift.ParseHandle(h.String())
		if err != nil || !reflect.DeepEqual(again, h) {
			t.Fatalf("ParseHandle(%q) = %+v, but its text %q reads as %+v, %v", text, h, h, again, err)
		}
	})
}

func TestHandlesAreFoundInText(t *testing.T) {
	bare := contextUUID + "/" + blockUUID
	for _, c := range []struct {
		name, text string
		want       []string // what stands for them
	}{
		{"none", "nothing to see in a1b2c3 or " + contextUUID, nil},
		{"bare, in a sentence", "See " + bare + "@" + hashA + "#3-7, and then (" + bare + ").", []string{bare + "@" + hashA + "#3-7", bare}},
		{"at both ends", bare + " " + bare, []string{bare, bare}},
		{"with a kernel", "as berlin:" + bare + "#3 says", []string{"berlin:" + bare + "#3"}},
		{"in brackets, any address", "as [[The plan/" + blockUUID + "#2]] says", []string{"[[The plan/" + blockUUID + "#2]]"}},
		{"a bare one in brackets is found once", "[[" + bare + "]]", []string{"[[" + bare + "]]"}},
		{"brackets of something else", "[[wiki]] [[/" + blockUUID + "]] " + bare, []string{bare}},
		{"not in a longer path", "https://example.org/" + bare + " x" + bare + " " + bare + "/more", nil},
		{"not with a head too long", bare + "@" + hashA + "00", nil},
		{"between characters of several bytes", "siehe „" + bare + "“ — 東" + "京", []string{bare}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range drift.FindHandles(c.text) {
				got = append(got, c.text[f.Start:f.End])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("FindHandles(%q) = %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestHandlesFoundAreBounded(t *testing.T) {
	text := strings.Repeat(contextUUID+"/"+blockUUID+"\n", 1500)
	if got := len(drift.FindHandles(text)); got != 1000 {
		t.Errorf("FindHandles of 1500 handles finds %d, want 1000", got)
	}
}

func FuzzFindHandles(f *testing.F) {
	f.Add("see [[plan/" + blockUUID + "]] and " + contextUUID + "/" + blockUUID + "#3.")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range drift.FindHandles(text) {
			if found.Start < end || found.End <= found.Start || found.End > len(text) {
				t.Fatalf("FindHandles(%q) finds [%d:%d] after %d", text, found.Start, found.End, end)
			}
			end = found.End
			bare := strings.TrimSuffix(strings.TrimPrefix(text[found.Start:found.End], "[["), "]]")
			if h, err := drift.ParseHandle(bare); err != nil || !reflect.DeepEqual(h, found.Handle) {
				t.Fatalf("FindHandles(%q) finds %q as %+v, which reads as %+v, %v", text, bare, found.Handle, h, err)
			}
		}
	})
}
