package archtest

import (
	"strings"
	"testing"
	"testing/fstest"
)

// goMod and page are a small honest module, for the examples to spoil.
const (
	goMod     = "module kaijutsu\n\ngo 1.26.0\n\nrequire (\n\texample.org/db v1.0.0\n\texample.org/hidden v1.0.0 // indirect\n)\n"
	page      = "| module | what for | imported by | without it |\n|---|---|---|---|\n| `example.org/db` | rows | `internal/store` | files |\n"
	packages  = `{"dependencies": {"graphs": "1.0.0"}}`
	npmPage   = "\n## The page\n\n| `graphs` | drawing | `a` |\n"
	npmImport = "import { draw } from \"graphs/deep\"\n"
	store     = "// Package store keeps.\npackage store\n\nimport _ \"example.org/db\"\n"
)

// TestBadExamples shows each checker something bad and something good.
func TestBadExamples(t *testing.T) {
	tests := []struct {
		name  string
		check func(*tree) []string
		files map[string]string
		want  string // in the only finding; "" for none
	}{
		{"import outside the table", onlyImports, map[string]string{"internal/wire/a.go": "package wire\n\nimport _ \"kaijutsu/internal/store\"\n"},
			"internal/wire/a.go:3: internal/wire may not import kaijutsu/internal/store"},
		{"import in the table", onlyImports, map[string]string{"internal/peer/a.go": "package peer\n\nimport _ \"kaijutsu/internal/wire\"\n"}, ""},
		{"test files open any door", onlyImports, map[string]string{"internal/wire/a_test.go": "package wire\n\nimport _ \"kaijutsu/internal/store\"\n"}, ""},
		{"root imports a room", onlyImports, map[string]string{"a.go": "package kaijutsu\n\nimport _ \"kaijutsu/blocks\"\n"}, "kaijutsu may not import kaijutsu/blocks"},
		{"room without a row", onlyUnknown, map[string]string{"internal/attic/a.go": "package attic\n"}, "internal/attic: not in the import table"},

		{"pure room with I/O", checkPure, map[string]string{"internal/amfile/a.go": "package amfile\n\nimport _ \"net/http\"\n"}, "pure room and may not import net/http"},
		{"pure room with a clock", checkPure, map[string]string{"blocks/a.go": "package blocks\n\nimport clock \"time\"\n\nvar now = clock.Now\n"}, "blocks/a.go:5: blocks is a pure room and may not use time.Now"},
		{"pure room with durations", checkPure, map[string]string{"blocks/a.go": "package blocks\n\nimport \"time\"\n\nvar d = time.Second\n"}, ""},
		{"cgo", checkPure, map[string]string{"internal/store/a.go": "package store\n\nimport \"C\"\n"}, "no room may import C"},

		{"doorways kept", checkDoorways, map[string]string{"go.mod": goMod, dependenciesPage: page, "internal/store/a.go": store}, ""},
		{"past the doorway", checkDoorways, map[string]string{"go.mod": goMod, dependenciesPage: page, "internal/store/a.go": store,
			"internal/repo/a.go": "package repo\n\nimport _ \"example.org/db/deep\"\n"}, "internal/repo may not import example.org/db/deep"},
		{"past the doorway in a test", checkDoorways, map[string]string{"go.mod": goMod, dependenciesPage: page, "internal/store/a.go": store,
			"internal/repo/a_test.go": "package repo\n\nimport _ \"example.org/db/deep\"\n"}, ""},
		{"dependency without a row", checkDoorways, map[string]string{"go.mod": goMod + "require example.org/more v1.0.0\n", dependenciesPage: page, "internal/store/a.go": store},
			"0 rows for example.org/more, want 1"},
		{"tool without a row", checkDoorways, map[string]string{"go.mod": goMod + "tool example.org/hidden/cmd/x\n", dependenciesPage: page, "internal/store/a.go": store},
			"0 rows for example.org/hidden, want 1"},
		{"row without a dependency", checkDoorways, map[string]string{"go.mod": goMod, dependenciesPage: page + "| `example.org/gone` | x | tool | y |\n", "internal/store/a.go": store},
			"go.mod does not require example.org/gone"},
		{"row that nothing uses", checkDoorways, map[string]string{"go.mod": goMod, dependenciesPage: page}, "internal/store does not import example.org/db"},
		{"row with an empty cell", checkDoorways, map[string]string{"go.mod": goMod, dependenciesPage: page + "| `example.org/db` | | tool | y |\n", "internal/store/a.go": store},
			"docs/dependencies.md:4: want module, what for"},

		{"page: doorways kept", checkPageDoorways, map[string]string{pagePackages: packages, dependenciesPage: npmPage, "internal/ui/src/a/b.tsx": npmImport, "internal/ui/src/c/d.test.ts": npmImport}, ""},
		{"page: past the doorway", checkPageDoorways, map[string]string{pagePackages: packages, dependenciesPage: npmPage, "internal/ui/src/a/b.tsx": npmImport, "internal/ui/src/c/d.ts": "const x = import(\"graphs/deep\")\n"},
			"graphs is imported by [a c], the row says [a]"},
		{"page: package without a row", checkPageDoorways, map[string]string{pagePackages: packages, dependenciesPage: "\n## The page\n", "internal/ui/src/a/b.tsx": npmImport}, "0 rows for graphs, want 1"},
		{"page: row without a package", checkPageDoorways, map[string]string{pagePackages: "{}", dependenciesPage: npmPage, "internal/ui/src/a/b.tsx": npmImport}, "does not require graphs"},

		{"no package comment", checkComments, map[string]string{"internal/x/a.go": "package x\n"}, "internal/x: 0 package comments, want 1"},
		{"two package comments", checkComments, map[string]string{"internal/x/a.go": "// Package x is.\npackage x\n", "internal/x/b.go": "// Package x is.\npackage x\n"},
			"internal/x: 2 package comments, want 1"},
		{"comment about something else", checkComments, map[string]string{"internal/x/a.go": "// Stuff.\npackage x\n"}, `does not begin with "Package x"`},
		{"comment of a package of tests", checkComments, map[string]string{"internal/x/a_test.go": "// Package x tests.\npackage x_test\n"}, ""},

		{"unformatted", checkFormat, map[string]string{"a.go": "package  kaijutsu\n"}, "a.go: not gofmt clean"},
		{"formatted", checkFormat, map[string]string{"a.go": "package kaijutsu\n"}, ""},

		{"unknown top-level name", checkTopLevel, map[string]string{"Makefile": "all:\n", "go.mod": goMod}, "Makefile: not a name that belongs"},
		{"sleeping test", checkSleeps, map[string]string{"a_test.go": "package a\n\nimport \"time\"\n\nfunc f() {\n\ttime.Sleep(1)\n}\n"}, "a_test.go:6: time.Sleep in a test"},
		{"sleep by a clock of its own", checkSleeps, map[string]string{"a_test.go": "package a\n\nimport (\n\t\"testing/synctest\"\n\t\"time\"\n)\n\nfunc f() {\n\tsynctest.Test(nil, nil)\n\ttime.Sleep(1)\n}\n"}, ""},
		{"sleep outside a test", checkSleeps, map[string]string{"a.go": "package a\n\nimport \"time\"\n\nfunc f() {\n\ttime.Sleep(1)\n}\n"}, ""},
		{"unfinished code", checkWords, map[string]string{"a.go": "package a\n\n// TO" + "DO: the rest\n"}, "a.go:3:"},
		{"unfinished docs", checkWords, map[string]string{"docs/a.md": "Comes in Phase" + " 2.\n"}, "docs/a.md:1:"},
		{"built assets", checkWords, map[string]string{"internal/ui/dist/a.js": "// TO" + "DO\n"}, ""},

		{"link to nowhere", checkLinks, map[string]string{"docs/a.md": "text\n[b](../b.md)\n"}, "docs/a.md:2: link ../b.md: no such file"},
		{"link to a file", checkLinks, map[string]string{"docs/a.md": "[b](../b.md), [web](https://example.org/x)\n", "b.md": ""}, ""},
		{"link to no heading", checkLinks, map[string]string{"a.md": "# One two\n[x](#one)\n"}, "a.md:2: link #one: no such heading"},
		{"link to a heading", checkLinks, map[string]string{"a.md": "# One, two-3\n[x](#one-two-3)\n"}, ""},
		{"link in a fenced block", checkLinks, map[string]string{"a.md": "```\n[x](gone.md)\n```\n"}, ""},
		{"name that is gone", checkNames, map[string]string{"a.md": "see `store.Gone`\n", "internal/store/a.go": store}, "a.md:1: the code has no `store.Gone`"},
		{"method that is gone", checkNames, map[string]string{"a.md": "see `x.T.Gone`\n", "internal/x/a.go": "package x\n\ntype T struct{ here int }\n"}, "the code has no `x.T.Gone`"},
		{"names that exist", checkNames, map[string]string{"a.md": "`x.T.Do`, `x.T.here`, `x.F(1)`, `x.go`, `y.Other`\n",
			"internal/x/a.go": "package x\n\ntype T[E any] struct{ here int }\n\nfunc (*T[E]) Do() {}\nfunc F(int) {}\n"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range tt.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			tree, err := load(fsys)
			if err != nil {
				t.Fatal(err)
			}
			got := tt.check(tree)
			switch {
			case tt.want == "" && len(got) != 0:
				t.Errorf("findings = %q, want none", got)
			case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
				t.Errorf("findings = %q, want one with %q", got, tt.want)
			}
		})
	}
}

// onlyImports is checkRooms without the comparison of table and rooms, which
// no small example satisfies.
func onlyImports(t *tree) []string { return keep(checkRooms(t), "may not import") }

func onlyUnknown(t *tree) []string { return keep(checkRooms(t), "not in the import table") }

func keep(findings []string, part string) []string {
	var kept []string
	for _, f := range findings {
		if strings.Contains(f, part) {
			kept = append(kept, f)
		}
	}
	return kept
}
