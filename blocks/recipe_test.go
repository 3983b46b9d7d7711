package blocks

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// recipe returns the code of docs/schema.md that it promises to stock clients.
func recipe(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```js\n(.*?)```").FindStringSubmatch(string(readFile(t, "../docs/schema.md")))
	if m == nil {
		t.Fatal("docs/schema.md holds no code")
	}
	return m[1]
}

// useRecipe creates a context and edits it with the published code alone.
const useRecipe = `
import { Repo, getAllChanges } from "@automerge/automerge-repo"

const repo = new Repo({})
const handle = createContext(repo)
handle.change(doc => splice(doc, ["title"], 0, 0, "Plän"))
const first = await insertBlock(handle, { text: "Hello" })
const call = await insertBlock(handle, { kind: "tool_call", role: "model", body: "{\"x\":1}" })
const result = await insertBlock(handle, { kind: "tool_result", role: "tool", parent: call, status: "running" })
const last = await insertBlock(handle, { text: "last" })
const second = await insertBlock(handle, { text: "second", after: first })
const gone = await insertBlock(handle, { text: "gone" })
await editText(handle, first, 5, 0, ", wörld 😀")
await editText(handle, first, 0, 1, "J")
appendChunk(handle, result, "4")
appendChunk(handle, result, "2\n")
setField(handle, result, "status", "done")
setField(handle, gone, "deleted", true)
setField(handle, call, "collapsed", true)
for (let i = 0; i < 12; i++) await insertBlock(handle, { text: "in " + i, after: first })
for (let i = 0; i < 12; i++) await insertBlock(handle, { body: "end " + i })
const note = await insertBlock(handle, { text: "note", kind: "comment", parent: call })
const error = await insertBlock(handle, { body: "boom", kind: "tool_result", role: "tool", parent: call, status: "error" })

const ring = []
for (let i = 0; i < 3; i++) ring.push(await insertBlock(handle, { text: "ring " + i, parent: ring[i - 1] }))
await insertBlock(handle, { text: "below the ring", parent: ring[1] })
setField(handle, ring[0], "parent", ring[2])
const deep = [], pages = []
for (let i = 0; i < 514; i++) pages.push(await pageOf((deep[i] = uuidText(uuidv7()))))
handle.change(doc => deep.forEach((id, i) => (doc.pages[pages[i]][id] = { order: str("z0"), ...(i && { parent: str(deep[i - 1]) }) })))

const doc = handle.doc()
process.stdout.write(JSON.stringify({
  id: handle.documentId,
  ids: { first, call, result, last, second, gone, note, error },
  list: listBlocks(doc),
  changes: getAllChanges(doc).map(c => Buffer.from(c).toString("base64")),
}), () => process.exit(0))
`

// mixRuns writes runs at one place in two replicas that do not see each other,
// and prints their first letters in the order that comes of it.
const mixRuns = `
import { Repo } from "@automerge/automerge-repo"
import { save } from "@automerge/automerge"

const handle = createContext(new Repo({}))
const first = await insertBlock(handle, { text: "<" })
await insertBlock(handle, { text: ">" })
const others = [..."pq"].map(name => [name, new Repo({}).import(save(handle.doc()), { docId: handle.documentId })])
for (const [name, other] of others) {
  for (let i = 0, after = first; i < 20; i++) after = await insertBlock(other, { text: name, after })
  for (let i = 0; i < 20; i++) await insertBlock(other, { text: name.toUpperCase() })
}
for (const [, other] of others) handle.merge(other)
process.stdout.write(listBlocks(handle.doc()).map(b => b.content).join("").replace(/(.)\1*/g, "$1"))
process.exit(0)
`

func TestRunsOfStockClientsDoNotMix(t *testing.T) {
	got := string(runNode(t, []byte(recipe(t)+mixRuns)))
	if !slices.Contains([]string{"<pq>PQ", "<pq>QP", "<qp>PQ", "<qp>QP"}, got) {
		t.Errorf("two replicas' runs of p and q stand as %q", got)
	}
}

