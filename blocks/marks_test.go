package blocks

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// spliceMarked makes texts with marks that begin and end in many ways, deletes
// characters between them, and splices each at every position. It prints the
// changes that make the text, and the operations of every splice.
const spliceMarked = `
import * as A from "@automerge/automerge"

const { id, page, genesis, count } = JSON.parse(process.env.MARKED)
let state = 7
const below = (n) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % n }
const path = ["pages", page, id, "text"]
for (let round = 0; round < count; round++) {
  let doc = A.init({ actor: "aa".repeat(16) });
  [doc] = A.applyChanges(doc, [new Uint8Array(Buffer.from(genesis, "base64"))])
  doc = A.change(doc, d => { d.pages[page][id] = { text: "abcdefgh".slice(0, 1 + below(8)) } })
  const text = () => doc.pages[page][id].text
  for (let edits = 0; edits < 1 + round % 6; edits++) {
    const from = below(text().length + 1), to = from + below(text().length - from + 1)
    doc = A.change(doc, d => {
      const expand = ["none", "before", "after", "both"][below(4)]
      if (below(3) > 0 && to > from) A.mark(d, path, { start: from, end: to, expand }, ["bold", "link"][below(2)], below(4) === 0 ? null : true)
      else if (below(2) === 0) A.splice(d, path, from, Math.min(2, to - from), "")
      else A.splice(d, path, from, 0, "xy".slice(below(2)))
    })
  }
  const splices = []
  for (let pos = 0; pos <= text().length; pos++) {
    for (const del of [0, 1, 3]) {
      if (pos + del > text().length) continue
      const edited = A.change(A.clone(doc, { actor: "bb".repeat(16) }), d => A.splice(d, path, pos, del, "ZW"))
      const ops = A.decodeChange(A.getLastLocalChange(edited)).ops
      splices.push({ pos, del, ops: ops.map(o => [o.action, o.elemId, ...o.pred].join(" ")) })
    }
  }
  console.log(JSON.stringify({ changes: A.getAllChanges(doc).map(c => Buffer.from(c).toString("base64")), text: text(), splices }))
}
`

// TestSplicesGoWhereStockClientsPutThem compares every operation.
func TestSplicesGoWhereStockClientsPutThem(t *testing.T) {
	id := testID(1)
	options := must(json.Marshal(map[string]any{"id": id, "page": id.Page(), "genesis": genesisBase64, "count": 60 * envInt("KJ_ROUNDS", 1)}))
	out := runNode(t, []byte(spliceMarked), "MARKED="+string(options))
	count, marked := 0, 0
	for round, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var text struct {
			Changes []string
			Text    string
			Splices []struct {
				Pos, Del int
				Ops      []string
			}
		}
		if err := json.Unmarshal([]byte(line), &text); err != nil {
			t.Fatal(err)
		}
		var raws [][]byte
		for _, c := range text.Changes {
			raws = append(raws, must(base64.StdEncoding.DecodeString(c)))
		}
		p := newPair(t, strings.Repeat("\xbb", 16), raws...)
		for sp := textOf(p.model, id).first; sp != nil; sp = sp.next {
			if sp.kind == spanMark {
				marked++
			}
		}
		for _, s := range text.Splices {
			c, err := p.model.Commit(p.options(), func(tx *Tx) error { return tx.SpliceText(id, s.Pos, s.Del, "ZW") })
			if err != nil {
				t.Fatal(err)
			}
			if got := opsAsJS(c); strings.Join(got, "\n") != strings.Join(s.Ops, "\n") {
				t.Errorf("text %d %q, splice at %d, %d deleted:\n%s\nwant\n%s", round, text.Text, s.Pos, s.Del, strings.Join(got, "\n"), strings.Join(s.Ops, "\n"))
			}
			count++
		}
	}
	if t.Logf("%d splices next to %d ends of marks", count, marked); count == 0 || marked == 0 {
		t.Error("nothing was compared")
	}
}

// opsAsJS writes operations on a text as the npm package tells them.
func opsAsJS(c *amfile.Change) []string {
	name := func(id amfile.OpID) string {
		if id.Counter == 0 {
			return "_head"
		}
		return fmt.Sprintf("%d@%s", id.Counter, hex.EncodeToString([]byte(c.Actors[id.Actor])))
	}
	var all []string
	for _, op := range c.Ops {
		words := []string{map[amfile.Action]string{amfile.Put: "set", amfile.Delete: "del"}[op.Action], name(op.Elem)}
		for _, p := range op.Pred {
			words = append(words, name(p))
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

// TestAppendsGoBehindMarks appends without counting and by position.
func TestAppendsGoBehindMarks(t *testing.T) {
	for _, tt := range []struct {
		name       string
		begin, end bool // grows
		behind     bool // the mark's end comes first
	}{
		{"a mark that grows", true, true, false},
		{"a mark that does not", false, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPair(t, "actor")
			id := p.insert(BlockSpec{Content: "bold"})
			s := textOf(p.model, id)
			want := amfile.OpID{Counter: uint64(s.first.id.counter) + 3}
			obj := amfile.OpID{Counter: uint64(s.id.counter)}
			c := &amfile.Change{
				Actors: []kaijutsu.ActorID{p.actor}, Seq: 2, StartOp: p.model.maxOp + 1, Deps: p.graph.Heads(), Time: 1,
				Ops: []amfile.Op{
					{Action: amfile.Mark, Obj: obj, Seq: true, Insert: true, MarkBegin: true, MarkName: "bold", Expand: tt.begin, Value: amfile.BoolValue(true)},
					{Action: amfile.Mark, Obj: obj, Seq: true, Insert: true, Elem: want, Expand: tt.end},
				},
			}
			if err := amfile.EncodeChange(c); err != nil {
				t.Fatal(err)
			}
			p.receive(c.Raw)
			if tt.behind {
				want = amfile.OpID{Counter: c.MaxOp()}
			}
			by := func(f func(*Tx) error) string {
				c := must(p.model.Commit(p.options(), f))
				if got := c.Ops[0].Elem; got != want {
					t.Errorf("X goes behind %v, want %v", got, want)
				}
				return strings.Join(opsAsJS(c), " ")
			}
			appended := by(func(tx *Tx) error { return tx.AppendText(id, "X") })
			spliced := by(func(tx *Tx) error { return tx.SpliceText(id, 4, 0, "X") })
			if appended != spliced {
				t.Errorf("AppendText makes %s, SpliceText %s", appended, spliced)
			}
		})
	}
}
