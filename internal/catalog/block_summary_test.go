package catalog

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestListsWriteTheirJSONAsEncodingJSONDoes(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("ab\n\"\\<>&\u2028é😀\x00\x7f\ufffd\t"))))
	row := rapid.Custom(func(t *rapid.T) blockSummary {
		var s blockSummary
		for _, p := range []*string{&s.ID, &s.Parent, &s.Role, &s.Kind, &s.Status, &s.Summary, &s.Author, &s.Created} {
			*p = text.Draw(t, "text")
		}
		for _, p := range []*bool{&s.Deleted, &s.Collapsed, &s.Excluded, &s.Ephemeral} {
			*p = rapid.Bool().Draw(t, "flag")
		}
		s.Depth, s.Lines = rapid.Int().Draw(t, "depth"), rapid.IntRange(0, 9).Draw(t, "lines")
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		out := blockListOut{
			Context: text.Draw(t, "context"), Blocks: rapid.SliceOf(row).Draw(t, "blocks"), Count: rapid.Int().Draw(t, "count"),
			Next: text.Draw(t, "next"), Version: rapid.Uint64().Draw(t, "version"), Heads: rapid.SliceOf(text).Draw(t, "heads"),
		}
		out.Blocks, out.Heads = append([]blockSummary{}, out.Blocks...), append([]string{}, out.Heads...)
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(out); err != nil {
			t.Fatal(err)
		}
		if got := string(out.AppendJSON(nil)) + "\n"; got != want.String() {
			t.Fatalf("AppendJSON = %s, want %s", got, &want)
		}
	})
}