func TestStockClientRecipe(t *testing.T) {
	out := runNode(t, []byte(recipe(t)+useRecipe))
	var got struct {
		ID   string
		IDs  struct{ First, Call, Result, Last, Second, Gone, Note, Error ID }
		List []struct {
			ID                                 ID
			Depth                              int
			Order, Kind, Role, Status, Content string
		}
		Changes []string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %.1000s", err, out)
	}
	m := NewModel()
	var raws [][]byte
	for i, text := range got.Changes {
		raw := must(base64.StdEncoding.DecodeString(text))
		c, err := amfile.DecodeChange(raw)
		if err != nil {
			t.Fatalf("change %d: %v", i, err)
		}
		m.Apply(c)
		raws = append(raws, raw)
	}
	if got.Changes[0] != genesisBase64 {
		t.Errorf("the first change is not the genesis change")
	}
	if !m.IsContext() || m.Title() != "Plän" {
		t.Errorf("IsContext, Title = %v, %q, want true, \"Plän\"", m.IsContext(), m.Title())
	}
	if id := m.Context(); kaijutsu.EncodeBase58Check(id[:]) != got.ID {
		t.Errorf("Context() = %v, want that of document %s", id, got.ID)
	}
	if anchor := must(amfile.DecodeChange(raws[1])); len(anchor.Ops) != 1 || anchor.Ops[0].Key != keyContext {
		t.Errorf("the first change behind the genesis change writes %+v, want the context alone", anchor.Ops)
	}
	blocks := m.Blocks()
	if len(blocks) != len(got.List) {
		t.Fatalf("%d blocks, the client lists %d", len(blocks), len(got.List))
	}
	for i, b := range blocks {
		want := got.List[i]
		if b.ID != want.ID || b.Depth != want.Depth || b.Order != want.Order || string(b.Kind) != want.Kind ||
			string(b.Role) != want.Role || string(b.Status) != want.Status || b.Content != want.Content {
			t.Errorf("block %d = %+v\nthe client lists %+v", i, b, want)
		}
	}
	for id, want := range map[ID]Block{
		got.IDs.First: {Kind: KindText, Role: RoleUser, Status: StatusDone, Form: FormText, Content: "Jello, wörld 😀"},
		got.IDs.Call:  {Kind: KindToolCall, Role: RoleModel, Status: StatusDone, Form: FormBody, Content: `{"x":1}`, Collapsed: true},
		got.IDs.Result: {Kind: KindToolResult, Role: RoleTool, Status: StatusDone, Form: FormChunks, Content: "42\n", Parent: got.IDs.Call, Depth: 1,
			Meta: fmt.Sprintf(`{"tool_call_id":"%s"}`, got.IDs.Call)},
		got.IDs.Gone: {Kind: KindText, Role: RoleUser, Status: StatusDone, Form: FormText, Content: "gone", Deleted: true},
	} {
		b, _ := m.Block(id)
		want.ID, want.Order, want.Author, want.Created = id, b.Order, b.Author, b.Created
		if b != want {
			t.Errorf("Block = %+v\nwant    %+v", b, want)
		}
	}
	order := func(id ID) int { return slices.IndexFunc(blocks, func(b Block) bool { return b.ID == id }) }
	if a, b, c, d := order(got.IDs.First), order(got.IDs.Second), order(got.IDs.Call), order(got.IDs.Last); a != 0 || b != 13 || c != 14 || d != 18 {
		t.Errorf("first, second, call, last stand at %d, %d, %d, %d, want 0, 13, 14, 18", a, b, c, d)
	}
	if a, b := order(got.IDs.Error), order(got.IDs.Note); a != 16 || b != 17 {
		t.Errorf("the second result and the note stand at %d, %d, want 16, 17", a, b)
	}
	if b, _ := m.Block(got.IDs.Error); b.Meta != fmt.Sprintf(`{"tool_call_id":"%s","is_error":true}`, got.IDs.Call) {
		t.Errorf("meta of the second result = %s", b.Meta)
	}

	// The server goes on where the client stopped.
	p := newPair(t, "server", raws...)
	p.insert(BlockSpec{Content: "from the server"})
	p.insert(BlockSpec{Content: "right behind first", Position: After(got.IDs.First)})
	all := p.model.Blocks()
	if all[1].Content != "right behind first" || all[len(all)-1].Content != "from the server" {
		t.Errorf("the server's blocks do not stand where they were put")
	}
}
