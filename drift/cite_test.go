package drift_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
)

// cited is a conversation of five passages, the second of which is empty.
func cited() drift.Source {
	src := drift.Source{Kernel: "berlin", Context: contextUUID, Heads: kaijutsu.NewHeads(kaijutsu.ChangeHash{1})}
	for i, content := range []string{"first", " ", "second", strings.Repeat("long line\n", 300), "fourth"} {
		src.Blocks = append(src.Blocks, drift.Passage{ID: blocks.ID(blockUUID[:35] + string(rune('0'+i))), Role: "user", Kind: "text", Content: content})
	}
	return src
}

func TestAnswersAreCited(t *testing.T) {
	for _, c := range []struct {
		name, answer, want string
		refs               []int
	}{
		{"none", "Nothing.", "Nothing.", nil},
		{"one", "- It leaks [2].", "- It leaks [2].", []int{2}},
		{"in the order of the text, each once", "A [4] B [1] C [4]", "A [4] B [1] C [4]", []int{4, 1}},
		{"side by side", "A [1][2]", "A [1][2]", []int{1, 2}},
		{"lists and ranges", "A [1, 2] B [3-4] C [1–3]", "A [1][2] B [3][4] C [1][2][3]", []int{1, 2, 3, 4}},
		{"as footnotes", "A [^2].", "A [2].", []int{2}},
		{"unknown ones go", "A [9]. B [1, 9] C [0] [5]", "A. B [1] C", []int{1}},
		{"glued to the word", "A fact[2] and args[0]", "A fact[2] and args[0]", []int{2}},
		{"code stays", "`a [9]`\n```\nx [2]\n```\nB [2]", "`a [9]`\n```\nx [2]\n```\nB [2]", []int{2}},
		{"links stay", "see [9](https://example.org)\n\n[9]: x\n", "see [9](https://example.org)\n\n[9]: x\n", nil},
		{"a range that is too wide", "A [1-900000]", "A [1]", []int{1}},
		{"a number that is too long", "A [1234567890]", "A [1234567890]", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, citations := drift.Cite(cited(), c.answer)
			var refs []int
			for _, c := range citations {
				refs = append(refs, c.Ref)
			}
			if got != c.want || !slices.Equal(refs, c.refs) {
				t.Errorf("Cite(%q) = %q, %v, want %q, %v", c.answer, got, refs, c.want, c.refs)
			}
		})
	}
}

func TestCitationsNameWhatWasShown(t *testing.T) {
	src := cited()
	_, got := drift.Cite(src, "A [2] B [3]")
	handle := func(block string, first, last int) drift.Handle {
		return drift.Handle{Kernel: "berlin", Context: contextUUID, Block: block, Heads: src.Heads.Texts(), First: first, Last: last}
	}
	want := []drift.Citation{
		{Ref: 2, Handle: handle(blockUUID[:35]+"2", 0, 0), Quote: "second"},
		{Ref: 3, Handle: handle(blockUUID[:35]+"3", 1, 201), Quote: strings.Repeat("long line\n", 20)[:199] + "…"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Cite = %+v, want %+v", got, want)
	}
}

func TestCitationsOfAnAnswerAreBounded(t *testing.T) {
	var src drift.Source
	var answer strings.Builder
	for i := range 1000 {
		src.Blocks = append(src.Blocks, says("user", "text", "x"))
		fmt.Fprintf(&answer, "x [%d] ", i+1)
	}
	_, citations := drift.Cite(src, answer.String())
	meta := drift.Meta{Kind: drift.KindDistill}
	for _, c := range citations {
		c.Handle.Context, c.Handle.Block = contextUUID, blockUUID
		meta.Citations = append(meta.Citations, c)
	}
	if _, err := meta.Encode(""); err != nil || len(citations) < 100 {
		t.Errorf("%d citations of an answer with a thousand: %v, want as many as a meta holds", len(citations), err)
	}
}

func FuzzCite(f *testing.F) {
	f.Add("A [1, 9] `[2]` [3-4]")
	f.Add("```\n[1]\n~~~ [2](x) [^3]")
	f.Fuzz(func(t *testing.T, answer string) {
		text, citations := drift.Cite(cited(), answer)
		if len(text) > 16*len(answer)+1 {
			t.Fatalf("Cite(%q) is %d bytes", answer, len(text))
		}
		for _, c := range citations {
			if c.Ref < 1 || c.Ref > 4 || c.Handle.Check() != nil {
				t.Fatalf("Cite(%q) cites %+v", answer, c)
			}
		}
		again, same := drift.Cite(cited(), text)
		if again != text || len(same) != len(citations) {
			t.Fatalf("Cite(%q) = %q with %d citations; again: %q with %d", answer, text, len(citations), again, len(same))
		}
	})
}
