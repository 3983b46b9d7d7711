package drift_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
)

// extract makes a briefing and checks what holds of each.
func extract(t testing.TB, req drift.Request) drift.Briefing {
	t.Helper()
	b, err := drift.Extractive().Distil(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	checkExtract(t, req, b)
	return b
}

var bullet = regexp.MustCompile(`^- (.+) \[(\d+)\]$`)

// checkExtract wants a briefing that is short enough, says how it was made, and
// cites each sentence to lines that hold it.
func checkExtract(t testing.TB, req drift.Request, b drift.Briefing) {
	t.Helper()
	most := req.MaxWords
	if most == 0 {
		most = 500
	}
	if n := len(strings.Fields(b.Text)); n >= most || !utf8.ValidString(b.Text) {
		t.Errorf("the extract has %d words, want less than %d", n, most)
	}
	lines := strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "_An extract made without a model: ") || b.Distiller != "extractive" || b.Model != "" {
		t.Errorf("the extract of distiller %q ends %q, want it to say that no model made it", b.Distiller, last)
	}
	for i, c := range b.Citations {
		if c.Ref != i+1 || c.Handle.Check() != nil {
			t.Errorf("citation %d is %+v", i, c)
		}
	}
	headings, at := "", 0
	for _, line := range lines[:len(lines)-1] {
		switch m := bullet.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "## "):
			headings += line[3:] + " "
		case m != nil:
			at++
			checkCited(t, req.Source, b, m[1], m[2])
		case line != "":
			t.Errorf("the extract has a line %q", line)
		}
	}
	order := regexp.MustCompile(`^(Decisions )?(Findings )?(Code references )?(Open questions )?(Other )?$`)
	if !order.MatchString(headings) || at == 0 {
		t.Errorf("the extract has the headings %q and %d sentences", headings, at)
	}
}

// checkCited wants a sentence in the lines that it is cited to.
func checkCited(t testing.TB, src drift.Source, b drift.Briefing, sentence, ref string) {
	t.Helper()
	for i, c := range b.Citations {
		if ref != strconv.Itoa(i+1) {
			continue
		}
		for _, p := range src.Blocks {
			if string(p.ID) != c.Handle.Block {
				continue
			}
			lines := strings.Split(strings.ToValidUTF8(p.Content, "\uFFFD"), "\n")
			if c.Handle.First < 1 || c.Handle.Last > len(lines) {
				t.Errorf("%q is cited to lines %d to %d of %d", sentence, c.Handle.First, c.Handle.Last, len(lines))
				return
			}
			cited := lines[c.Handle.First-1 : c.Handle.Last]
			if !strings.Contains(squeeze(strings.Join(cited, "\n")), squeeze(sentence)) {
				t.Errorf("%q is cited to %q", sentence, cited)
			}
			if want := drift.Quote(strings.TrimRight(strings.Join(cited, "\n"), "\r\n")); c.Quote != want {
				t.Errorf("quote = %q, want %q", c.Quote, want)
			}
			return
		}
	}
	t.Errorf("%q cites [%s], which is none", sentence, ref)
}

// squeeze takes out what an extract may add to or leave out of a sentence:
// white space and control characters, the marks of lists, quotes and emphasis,
// and numbers in brackets.
func squeeze(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(">*_`-", r) {
			return -1
		}
		return r
	}, s)
	return regexp.MustCompile(`\[\^?\d{1,6}([,;–]?\^?\d{1,6})*\]`).ReplaceAllString(s, "")
}

// talk is a conversation in which people and a model say these.
func talk(contents ...string) drift.Source {
	src := drift.Source{Context: contextUUID, Heads: kaijutsu.NewHeads(kaijutsu.ChangeHash{7})}
	for i, content := range contents {
		src.Blocks = append(src.Blocks, drift.Passage{
			ID: blocks.ID(blockUUID[:32] + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "00"), Role: []string{"user", "model"}[i%2], Kind: "text", Content: content,
		})
	}
	return src
}
