package blocks

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/automerge/automerge-go"
	"pgregory.net/rapid"

	"kaijutsu"
	"kaijutsu/internal/changegraph"
)

// scribe writes at random into replicas of one context, and knows what the
// content of each block must be after every step.
type scribe struct {
	t     testing.TB
	below func(n int) int // a random number 0 … n-1
	ids   []ID
	seed  uint64
}

func (s *scribe) newID() ID {
	s.seed++
	return testID(int(s.seed))
}

func (s *scribe) word() string {
	word := ""
	for range s.below(4) {
		word += glyphs[s.below(len(glyphs))]
	}
	return word
}

func (s *scribe) position() Position {
	switch s.below(4) {
	case 0:
		return First()
	case 1:
		return Before(s.pick())
	case 2:
		return After(s.pick())
	}
	return Position{}
}

// pick returns a block, which need not be known to every replica.
func (s *scribe) pick() ID {
	if len(s.ids) == 0 {
		return testID(1 << 30)
	}
	return s.ids[s.below(len(s.ids))]
}

// step does one thing and returns the block whose content it may have changed
// and the content it must have then, as long as there is no error.
func (s *scribe) step(tx *Tx) (id ID, want string, err error) {
	id = s.pick()
	now, _, _ := tx.Content(id)
	runes := []rune(now)
	switch s.below(14) {
	case 0, 1:
		spec := BlockSpec{
			ID: s.newID(), Position: s.position(), Content: s.word(), Collapsed: s.below(4) == 0,
			Kind:   []Kind{"", KindToolCall, KindToolResult, KindThinking}[s.below(4)],
			Role:   []Role{"", "", RoleModel, RoleTool}[s.below(4)],
			Status: []Status{"", "", StatusRunning, StatusPending}[s.below(4)],
			Form:   []Form{"", FormText, FormBody, FormChunks}[s.below(4)],
		}
		if s.below(2) == 0 {
			spec.Parent = s.pick()
		}
		if err := tx.InsertBlock(spec); err != nil {
			return id, now, err
		}
		s.ids = append(s.ids, spec.ID)
		return spec.ID, spec.Content, nil
	case 2, 3, 4:
		pos := s.below(len(runes) + 1)
		del, ins := s.below(len(runes)-pos+1), s.word()
		if err := tx.SpliceText(id, pos, del, ins); err != nil {
			return id, now, err
		}
		return id, string(runes[:pos]) + ins + string(runes[pos+del:]), nil
	case 5, 6:
		ins := s.word()
		if err := tx.AppendText(id, ins); err != nil {
			return id, now, err
		}
		return id, now + ins, nil
	case 7:
		text := s.word() + s.word()
		if err := tx.ReplaceText(id, text); err != nil {
			return id, now, err
		}
		return id, text, nil
	case 8:
		return id, now, tx.SetStatus(id, []Status{StatusPending, StatusRunning, StatusDone, StatusError}[s.below(4)])
	case 9:
		parent := ID("")
		if s.below(2) == 0 {
			parent = s.pick()
		}
		return id, now, tx.Move(id, parent, s.position())
	case 10:
		return id, now, tx.SetFlag(id, Flag(1+s.below(3)), s.below(2) == 0)
	case 11:
		return id, now, tx.SetMeta(id, []string{"", `{"lang":"go"}`, `{"a":1}`}[s.below(3)])
	case 12:
		if s.below(2) == 0 {
			return id, now, tx.Restore(id)
		}
		return id, now, tx.Delete(id)
	}
	if s.below(2) == 0 {
		return id, now, tx.SetTitle(s.word() + s.word())
	}
	return id, now, tx.Thaw(id)
}

