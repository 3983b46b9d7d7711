package catalog_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kaijutsu/internal/catalog"
	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/op"
)

var update = flag.Bool("update", false, "write what the examples and the documents are to be from what they are")

func TestExamples(t *testing.T) {
	cases, err := catalog.Examples()
	if err != nil {
		t.Fatal(err)
	}
	fixture, err := catalog.Fixture()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			if c.OnDisk() {
				kjtest.Home(t, h.home)
			}
			for _, in := range slices.Concat(fixture, c.Setup) {
				h.call(owner(), in.Op, in.In)
			}
			result, err := h.set.Call(t.Context(), owner(), c.Call.Op, json.RawMessage(c.Call.In))
			kind, want := "want", c.Want
			if err != nil {
				kind, want = "error", c.Error
				if result, err = json.Marshal(op.ProblemOf(err)); err != nil {
					t.Fatal(err)
				}
			} else {
				h.checkResult(c.Call.Op, result)
			}
			got := catalog.Normal(h.placed(result), amy.Name)
			if *update {
				rewrite(t, c, kind, got)
			} else if got != want && (c.Want != "" || c.Error != "" || kind == "error") {
				t.Errorf("%s %s = %s, want %s", c.Call.Op, c.Call.In, got, want)
			}
		})
	}
}

// placed returns a result with names in the place of directories that are
// different each time.
func (h *house) placed(result []byte) []byte {
	return []byte(strings.NewReplacer(h.home, "~", h.dir, "<data>").Replace(string(result)))
}

var outcome = regexp.MustCompile(`(?s)\n-- (want|error) --\n.*`)

// rewrite puts what came of a case into its file.
func rewrite(t *testing.T, c catalog.Case, kind, got string) {
	if slices.Contains([]string{"server_status", "node_list", "node_status", "storage_scrub", "storage_mend"}, c.Call.Op) && c.Error == "" { // of one server or moment, not of all
		return
	}
	path := filepath.Join("testdata", "examples", c.Name+".txtar")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := outcome.ReplaceAllString(string(old), "\n") + "-- " + kind + " --\n" + got
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEveryOperationHasAnExample(t *testing.T) {
	for _, o := range catalog.New(catalog.Parts{}).All() {
		if len(o.Examples) == 0 {
			t.Errorf("%s has no example that works", o.Name)
		}
	}
}
