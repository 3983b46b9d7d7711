package blocks

import (
	"bytes"
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/automerge/automerge-go"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// What every context starts from, for ever.
const (
	genesisHash   = "c2de99f03a2ee2beea97679d600dc22c7819e20c6d5665150429af4b25a80a8f"
	genesisBase64 = "hW9Kg8LemfABqgIAEGthaWp1dHN1LWdlbmVzaXMBAQASa2FpanV0c3UgZ2VuZXNpcyAxAAgBBQIFFdUBNAFCBlYFVwFwAwADwAAAAAPAAAO9fwZzY2hlbWEFdGl0bGUFcGFnZXMCMDACMDECMDICMDMCMDQCMDUCMDYCMDcCMDgCMDkCMGECMGICMGMCMGQCMGUCMGYCMTACMTECMTICMTMCMTQCMTUCMTYCMTcCMTgCMTkCMWECMWICMWMCMWQCMWUCMWYCMjACMjECMjICMjMCMjQCMjUCMjYCMjcCMjgCMjkCMmECMmICMmMCMmQCMmUCMmYCMzACMzECMzICMzMCMzQCMzUCMzYCMzcCMzgCMzkCM2ECM2ICM2MCM2QCM2UCM2ZDfgEEwQAAfxPCAAABwwAA"
)

// buildGenesis makes the genesis change from what docs/schema.md says of it.
func buildGenesis(t *testing.T) *amfile.Change {
	t.Helper()
	c := &amfile.Change{
		Actors:  []kaijutsu.ActorID{"kaijutsu-genesis"},
		Seq:     1,
		StartOp: 1,
		Message: "kaijutsu genesis 1",
		Ops: []amfile.Op{
			{Action: amfile.Put, Key: "schema", Value: amfile.UintValue(1)},
			{Action: amfile.MakeText, Key: "title"},
			{Action: amfile.MakeMap, Key: "pages"},
		},
	}
	pages := amfile.OpID{Counter: 3}
	for n := range pageCount {
		c.Ops = append(c.Ops, amfile.Op{Action: amfile.MakeMap, Obj: pages, Key: pageName(uint8(n))})
	}
	if err := amfile.EncodeChange(c); err != nil {
		t.Fatalf("EncodeChange(genesis): %v", err)
	}
	return c
}

func TestGenesisIsFixedForEver(t *testing.T) {
	built := buildGenesis(t)
	if !bytes.Equal(built.Raw, genesisBytes) {
		t.Errorf("genesis.bin = %x, want %x", genesisBytes, built.Raw)
	}
	if got := base64.StdEncoding.EncodeToString(genesisBytes); got != genesisBase64 {
		t.Errorf("genesis in base64 = %q, want %q", got, genesisBase64)
	}
	if got := Genesis().Hash.String(); got != genesisHash {
		t.Errorf("Genesis().Hash = %s, want %s", got, genesisHash)
	}
	page, err := os.ReadFile("../docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"bytes": genesisBase64, "hash": genesisHash} {
		if !strings.Contains(string(page), text) {
			t.Errorf("docs/schema.md does not hold the genesis %s %s", what, text)
		}
	}
}

func TestGenesisMakesAnEmptyContext(t *testing.T) {
	m := NewModel()
	m.Apply(Genesis())
	if !m.IsContext() || m.Title() != "" || m.Len() != 0 {
		t.Errorf("IsContext, Title, Len = %v, %q, %d, want true, \"\", 0", m.IsContext(), m.Title(), m.Len())
	}
	for n := range pageCount {
		if m.shownPage(uint8(n)) == nil {
			t.Errorf("page %s does not exist", pageName(uint8(n)))
		}
	}
}

func TestGenesisLoadsInAutomergeGo(t *testing.T) {
	doc, err := automerge.Load(genesisBytes)
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.Heads(); len(got) != 1 || got[0].String() != genesisHash {
		t.Errorf("heads = %v, want [%s]", got, genesisHash)
	}
	if got := doc.Path("pages").Map().Len(); got != pageCount {
		t.Errorf("pages = %d, want %d", got, pageCount)
	}
	if v, err := doc.Path("schema").Get(); err != nil || v.Kind() != automerge.KindUint64 || v.Uint64() != 1 {
		t.Errorf("schema = %v, %v, want uint 1", v, err)
	}
}

func TestGenesisLoadsInJavaScript(t *testing.T) {
	out := runNode(t, []byte(`
import * as A from "@automerge/automerge"
const doc = A.load(Uint8Array.from(atob("`+genesisBase64+`"), c => c.charCodeAt(0)))
const [change] = A.getHistory(doc)
process.stdout.write([A.getHeads(doc), doc.schema, JSON.stringify(doc.title), Object.keys(doc.pages).length, change.change.message, change.change.time].join(" "))
`))
	if got, want := string(out), genesisHash+` 1 "" 64 kaijutsu genesis 1 0`; got != want {
		t.Errorf("JavaScript loads %s, want %s", got, want)
	}
}