// write commits a few steps to a replica.
func (s *scribe) write(p *pair) {
	touched := map[ID]string{}
	_, err := p.commit(func(tx *Tx) error {
		for range 1 + s.below(5) {
			id, want, err := s.step(tx)
			if err != nil && !anyOf(err, kaijutsu.ErrNotFound, kaijutsu.ErrInvalid, kaijutsu.ErrConflict, kaijutsu.ErrTooLarge) {
				return err
			}
			got, _, known := tx.Content(id)
			if known == nil && got != want {
				return fmt.Errorf("block %s holds %q, want %q (%v)", id, got, want, err)
			}
			touched[id] = want
		}
		return nil
	})
	if err != nil {
		s.t.Fatalf("commit: %v", err)
	}
	for id, want := range touched {
		if b, ok := p.model.Block(id); ok && b.Content != want {
			s.t.Fatalf("block %s holds %q, want %q", id, b.Content, want)
		}
	}
}

func anyOf(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// history lets three replicas write and meet, and returns them in agreement.
func (s *scribe) history(steps int) []*pair {
	replicas := []*pair{newPair(s.t, "amy."), newPair(s.t, "ben."), newPair(s.t, "zoe.")}
	for range steps {
		p := replicas[s.below(len(replicas))]
		if s.below(4) == 0 {
			p.receive(replicas[s.below(len(replicas))].raws...)
		}
		s.write(p)
	}
	for _, p := range replicas {
		for _, q := range replicas {
			p.receive(q.raws...)
		}
	}
	for _, q := range replicas[1:] {
		q.receive(replicas[0].raws...)
	}
	return replicas
}

// TestWriterAgreesWithAutomerge replays histories of random transactions by
// several actors in automerge-rs, and compares every field.
func TestWriterAgreesWithAutomerge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &scribe{t: t, below: func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "n") }}
		replicas := s.history(rapid.IntRange(1, 25).Draw(rt, "steps"))
		want := oracleBlocks(t, replicas[0].library())
		for _, p := range replicas {
			checkModel(t, p.model)
			if len(p.model.blocks) != len(want) {
				t.Fatalf("%d blocks exist, want %d", len(p.model.blocks), len(want))
			}
			for id, w := range want {
				b, _ := p.model.Block(id)
				got := oracleBlock{b.Parent, b.Order, b.Meta, b.Content, b.Form, b.Deleted, b.Collapsed, b.Excluded, b.Ephemeral}
				if got != w {
					t.Fatalf("Block(%s) = %+v\nwant %+v", id, got, w)
				}
			}
		}
	})
}

// oracleBlock is a block as automerge-go shows it.
type oracleBlock struct {
	Parent                                  ID
	Order, Meta, Content                    string
	Form                                    Form
	Deleted, Collapsed, Excluded, Ephemeral bool
}

func oracleBlocks(t testing.TB, doc *automerge.Doc) map[ID]oracleBlock {
	t.Helper()
	all := make(map[ID]oracleBlock)
	pages := doc.Path("pages").Map()
	for _, page := range must(pages.Keys()) {
		in := must(pages.Get(page)).Map()
		for _, id := range must(in.Keys()) {
			all[ID(id)] = readOracle(must(in.Get(id)).Map())
		}
	}
	return all
}

func readOracle(m *automerge.Map) (b oracleBlock) {
	str := func(key string) (string, bool) {
		switch v := must(m.Get(key)); v.Kind() {
		case automerge.KindStr:
			return v.Str(), true
		case automerge.KindText:
			return must(v.Text().Get()), true
		}
		return "", false
	}
	flag := func(key string) bool {
		v := must(m.Get(key))
		return v.Kind() == automerge.KindBool && v.Bool()
	}
	parent, _ := str("parent")
	b.Parent = ID(parent)
	b.Order, _ = str("order")
	b.Meta, _ = str("meta")
	b.Deleted, b.Collapsed, b.Excluded, b.Ephemeral = flag("deleted"), flag("collapsed"), flag("excluded"), flag("ephemeral")
	if v := must(m.Get("text")); v.Kind() == automerge.KindText {
		b.Form, b.Content = FormText, must(v.Text().Get())
	} else if s, ok := str("body"); ok {
		b.Form, b.Content = FormBody, s
	} else if v := must(m.Get("chunks")); v.Kind() == automerge.KindList {
		b.Form = FormChunks
		for _, c := range must(v.List().Values()) {
			if c.Kind() == automerge.KindStr {
				b.Content += c.Str()
			}
		}
	}
	return b
}

