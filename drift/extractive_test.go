package drift_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/drift"
)

func TestExtractsOfTranscripts(t *testing.T) {
	for _, name := range transcriptNames {
		t.Run(name, func(t *testing.T) {
			b := extract(t, drift.Request{Source: readTranscript(t, name)})
			golden := filepath.Join("testdata", "extracts", name+".md")
			if *update {
				if err := os.WriteFile(golden, []byte(b.Text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if b.Text != string(want) {
				t.Errorf("extract of %s = %s\nwant %s", name, b.Text, want)
			}
		})
	}
}

func TestExtractsFollowTheFocus(t *testing.T) {
	for _, c := range []struct {
		name, focus string
		first       string // what the first sentence holds
	}{
		{"incident", "what was decided about the grace period?", "grace period"},
		{"incident", "why did the alert not fire?", "alert"},
		{"design", "takedowns of duplicates", "duplicates"},
		{"design", "browsers and formats", "browsers"},
		{"debugging", "how is Japanese segmented?", "Japanese"},
		{"debugging", "migration of segments", "segment"},
	} {
		t.Run(c.focus, func(t *testing.T) {
			b := extract(t, drift.Request{Source: readTranscript(t, c.name), Focus: c.focus, MaxWords: 150})
			bullets := 0
			held := 0
			for _, line := range strings.Split(b.Text, "\n") {
				if m := bullet.FindStringSubmatch(line); m != nil {
					bullets++
					if strings.Contains(strings.ToLower(m[1]), strings.ToLower(c.first)) {
						held++
					}
				}
			}
			if held == 0 || held*3 < bullets {
				t.Errorf("%d of %d sentences are about %q:\n%s", held, bullets, c.first, b.Text)
			}
			if b.Note != "" {
				t.Errorf("note = %q, want none", b.Note)
			}
		})
	}
	b := extract(t, drift.Request{Source: readTranscript(t, "incident"), Focus: "zeppelins"})
	if !strings.Contains(b.Note, "no sentence has a word of the focus") || !strings.Contains(b.Text, b.Note) {
		t.Errorf("the extract about nothing that was said has the note %q and ends %q", b.Note, b.Text[len(b.Text)-200:])
	}
}

func TestAFocusLetsShortSentencesIn(t *testing.T) {
	var halls [30]string
	for i := range 3000 {
		halls[i/100] += fmt.Sprintf("The archive of museum number %d keeps its catalogue of paintings in room %d. ", i, i*7)
	}
	for _, c := range []struct {
		name, focus, want string
		blocks            []string
	}{
		{"three words", "do the tests pass?", "- The tests pass. [", []string{"The parser reads the whole file at once.", "The tests pass.", "The writer keeps its buffer until the end."}},
		{"two words", "testing", "- Tests pass. [", []string{"The parser reads the whole file at once.", "Tests pass."}},
		{"among very many", "do the tests pass?", "- The tests pass. [", slices.Insert(halls[:], 15, "The tests pass.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := extract(t, drift.Request{Source: talk(c.blocks...), Focus: c.focus})
			if !strings.Contains(b.Text, c.want) || b.Note != "" {
				t.Errorf("extract with the focus %q = %s\nnote %q; want %q in it", c.focus, b.Text, b.Note, c.want)
			}
			if b := extract(t, drift.Request{Source: talk(c.blocks...)}); strings.Contains(b.Text, c.want) {
				t.Errorf("extract without a focus = %s\nwant no sentence so short", b.Text)
			}
		})
	}
}

func TestExtractsOfExtracts(t *testing.T) {
	first := extract(t, drift.Request{Source: talk("We decided to keep the pool. The root cause was a missing lock.")})
	for name, text := range map[string]string{"as it is": first.Text, "quoted": "> " + strings.ReplaceAll(strings.TrimSpace(first.Text), "\n", "\n> ")} {
		b := extract(t, drift.Request{Source: talk(text)})
		if strings.Count(b.Text, "An extract made without a model") != 1 || !strings.Contains(b.Text, "- We decided to keep the pool. [1]") || !strings.Contains(b.Text, "2 of 2 sentences") {
			t.Errorf("%s: the extract of an extract is\n%s\nwant its two sentences and no more", name, b.Text)
		}
	}
}

func TestExtractsLeaveCodeAlone(t *testing.T) {
	b := extract(t, drift.Request{Source: talk(
		"We decided to keep the pool.\n\n```go\n// We decided that this comment is code.\nfunc f() { return }\n```\n\n" +
			"    We decided that this line is indented code.\n\n| We decided | a table |\n|---|---|\n| We agreed | on rows |\n\n" +
			"2026-03-12T14:06:11Z ERROR we decided to log\n$ echo we decided to echo\n\nThe pool is small because memory is short.",
	)})
	for _, no := range []string{"comment", "indented", "table", "rows", "log", "echo", "func"} {
		if strings.Contains(b.Text, no) {
			t.Errorf("the extract has %q of what is no prose:\n%s", no, b.Text)
		}
	}
	for _, want := range []string{"## Decisions\n\n- We decided to keep the pool. [1]\n", "## Findings\n\n- The pool is small because memory is short. [2]\n"} {
		if !strings.Contains(b.Text, want) {
			t.Errorf("extract = %s\nwant %q in it", b.Text, want)
		}
	}
	src := talk("We decided to keep the pool.", "The tool found that we decided to read this.")
	src.Blocks[1].Kind = "tool_result"
	if b := extract(t, drift.Request{Source: src}); strings.Contains(b.Text, "tool found") {
		t.Errorf("the extract has what a tool wrote:\n%s", b.Text)
	}
}

func TestExtractsSortSentences(t *testing.T) {
	for sentence, want := range map[string]string{
		"We decided to use Badger for the store.":          "Decisions",
		"Decision: Badger.":                                "Decisions",
		"Let's go with the second plan for now.":           "Decisions",
		"The root cause was a missing lock in the pool.":   "Findings",
		"Reading an object takes 9 ms at the median.":      "Findings",
		"The loop in `internal/pool.go:88` never ends.":    "Code references",
		"The method flushAll waits for the other writer.":  "Code references",
		"Who owns the list of clients?":                    "Open questions",
		"It is unclear whether the window is too short.":   "Open questions",
		"东京的缓存为什么这么慢？":                                     "Open questions",
		"Wer kümmert sich um die alten Aufträge?":          "Open questions",
		"The archive has a reading room in the cellar.":    "Other",
		"Die Größe des Zwischenspeichers ist unverändert.": "Other",
		"缓存的大小没有变化但是速度变慢了。":                                "Other",
	} {
		b := extract(t, drift.Request{Source: talk(sentence)})
		if got := strings.Join(regexp.MustCompile(`## (.+)\n\n- `).FindStringSubmatch(b.Text)[1:], ""); got != want {
			t.Errorf("%q is sorted under %s, want %s", sentence, got, want)
		}
		if !strings.Contains(b.Text, sentence) {
			t.Errorf("extract = %q, want %q whole", b.Text, sentence)
		}
	}
}

func TestExtractsTakeAHeadingsWord(t *testing.T) {
	b := extract(t, drift.Request{Source: talk("## Open questions\n\n- Retention of the logs beyond a year.\n\n## Decided\n\n1. Thumbnails live in the object store.\n2. One bucket\n   for each museum.\n")})
	want := "## Decisions\n\n- Thumbnails live in the object store. [1]\n- One bucket for each museum. [2]\n\n## Open questions\n\n- Retention of the logs beyond a year. [3]\n"
	if !strings.HasPrefix(b.Text, want) {
		t.Errorf("extract = %s\nwant %s", b.Text, want)
	}
	if h := b.Citations[1].Handle; h.First != 8 || h.Last != 9 {
		t.Errorf("the second decision is cited to lines %d to %d, want 8 to 9", h.First, h.Last)
	}
}

func TestExtractsSayNothingTwice(t *testing.T) {
	b := extract(t, drift.Request{Source: talk(
		"We decided to store thumbnails in the object store.",
		"As said, we decided to store the thumbnails in the object store. [3]",
		"WE DECIDED TO STORE THUMBNAILS IN THE OBJECT STORE.",
		"The ingest makes the previews before anybody asks for them.",
	)})
	if n := strings.Count(strings.ToLower(b.Text), "object store"); n != 1 {
		t.Errorf("the extract says it %d times:\n%s", n, b.Text)
	}
}

func TestExtractsAreTheSameEachTime(t *testing.T) {
	req := drift.Request{Source: long(t, 100<<10), Focus: "connections"}
	want := extract(t, req).Text
	for range 3 {
		if got := extract(t, req).Text; got != want {
			t.Fatalf("two extracts of one source differ:\n%s\n%s", got, want)
		}
	}
}

func TestExtractsOfToolsAlone(t *testing.T) {
	src := talk("The table has 31 rows and no index on the column of dates.")
	src.Blocks[0].Kind, src.Blocks[0].Role = "tool_result", "tool"
	extract(t, drift.Request{Source: src})
}

func TestExtractsReportProgress(t *testing.T) {
	told := ""
	b := extract(t, drift.Request{Source: talk("We decided to keep the pool."), Progress: func(text string) { told = text }})
	if told != b.Text {
		t.Errorf("progress told %q, want %q", told, b.Text)
	}
}

func TestNothingToExtract(t *testing.T) {
	for name, src := range map[string]drift.Source{
		"no blocks": {}, "empty blocks": talk("", " \n"), "one word": talk("Hello"), "code alone": talk("```\nwe decided to keep this\n```"),
	} {
		b, err := drift.Extractive().Distil(context.Background(), drift.Request{Source: src})
		if !errors.Is(err, kaijutsu.ErrInvalid) || b.Text != "" {
			t.Errorf("Distil of %s = %q, %v, want ErrInvalid", name, b.Text, err)
		}
	}
	for _, words := range []int{-1, 149, 5001} {
		if _, err := drift.Extractive().Distil(context.Background(), drift.Request{Source: talk("We decided to keep it."), MaxWords: words}); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("Distil to %d words = %v, want ErrInvalid", words, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if b, err := drift.Extractive().Distil(ctx, drift.Request{Source: talk("We decided to keep it.")}); !errors.Is(err, context.Canceled) || b.Text != "" {
		t.Errorf("Distil when its caller has gone = %q, %v, want context.Canceled", b.Text, err)
	}
}
