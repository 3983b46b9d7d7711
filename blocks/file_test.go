package blocks

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
)

// TestTextsOfFilesMayBeLong writes the text of a file that no other block could
// hold, and what is too much for one.
func TestTextsOfFilesMayBeLong(t *testing.T) {
	p := newPair(t, "disk")
	var lines strings.Builder
	for i := range maxFileRunes / 40 {
		fmt.Fprintf(&lines, "line %05d of forty characters here!!!!\n", i)
	}
	long := lines.String()
	file := p.insert(BlockSpec{Kind: KindFile, Role: RoleSystem, Content: long})
	over := p.insert(BlockSpec{Kind: KindFile, Role: RoleSystem, Content: long + "x"})
	p.must(func(tx *Tx) error {
		return errors.Join(tx.SpliceText(file, 0, 40, ""), tx.SetMeta(file, `{"path":"a.go"}`), tx.InsertBlock(BlockSpec{ID: NewID(p.now), Content: "a note"}))
	})
	if b := p.block(file); b.Form != FormText || b.Content != long[40:] || b.Meta == "" {
		t.Errorf("after the first edit: %s of %d bytes, meta %q", b.Form, len(b.Content), b.Meta)
	}
	for name, f := range map[string]func(tx *Tx) error{
		"a record that is too long": func(tx *Tx) error { return tx.Thaw(over) },
		"a text that is too long":   func(tx *Tx) error { return tx.ReplaceText(file, strings.Repeat("é", maxFileRunes+1)) },
		"too much of both":          func(tx *Tx) error { return tx.ReplaceText(file, strings.Repeat("é", maxFileTxOps/2)) },
	} {
		t.Run(name, func(t *testing.T) {
			if raw, err := p.commit(f); raw != nil || !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Errorf("Commit = %d bytes, %v, want an error that wraps ErrTooLarge", len(raw), err)
			}
		})
	}
	tenth := strings.ReplaceAll(long[40:], "7 of forty", "7 of thirty-six")
	p.must(func(tx *Tx) error { return tx.ReplaceText(file, tenth) })
	if b := p.block(file); b.Content != tenth {
		t.Errorf("after a replacement: %d bytes, want %d", len(b.Content), len(tenth))
	}
	checkModel(t, p.model)
}

// TestUndoneLinesAreOfTheirWriters changes lines, takes that back and does it
// again.
func TestUndoneLinesAreOfTheirWriters(t *testing.T) {
	p := newPair(t, "git.")
	id := p.insert(BlockSpec{Kind: KindFile, Role: RoleSystem, Content: "one\ntwo\n\nfour\n"})
	writers := func() string {
		var out []string
		for _, l := range must(p.model.Lines(id, graphLog{p.graph})) {
			out = append(out, string(l.Actor[:3]))
		}
		return strings.Join(out, " ")
	}
	check := func(what, want string) {
		t.Helper()
		if got := writers(); got != want {
			t.Errorf("%s: %q is by %s, want %s", what, p.block(id).Content, got, want)
		}
	}
	check("a record", "git git git git")
	p.actor = "amy."
	p.must(func(tx *Tx) error { return tx.SpliceText(id, 4, 3, "2") })
	check("a line changed", "git amy git git")
	p.actor = "ben."
	p.must(func(tx *Tx) error { return tx.SpliceText(id, 0, 0, "zero\n") })
	check("a line in front", "ben git amy git git")
	p.must(func(tx *Tx) error { return tx.SpliceText(id, 10, 1, "") })
	check("an empty line less", "ben git amy git")
	p.must(func(tx *Tx) error { return tx.SpliceText(id, 8, 1, " ") })
	check("two lines joined", "ben ben git")
	heads := p.graph.Heads()
	p.actor = "cleo"
	if err := p.undo(heads[0]); err != nil {
		t.Fatal(err)
	}
	check("taken back", "ben git amy git")
	if err := p.undo(p.graph.Heads()[0]); err != nil {
		t.Fatal(err)
	}
	if got := writers(); !strings.HasPrefix(got, "ben ") || strings.Count(got, " ") != 2 {
		t.Errorf("done again: %q is by %s", p.block(id).Content, got)
	}
}

func TestLinesOfNothing(t *testing.T) {
	p := newPair(t, "amy.")
	if _, err := p.model.Lines(NewID(p.now), graphLog{p.graph}); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Lines of no block: %v, want an error that wraps ErrNotFound", err)
	}
	if _, err := p.model.Since(NewID(p.now), p.graph.AncestryOf(nil), graphLog{p.graph}); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Since of no block: %v, want an error that wraps ErrNotFound", err)
	}
	for _, content := range []string{"", "\n", "a", "a\n", "\n\na\r\n"} {
		id := p.insert(BlockSpec{Content: content})
		lines := must(p.model.Lines(id, graphLog{p.graph}))
		if got, want := len(lines), len(cutLines(content)); got != want {
			t.Errorf("Lines of %q: %d, want %d", content, got, want)
		}
	}
}
