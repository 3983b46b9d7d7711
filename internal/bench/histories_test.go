package bench

import (
	"slices"
	"strings"
	"testing"

	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
)

// plainText plays a history on a list of characters and returns the texts. It
// fails where a step does not fit what was there.
func plainText(t *testing.T, h history) []string {
	t.Helper()
	type char struct {
		number int
		text   string
		gone   bool
	}
	texts := [][]char{nil}
	number, steps := 0, 0
	for s := range h.all() {
		steps++
		if s.text == len(texts) {
			texts = append(texts, nil)
		}
		all := texts[s.text]
		find := func(n int) int { return slices.IndexFunc(all, func(c char) bool { return c.number == n }) }
		if s.insert == "" {
			i := find(s.remove)
			if i < 0 || all[i].gone {
				t.Fatalf("step %d takes out character %d, which is not there", steps, s.remove)
			}
			all[i].gone = true
			continue
		}
		i := 0
		if s.after >= 0 {
			if i = find(s.after) + 1; i == 0 || all[i-1].gone {
				t.Fatalf("step %d writes behind character %d, which does not show", steps, s.after)
			}
		}
		if next := -1; i < len(all) && all[i].number != s.before || i == len(all) && s.before != next {
			t.Fatalf("step %d writes before character %d, which is not next", steps, s.before)
		}
		var put []char
		for _, r := range s.insert {
			put = append(put, char{number: number, text: string(r)})
			number++
		}
		texts[s.text] = slices.Insert(all, i, put...)
	}
	if steps != h.changes {
		t.Fatalf("%d steps, want %d", steps, h.changes)
	}
	var plain []string
	for _, all := range texts {
		var b strings.Builder
		for _, c := range all {
			if !c.gone {
				b.WriteString(c.text)
			}
		}
		plain = append(plain, b.String())
	}
	return plain
}

// TestHistoriesAreDocuments plays histories and reads them as contexts: both have
// to have the same texts, also after they were saved as a document.
func TestHistoriesAreDocuments(t *testing.T) {
	for _, h := range []history{
		emptyText(), grown(3000), typed(50, 50), typed(1, 0),
		manyTexts("blocks of prose", 20, proseOf(200)), manyTexts("blocks of noise", 5, noiseOf(200)),
	} {
		t.Run(h.name, func(t *testing.T) {
			want := plainText(t, h)
			e, err := encodeHistory(h)
			if err != nil {
				t.Fatal(err)
			}
			var changes []*amfile.Change
			for _, raw := range e.raw {
				c, err := amfile.DecodeChange(raw)
				if err != nil {
					t.Fatal(err)
				}
				changes = append(changes, c)
			}
			saved, err := amfile.EncodeDocument(changes)
			if err != nil {
				t.Fatal(err)
			}
			if size, err := e.size(); err != nil || size != int64(len(saved)) {
				t.Errorf("size() = %d, %v; want %d", size, err, len(saved))
			}
			if changes, err = amfile.DecodeDocument(saved); err != nil {
				t.Fatal(err)
			}
			m := blocks.NewModel()
			for _, c := range changes {
				m.Apply(c)
			}
			var got []string
			for _, b := range m.Blocks() {
				got = append(got, b.Content)
			}
			if !slices.Equal(got, want) {
				t.Errorf("the context has %d texts, want %d; the first is %.60q, want %.60q", len(got), len(want), got[0], want[0])
			}
			if last := changes[len(changes)-1]; last.Hash != e.head || last.MaxOp() != e.max {
				t.Errorf("head %v of operations up to %d, want %v and %d", e.head, e.max, last.Hash, last.MaxOp())
			}
		})
	}
}

// TestEditingTrace counts what is put in and taken out of the generated trace.
func TestEditingTrace(t *testing.T) {
	inserts, removes, jumps, last := 0, 0, 0, -1
	for s := range editingTrace().all() {
		if s.insert == "" {
			removes++
			continue
		}
		if s.after != last {
			jumps++
		}
		last = inserts
		inserts++
	}
	if inserts != traceInserts || removes != traceDeletes {
		t.Errorf("%d characters put in and %d taken out, want %d and %d", inserts, removes, traceInserts, traceDeletes)
	}
	if jumps < 1000 || jumps > inserts/4 {
		t.Errorf("%d times somewhere else, want runs of some characters", jumps)
	}
}

// TestReplicaWaitsForDependencies gives a replica changes in the wrong order.
func TestReplicaWaitsForDependencies(t *testing.T) {
	e, err := encodeHistory(grown(10))
	if err != nil {
		t.Fatal(err)
	}
	var headers []amfile.Header
	for _, raw := range e.raw {
		h, err := amfile.DecodeHeader(raw)
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
	}
	p := &peer{docs: make(map[string]receiver)}
	r := openReplica(p, newDocumentID(), nil)
	slices.Reverse(headers)
	r.addAllLocked(headers[:4], r.grown.at)
	if len(r.known) != 0 || len(r.orphans) != 4 {
		t.Errorf("%d known and %d waiting, want all 4 to wait", len(r.known), len(r.orphans))
	}
	r.addAllLocked(headers[4:], r.grown.at)
	if len(r.known) != len(headers) || len(r.orphans) != 0 || len(r.heads) != 1 || r.heads[0] != e.head {
		t.Errorf("%d of %d known, %d waiting, heads %v; want all, and the last as head", len(r.known), len(headers), len(r.orphans), r.heads)
	}
}