// loadHistories lets the npm package load changes and show what they make.
const loadHistories = `
import * as A from "@automerge/automerge"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

const view = (await import(process.env.VIEW)).viewer(A)
const pageOf = (id) => (createHash("sha256").update(id).digest()[0] % 64).toString(16).padStart(2, "0")
for (const changes of JSON.parse(readFileSync(process.env.CHANGES))) {
  let [doc] = A.applyChanges(A.init(), changes.map(c => new Uint8Array(Buffer.from(c, "base64"))))
  const before = view(doc, pageOf)
  doc = A.load(A.save(doc))
  if (A.getAllChanges(doc).length !== changes.length) throw new Error("changes are missing")
  if (JSON.stringify(before.rows) !== JSON.stringify(view(doc, pageOf).rows)) throw new Error("loaded otherwise")
  console.log(JSON.stringify(view(doc, pageOf)))
}
`

// TestStockClientLoadsWhatTheWriterMakes does the same with the npm package.
func TestStockClientLoadsWhatTheWriterMakes(t *testing.T) {
	rng := rand.New(rand.NewSource(int64(envInt("KJ_SEED", 1))))
	var written []*pair
	for range 25 * envInt("KJ_ROUNDS", 1) {
		s := &scribe{t: t, below: rng.Intn}
		written = append(written, s.history(40)[1])
	}
	compareWithStockClient(t, written)
}

// TestWriterGoesOnWhereStockClientsStopped writes into histories of the npm
// package, which hold conflicts, marks, objects inside of texts, fields of
// other types and circles of parents.
func TestWriterGoesOnWhereStockClientsStopped(t *testing.T) {
	var written []*pair
	rng := rand.New(rand.NewSource(int64(envInt("KJ_SEED", 1))))
	for n, h := range histories(t, envInt("KJ_SEED", 1), 16*envInt("KJ_ROUNDS", 1), 30) {
		var raws [][]byte
		graph := changegraph.New()
		for _, c := range h.changes {
			if added, err := graph.Add(c); err != nil || len(added) == 0 {
				break
			}
			raws = append(raws, c.Raw) // up to what no server takes
		}
		s := &scribe{t: t, below: rng.Intn, seed: uint64(1_000_000 * n)}
		amy, ben := newPair(t, "amy.", raws...), newPair(t, "ben.", raws...)
		for id := range h.View.Blocks {
			s.ids = append(s.ids, ID(id))
		}
		slices.Sort(s.ids)
		for range 8 {
			s.write(amy)
			s.write(ben)
		}
		amy.receive(ben.raws...)
		s.write(amy)
		checkModel(t, amy.model)
		written = append(written, amy)
	}
	compareWithStockClient(t, written)
}

// compareWithStockClient holds models against what the npm package shows of
// the same changes.
func compareWithStockClient(t *testing.T, written []*pair) {
	t.Helper()
	var histories [][]string
	for _, p := range written {
		var changes []string
		for _, raw := range p.raws {
			changes = append(changes, base64.StdEncoding.EncodeToString(raw))
		}
		histories = append(histories, changes)
	}
	file := filepath.Join(t.TempDir(), "changes.json")
	writeFile(t, file, must(json.Marshal(histories)))
	out := runNode(t, []byte(loadHistories), "CHANGES="+file, "VIEW="+must(filepath.Abs("testdata/view.mjs")))
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(written) {
		t.Fatalf("%d histories came back, want %d", len(lines), len(written))
	}
	for i, line := range lines {
		t.Run(fmt.Sprint("history ", i), func(t *testing.T) {
			var want jsView
			if err := json.Unmarshal([]byte(line), &want); err != nil {
				t.Fatal(err)
			}
			compareView(t, written[i].model, want)
		})
	}
}
